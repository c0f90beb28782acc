// Python in a worker: how it is fetched, started, asked, given up and started again.

import { make } from "../../../posviz/pictures/elements.js";
/** @import { End, FromWorker, Index, Listener, Pending, Progress } from "./messages.d.ts" */

const SITE = new URL(".", document.baseURI);
const LOOK_EVERY = 1000; // milliseconds
const MOST_STARTS = 5; // of the pictures' Python on one page
const SLOW = ["slow-2g", "2g", "3g"];
const LOADS = "Python is loading, once.";
const AGAIN = "Python stopped, and starts again.";
const CUT = "No network.";
const STOPPED = "its reader has stopped it";
const ENDLESS = "it did not answer";

const megabytes = (/** @type {number} */ bytes) => Math.round(bytes / 1e6);
const lastLine = (/** @type {string} */ traceback) => traceback.trim().split("\n").pop() ?? "";

/** The notice about Python as a whole, at the lower edge of the page. */
class Bar {
  #text = make("span", { role: "status" });
  #numbers = make("span", { ariaHidden: "true" });
  #progress = make("progress", { ariaLabel: "Python is loading" });
  #box = make("aside", { className: "posviz-loading", ariaLabel: "Python", hidden: true }, this.#text, this.#numbers, this.#progress);

  constructor() {
    document.body.append(this.#box);
  }

  /** @param {string} text which is empty when there is nothing more to say */
  say(text) {
    this.#box.hidden = !text;
    if (this.#text.textContent !== text) this.#text.textContent = text;
    this.#numbers.textContent = "";
    this.#progress.hidden = true;
  }

  count(/** @type {Progress} */ { loaded, of }) {
    this.say(LOADS);
    this.#numbers.textContent = `${megabytes(loaded)} of ${megabytes(of)} MB`;
    Object.assign(this.#progress, { hidden: false, max: of, value: loaded });
  }

  /** Asks with a button, and returns when it is pressed. */
  async ask(/** @type {string} */ text) {
    const button = make("button", {}, text);
    this.#box.append(button);
    this.#box.hidden = false;
    await new Promise((resolve) => { button.onclick = resolve; });
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

let index = /** @type {Promise<Index>?} */ (null), isAgreed = false;

/** What build.py has written, once the reader agrees to what it takes to load it. */
function begin() {
  index ??= ask().catch((error) => {
    index = null;
    throw error;
  });
  return index;
}

async function ask() {
  keep();
  const answer = await fetch(new URL("assets/live/index.json", SITE), { cache: "no-cache" });
  if (!answer.ok) throw new Error(`${answer.url} is not there`);
  const index = await answer.json();
  const { saveData, effectiveType } = /** @type {any} */ (navigator).connection ?? {};
  if (!isAgreed && (saveData || SLOW.includes(effectiveType))) {
    await bar.ask(`Let this page live: load Python, ${megabytes(index.size)} MB, once`);
  }
  isAgreed = true;
  return index;
}

let isFirst = true; // a page's Python, which is loaded
let begins = () => {};
const begun = new Promise((resolve) => { begins = () => resolve(undefined); }); // the script of a worker runs

/** One Python, and which message it is at. @template Message what it tells */
class Python {
  #starts = 0;
  /** @type {Worker | undefined} */ #worker;
  /** @type {Pending[]} */ #sent = [];
  #clock = setInterval(() => this.#look(), LOOK_EVERY);
  isReady = false;

  /** `isReaders`: it runs what a reader writes, is started as often as that stops it, and never kept.
   * @param {Index} index @param {Listener<Message>} listener @param {boolean} isReaders */
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
    this.#worker.postMessage({ site: SITE.href, index: this.index, isKept: !this.isReaders });
  }

  /** Calls a function of Python's.
   * @param {string} run @param {number} patience @param {[id: string, ...unknown[]]} values */
  send(run, patience, ...values) {
    this.#sent.push({ id: values[0], patience, looks: 0 });
    this.#worker?.postMessage({ run, with: values });
  }

  /** Ends it, whatever it is at. */
  stop() {
    this.#die({ died: STOPPED });
  }

  #hear(/** @type {FromWorker<Message>} */ told) { // what worker.js tells
    if ("loaded" in told) {
      if (isFirst && told.loaded) bar.count(told);
      begins();
    } else if ("started" in told) {
      isFirst = false;
      this.isReady = true;
      bar.say("");
      this.listener.started();
    } else if ("done" in told) {
      if (told.failed) console.error(told.failed);
      this.listener.done(/** @type {Pending} */ (this.#sent.shift()), told.failed);
    } else if ("died" in told) this.#die(told);
    else this.listener.told(told);
  }

  #look() {
    const [first] = this.#sent;
    if (!this.isReady || !first) return;
    first.looks += 1;
    if (first.looks > first.patience) this.#die({ died: ENDLESS });
  }

  #die(/** @type {End} */ { died, cut = false }) {
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

export { bar, begin, begun, CUT, ENDLESS, lastLine, Python, STOPPED };
