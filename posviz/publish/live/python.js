// @ts-check
// Python in a worker: how it is fetched, started, asked, given up and started again.

import { make } from "../../pictures/elements.js";

/** @import { Bytes } from "../../pictures/protocol.d.ts" */

/**
 * What worker.js tells.
 * @typedef {{ loaded: number, of: number }} Loading
 * @typedef {{ started: true, module: WebAssembly.Module }} Started
 * @typedef {{ died: string, cut?: boolean }} Died cut: it could not be fetched
 * @typedef {{ id: string, message: any, buffers: Bytes[] }} Told
 * @typedef {Loading | Started | { done: string, failed: string } | Died | Told} FromWorker
 */

/**
 * A message to Python; it is given up after so many looks at it.
 * @typedef {{ id: string, patience: number, looks: number }} Sent
 */

const SITE = new URL(".", document.baseURI);
const LOOK_EVERY = 1000; // milliseconds
const MOST_STARTS = 5; // of the pictures' Python on one page
const SLOW = ["slow-2g", "2g", "3g"];
const LOADS = "Python is loading, once.";
const AGAIN = "Python stopped, and starts again.";
const CUT = "No network.";
const STOPPED = "its reader has stopped it";
const ENDLESS = "it did not answer";

/** @param {number} bytes */
const megabytes = (bytes) => Math.round(bytes / 1e6);

/** @param {string} traceback */
const lastLine = (traceback) => traceback.trim().split("\n").pop() ?? "";

/** What is said of Python as a whole, at the lower edge of the page. */
class Bar {
  #box = make("div", { className: "posviz-loading", hidden: true });
  #isAgreed = false;
  #text = make("span", {}, { role: "status" });
  #numbers = make("span", {}, { "aria-hidden": "true" });
  #progress = make("progress", {}, { "aria-label": "Python is loading" });

  constructor() {
    this.#box.append(this.#text, this.#numbers, this.#progress);
    document.body.append(this.#box);
  }

  /** @param {string} text which is empty when there is nothing more to say */
  say(text) {
    this.#box.hidden = !text;
    if (this.#text.textContent !== text) this.#text.textContent = text;
    this.#numbers.textContent = "";
    this.#progress.hidden = true;
  }

  /**
   * @param {Loading} loading
   * @param {string} text
   */
  count({ loaded, of }, text) {
    this.say(text);
    this.#numbers.textContent = `${megabytes(loaded)} of ${megabytes(of)} MB`;
    this.#progress.hidden = false;
    this.#progress.max = of;
    this.#progress.value = loaded;
  }

  /**
   * Asks with a button, once, and returns when it is pressed.
   * @param {string} text
   */
  async ask(text) {
    if (this.#isAgreed) return;
    const button = make("button", { type: "button", textContent: text });
    this.#box.append(button);
    this.#box.hidden = false;
    await new Promise((resolve) => button.addEventListener("click", resolve));
    this.#isAgreed = true;
    button.remove();
  }
}

const bar = new Bar();

/** Keeps what is fetched for the next visit, where a page is served securely. */
async function keep() {
  try {
    const workers = navigator.serviceWorker;
    if (workers.controller) return;
    const controls = new Promise((resolve) => workers.addEventListener("controllerchange", resolve));
    await workers.register(new URL("sw.js", SITE));
    await Promise.race([controls, new Promise((resolve) => setTimeout(resolve, 1000))]);
    const had = performance.getEntriesByType("resource").map(({ name }) => name);
    for (const url of [location.href, ...had]) fetch(url); // of this page, which came before the worker
  } catch { /* then the browser keeps what it likes */ }
}

/** @type {Promise<any> | null} */
let begun = null;

/** What build.py has written, once the reader agrees to what it takes to load it. */
function begin() {
  begun ??= ask().catch((error) => {
    begun = null;
    throw error;
  });
  return begun;
}

async function ask() {
  await keep();
  const answer = await fetch(new URL("assets/live/index.json", SITE), { cache: "no-cache" });
  if (!answer.ok) throw new Error(`${answer.url} is not there`);
  const index = await answer.json();
  const { saveData, effectiveType } = /** @type {any} */ (navigator).connection ?? {};
  if (saveData || SLOW.includes(effectiveType)) {
    await bar.ask(`Let this page live: load Python, ${megabytes(index.size)} MB, once`);
  }
  return index;
}

/** @type {WebAssembly.Module | undefined} */
let compiled; // by the first worker, for those that come after it

/**
 * One Python, and which message it is at.
 * @typedef {object} Listener
 * @property {() => void} started
 * @property {(told: Told) => void} told
 * @property {(sent: Sent, failed: string) => void} done with a message; failed is a traceback, or empty
 * @property {(sent: Sent | undefined, why: string, isOver: boolean) => void} died at this message
 */
class Python {
  #starts = 0;
  /** @type {Worker | null} */
  #worker = null;
  /** @type {Sent[]} */
  #sent = []; // and not answered
  #clock = setInterval(() => this.#look(), LOOK_EVERY);
  isReady = false;

  /**
   * @param {any} index
   * @param {Listener} listener
   * @param {boolean} isReaders whether it runs what a reader writes: started as often as that stops it, never kept
   */
  constructor(index, listener, isReaders) {
    this.index = index;
    this.listener = listener;
    this.isReaders = isReaders;
    this.start();
  }

  /** Starts it, once more if it has died. */
  start() {
    this.#starts += 1;
    this.#worker = new Worker(new URL(`assets/live/${this.index.worker}`, SITE));
    this.#worker.onmessage = ({ data }) => this.#hear(data);
    this.#worker.onerror = () => this.#die({ died: "its script could not be loaded", cut: true });
    this.#worker.postMessage({ site: SITE.href, index: this.index, module: compiled, isKept: !this.isReaders });
  }

  /**
   * Calls a function of Python's.
   * @param {string} run
   * @param {number} patience
   * @param {[id: string, ...rest: unknown[]]} values
   */
  send(run, patience, ...values) {
    this.#sent.push({ id: values[0], patience, looks: 0 });
    this.#worker?.postMessage({ run, with: values });
  }

  /** Ends it, whatever it is at. */
  stop() {
    this.#die({ died: STOPPED });
  }

  /** @param {FromWorker} told */
  #hear(told) {
    if ("loaded" in told) {
      if (!compiled) bar.count(told, LOADS);
    } else if ("started" in told) {
      compiled = told.module;
      this.isReady = true;
      bar.say("");
      this.listener.started();
    } else if ("done" in told) {
      if (told.failed) console.error(told.failed);
      this.listener.done(/** @type {Sent} */ (this.#sent.shift()), told.failed);
    } else if ("died" in told) this.#die(told);
    else this.listener.told(told);
  }

  #look() {
    const [first] = this.#sent;
    if (this.isReady && first && ++first.looks > first.patience) this.#die({ died: ENDLESS });
  }

  /** @param {Died} told */
  #die({ died, cut }) {
    const [first] = this.#sent, isTooOften = this.#starts >= MOST_STARTS && !this.isReaders;
    const isOver = !this.isReady || isTooOften;
    if (this.#worker) this.#worker.onmessage = null; // what is under way comes too late
    this.#worker?.terminate();
    this.isReady = false;
    this.#sent = [];
    bar.say(isOver ? "" : AGAIN);
    if (isOver) clearInterval(this.#clock);
    this.listener.died(first, cut ? CUT : lastLine(died), isOver);
  }
}

export { bar, begin, CUT, ENDLESS, lastLine, Python, STOPPED };
