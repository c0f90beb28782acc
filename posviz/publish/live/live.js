// @ts-check
// Lets the stored pictures of a page live: Python in a worker answers each as a kernel does.

import { make } from "../../pictures/elements.js";
import explorer from "../../pictures/explorer.js";

/** @import { Bytes, ExplorerShown, FromExplorer, ToExplorer } from "../../pictures/protocol.d.ts" */

/**
 * What worker.js tells.
 * @typedef {{ loaded: number, of: number }} Loading
 * @typedef {{ died: string, cut?: boolean }} Died cut: it could not be fetched
 * @typedef {{ of: string, height: number, values: unknown }} Kept of one visit for the next
 * @typedef {{ id: string, message: any, buffers: Bytes[] }} Told
 * @typedef {Loading | { started: true } | { done: string, failed: string } | Died | Told} FromWorker
 */

const SITE = new URL(".", document.baseURI);
const LOOK_EVERY = 1000; // milliseconds
const PATIENCE = { hear: 10, open: 60, export: 600 }; // looks at the same message, until it is given up
const MOST_STARTS = 5; // of Python on one page
const NARROW = "(max-width: 560px), (max-height: 500px)"; // a telephone, on its side, too
const SLOW = ["slow-2g", "2g", "3g"];
const STARTS = "Python starts …";
const AGAIN = "Python stopped, and starts again.";
const CUT = "No network.";
const SERVE = "This picture moves when its folder is served: run posviz site --open.";
const KEPT = `posviz ${location.pathname}`; // how a reader left this page, for a reload and for the way back
const TOO_OLD = "This picture stays still, because this browser has no WebAssembly for Python.";

/** @param {number} bytes */
const megabytes = (bytes) => Math.round(bytes / 1e6);

/** @param {string} traceback */
const lastLine = (traceback) => traceback.trim().split("\n").pop() ?? "";

/** @param {string} why */
const stopped = (why) => `This picture stays still, because Python stopped: ${why}.`;

/** A picture's place on the page: the stored one, then what explorer.js draws. */
class Place {
  /** @type {Set<(message: FromExplorer, buffers?: Bytes[]) => void>} */
  #listeners = new Set();
  #stage = make("div");
  /** @type {() => void} */
  #end = () => {};
  #note = make("p", { className: "posviz-note" }, { role: "status" });

  /**
   * @param {HTMLElement} el
   * @param {number} number
   * @param {Kept} [kept] how a reader left it
   */
  constructor(el, number, kept) {
    this.el = el;
    this.id = String(number);
    this.style = matchMedia(NARROW).matches && !el.closest(".reveal") ? "paper" : "notebook";
    el.classList.toggle("posviz-narrow", this.style === "paper");
    this.made = JSON.parse(el.dataset.values ?? "{}");
    const found = kept?.of === this.#name() ? kept : { values: this.made, height: 0 };
    this.values = found.values;
    if (found.height) el.style.minHeight = `${found.height}px`;
    this.still = /** @type {HTMLElement} */ (el.querySelector(".posviz-still"));
  }

  #name() {
    return `${this.el.dataset.picture} ${this.el.dataset.values}`;
  }

  /**
   * What another visit begins with: the height is that of the living picture.
   * @returns {Kept}
   */
  kept() {
    const height = this.el.dataset.alive === "true" ? this.el.offsetHeight : parseFloat(this.el.style.minHeight) || 0;
    return { of: this.#name(), height, values: this.values };
  }

  /**
   * Shows the stored picture, and why it does not move.
   * @param {string} why
   * @param {() => void} [again] what a button tries
   */
  stay(why, again) {
    this.rest();
    this.#stage.remove();
    this.still.hidden = false;
    this.#note.textContent = why;
    if (again) {
      const button = make("button", { type: "button", textContent: "Try again" });
      button.addEventListener("click", again);
      this.#note.append(" ", button);
    }
    this.still.after(this.#note);
    this.el.dataset.alive = "false";
    this.el.style.minHeight = "";
  }

  /** Ends what is drawn, which stays to be seen until it is drawn anew. */
  rest() {
    this.el.dataset.alive = "soon";
    this.#note.remove();
    this.#end();
    this.#end = () => {};
    this.#listeners.clear();
  }

  /**
   * @param {any} message
   * @param {Bytes[]} buffers
   * @param {(message: ToExplorer) => void} send
   * @param {() => void} drawn
   */
  hear(message, buffers, send, drawn) {
    if ("shown" in message) this.#draw(message.shown, send, drawn);
    else if ("values" in message) this.values = message.values;
    else if (message.error && this.#stage.hidden) { // before the first frame
      this.stay(`This picture stays still: ${message.error}`);
      drawn();
    } else for (const listener of this.#listeners) listener(message, buffers);
  }

  /**
   * @param {ExplorerShown} shown
   * @param {(message: ToExplorer) => void} send
   * @param {() => void} drawn
   */
  #draw(shown, send, drawn) {
    const stage = make("div", { hidden: true }), before = this.#stage;
    this.#stage = stage;
    this.still.before(stage);
    const isCustom = (/** @type {string} */ event) => event === "msg:custom";
    this.#end = explorer.render({
      el: stage,
      model: {
        get: () => /** @type {any} */ (shown),
        on: (event, listener) => { if (isCustom(event)) this.#listeners.add(listener); },
        off: (event, listener) => { if (isCustom(event)) this.#listeners.delete(listener); },
        send,
      },
    });
    const canvas = /** @type {HTMLCanvasElement} */ (stage.querySelector("canvas"));
    new MutationObserver((_, observer) => {
      observer.disconnect();
      const seen = before.isConnected ? before.querySelector("canvas") : this.still.querySelector("img");
      const { top } = (seen ?? this.still).getBoundingClientRect();
      stage.hidden = false;
      this.still.hidden = true;
      before.remove();
      // Controls grow over the picture: it stays where a reader looks at it, but they are seen, too.
      if (top < innerHeight && !this.el.style.minHeight) {
        const { top: edge } = this.el.getBoundingClientRect(), down = canvas.getBoundingClientRect().top - top;
        scrollBy({ top: top >= 0 ? Math.min(down, edge) : down, behavior: "instant" });
      }
      this.el.style.minHeight = "";
      this.el.dataset.alive = "true";
      drawn();
    }).observe(canvas, { attributeFilter: ["data-frame"] });
  }
}

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

/** Python in its worker, and which message it is at. */
class Python {
  #starts = 0;
  /** @type {Worker | null} */
  #worker = null;
  #ready = false;
  /** @type {{ id: string, kind: keyof typeof PATIENCE, looks: number }[]} */
  #sent = []; // and not answered
  /** @type {Map<string, Place>} */
  #open = new Map();
  /** @type {Place[]} */
  #waiting = []; // one is opened at a time, so that what a reader moves is answered between two
  #opening = "";
  #clock = setInterval(() => this.#look(), LOOK_EVERY);

  /**
   * @param {any} index
   * @param {Bar} bar
   * @param {(places: Place[], why: string) => void} over is called when it is not started again
   */
  constructor(index, bar, over) {
    this.index = index;
    this.bar = bar;
    this.over = over;
    this.#start();
  }

  #start() {
    this.#starts += 1;
    this.#worker = new Worker(new URL(`assets/live/${this.index.worker}`, SITE));
    this.#worker.onmessage = ({ data }) => this.#hear(data);
    this.#worker.onerror = () => this.#die({ died: "its script could not be loaded", cut: true });
    this.#worker.postMessage({ site: SITE.href, index: this.index });
  }

  /** @param {Place} place */
  open(place) {
    this.#waiting.push(place);
    this.#openNext();
  }

  #openNext() {
    if (this.#opening) return;
    const middle = innerHeight / 2;
    const away = (/** @type {Place} */ { el }) => Math.abs(el.getBoundingClientRect().top - middle);
    this.#waiting.sort((one, other) => away(one) - away(other));
    const place = this.#waiting.shift();
    if (!place) return;
    this.#opening = place.id;
    this.#open.set(place.id, place);
    this.#send(place.id, "open", "open_explorer", place.el.dataset.picture, place.made, place.values, place.style);
  }

  /**
   * @param {string} id
   * @param {keyof typeof PATIENCE} kind
   * @param {string} run
   * @param {unknown[]} rest
   */
  #send(id, kind, run, ...rest) {
    this.#sent.push({ id, kind, looks: 0 });
    this.#worker?.postMessage({ run, with: [id, ...rest] });
  }

  /** @param {FromWorker} told */
  #hear(told) {
    if ("loaded" in told) this.bar.count(told, this.#starts > 1 ? AGAIN : "Python is loading, once.");
    else if ("started" in told) {
      this.#ready = true;
      this.bar.say(this.#opening && STARTS); // until a picture lives
    } else if ("done" in told) this.#finish(told);
    else if ("died" in told) this.#die(told);
    else this.#pass(told);
  }

  /** @param {Told} told */
  #pass({ id, message, buffers }) {
    const send = (/** @type {ToExplorer} */ out) =>
      this.#send(id, out.part === "export" ? "export" : "hear", "hear", out);
    this.#open.get(id)?.hear(message, buffers, send, () => this.#opened(id));
  }

  /** @param {string} id */
  #opened(id) {
    if (this.#opening !== id) return;
    this.bar.say("");
    this.#opening = "";
    this.#openNext();
  }

  /** @param {{ done: string, failed: string }} told */
  #finish({ done, failed }) {
    const sent = this.#sent.shift();
    if (!failed) return;
    console.error(failed);
    if (sent?.kind === "open") this.#leave(done, lastLine(failed));
  }

  /**
   * @param {string} id
   * @param {string} why
   */
  #leave(id, why) {
    this.#open.get(id)?.stay(`This picture stays still: ${why}`);
    this.#open.delete(id);
    this.#opened(id);
  }

  #look() {
    const [first] = this.#sent;
    if (this.#ready && first && ++first.looks > PATIENCE[first.kind]) this.#die({ died: "it did not answer" });
  }

  /** @param {Died} told */
  #die({ died: why, cut }) {
    const [first] = this.#sent, wasReady = this.#ready;
    if (this.#worker) this.#worker.onmessage = null; // what is under way comes too late
    this.#worker?.terminate();
    this.#ready = false;
    this.#sent = [];
    this.#opening = "";
    for (const place of this.#open.values()) place.rest();
    if (first?.kind === "open" && wasReady) this.#leave(first.id, `Python stopped, ${why}`);
    if (!wasReady || this.#starts === MOST_STARTS) return this.#giveUp(cut ? CUT : stopped(lastLine(why)));
    this.bar.say(AGAIN);
    this.#waiting.unshift(...this.#open.values());
    this.#start();
    this.#openNext();
  }

  /** @param {string} why */
  #giveUp(why) {
    clearInterval(this.#clock);
    this.bar.say("");
    this.over([...this.#open.values(), ...this.#waiting.splice(0)], why);
  }
}

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

/**
 * @param {Bar} bar
 * @param {(places: Place[], why: string) => void} over
 */
async function start(bar, over) {
  await keep();
  const answer = await fetch(new URL("assets/live/index.json", SITE), { cache: "no-cache" });
  if (!answer.ok) throw new Error(`${answer.url} is not there`);
  const index = await answer.json();
  const { saveData, effectiveType } = /** @type {any} */ (navigator).connection ?? {};
  if (saveData || SLOW.includes(effectiveType)) {
    await bar.ask(`Let the pictures move: load Python, ${megabytes(index.size)} MB, once`);
  }
  return new Python(index, bar, over);
}

/**
 * How a reader left the places of this page: nothing at the first visit, or where nothing may be kept.
 * @returns {Kept[]}
 */
function lastVisit() {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT) ?? "[]");
  } catch {
    return [];
  }
}

/** @param {Place[]} places */
function watch(places) {
  const bar = new Bar();
  /** @type {Promise<Python> | null} */
  let python = null;
  /** @type {Set<Place>} */
  const left = new Set(); // that stay still until Python is tried again
  /** @type {(places: Place[], why: string) => void} */
  const over = (places, why) => {
    python = null;
    for (const place of places) {
      left.add(place);
      place.stay(why, again);
    }
  };
  const again = () => {
    const tried = [...left];
    left.clear();
    for (const place of tried) {
      place.rest();
      open(place);
    }
  };
  /** @param {Place} place */
  const open = (place) => {
    python ??= start(bar, over);
    python.then((started) => started.open(place)).catch((error) =>
      over([place], error instanceof TypeError ? CUT : stopped(error.message))); // fetch's own error
  };
  const observer = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      observer.unobserve(target);
      open(/** @type {Place} */ (places.find(({ el }) => el === target)));
    }
  }, { rootMargin: "100%" });
  for (const { el } of places) observer.observe(el);
  addEventListener("online", again);
  addEventListener("pagehide", () => {
    sessionStorage.setItem(KEPT, JSON.stringify(places.map((place) => place.kept())));
  });
}

/** @type {NodeListOf<HTMLElement>} */
const living = document.querySelectorAll(".posviz-live:has(> .posviz-still)"); // all, but for hand-written HTML
const able = "WebAssembly" in globalThis && "DecompressionStream" in globalThis && "Worker" in globalThis;
const willLive = able && location.protocol !== "file:";
const places = [...living].map((el, number) => new Place(el, number, willLive ? lastVisit()[number] : undefined));
if (!willLive) {
  for (const place of places) place.stay(able ? SERVE : TOO_OLD);
} else if (places.length) watch(places);
