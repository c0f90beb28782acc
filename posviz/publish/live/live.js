// @ts-check
// Lets the stored pictures of a page live: Python in a worker answers each as a kernel does.

import { make } from "../../pictures/elements.js";
import explorer from "../../pictures/explorer.js";
import { bar, begin, CUT, lastLine, Python } from "./python.js";

/** @import { Bytes, ExplorerShown, FromExplorer, ToExplorer } from "../../pictures/protocol.d.ts" */

/** @typedef {{ of: string, height: number, values: unknown }} Kept of one visit for the next */

const PATIENCE = { hear: 10, open: 60, export: 600 }; // seconds
const NARROW = "(max-width: 560px), (max-height: 500px)"; // a telephone, on its side, too
const STARTS = "Python starts …";
const how = document.documentElement.dataset.serve ?? "give posviz the option --open";
const SERVE = `This picture moves when a web server serves the folder: ${how}.`;
const KEPT = `posviz ${location.pathname}`; // how a reader left this page, for a reload and for the way back
const TOO_OLD = "This picture stays still, because this browser has no WebAssembly for Python.";

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
    const first = this.el.dataset.knobs?.split(" "); // at first sight; else as the picture has it
    for (const control of shown.controls) control.first = first?.includes(control.name) ?? control.first;
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
      // Who has not scrolled reads the page's title.
      if (scrollY > 0 && top < innerHeight && !this.el.style.minHeight) {
        const { top: edge } = this.el.getBoundingClientRect(), down = canvas.getBoundingClientRect().top - top;
        scrollBy({ top: top >= 0 ? Math.min(down, edge) : down, behavior: "instant" });
      }
      this.el.style.minHeight = "";
      this.el.dataset.alive = "true";
      drawn();
    }).observe(canvas, { attributeFilter: ["data-frame"] });
  }
}

/** The pictures that live on this page, and their Python. */
class Pictures {
  /** @type {Map<string, Place>} */
  #open = new Map();
  /** @type {Place[]} */
  #waiting = []; // one is opened at a time, so that what a reader moves is answered between two
  #opening = "";

  /**
   * @param {any} index
   * @param {(places: Place[], why: string) => void} over is called when Python is not started again
   */
  constructor(index, over) {
    this.over = over;
    this.python = new Python(index, {
      started: () => bar.say(this.#opening && STARTS), // until a picture lives
      told: (told) => this.#pass(told),
      done: ({ id, patience }, failed) => {
        if (failed && patience === PATIENCE.open) this.#leave(id, lastLine(failed));
      },
      died: (sent, why, isOver) => this.#revive(sent, why, isOver),
    }, false);
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
    const { id, el, made, values, style } = place;
    this.#opening = id;
    this.#open.set(id, place);
    this.python.send("session.open_explorer", PATIENCE.open, id, el.dataset.picture, made, values, style);
  }

  /** @param {Place} place that is no longer on the page */
  close({ id }) {
    this.#waiting = this.#waiting.filter((place) => place.id !== id);
    if (this.#open.delete(id)) this.python.send("session.close", PATIENCE.hear, id);
    this.#opened(id);
  }

  /** @param {{ id: string, message: any, buffers: Bytes[] }} told */
  #pass({ id, message, buffers }) {
    const send = (/** @type {ToExplorer} */ out) =>
      this.python.send("session.hear", out.part === "export" ? PATIENCE.export : PATIENCE.hear, id, out);
    this.#open.get(id)?.hear(message, buffers, send, () => this.#opened(id));
  }

  /** @param {string} id */
  #opened(id) {
    if (this.#opening !== id) return;
    bar.say("");
    this.#opening = "";
    this.#openNext();
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

  /**
   * @param {{ id: string, patience: number } | undefined} sent
   * @param {string} why
   * @param {boolean} isOver
   */
  #revive(sent, why, isOver) {
    this.#opening = "";
    for (const place of this.#open.values()) place.rest();
    if (isOver) return this.over([...this.#open.values(), ...this.#waiting.splice(0)], why === CUT ? CUT : stopped(why));
    if (sent?.patience === PATIENCE.open) this.#leave(sent.id, `Python stopped, ${why}`);
    this.#waiting.unshift(...this.#open.values());
    this.python.start();
    this.#openNext();
  }
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

const LIVING = ".posviz-live:has(> .posviz-still)"; // all, but for hand-written HTML
const isAble = "WebAssembly" in globalThis && "DecompressionStream" in globalThis && "Worker" in globalThis;
const willLive = isAble && location.protocol !== "file:";
const last = willLive ? lastVisit() : [];
let made = 0; // places, of this page so far
/** @type {Map<Element, Place>} */
const places = new Map();
/** @type {Set<Place>} */
const left = new Set(); // that stay still until Python is tried again
/** @type {Promise<Pictures> | null} */
let pictures = null;

/**
 * @param {Place[]} stayed
 * @param {string} why
 */
function over(stayed, why) {
  pictures = null;
  for (const place of stayed) {
    left.add(place);
    place.stay(why, again);
  }
}

function again() {
  const tried = [...left];
  left.clear();
  for (const place of tried) {
    place.rest();
    open(place);
  }
}

/** @param {Place} place */
function open(place) {
  pictures ??= begin().then((index) => new Pictures(index, over));
  pictures.then((living) => living.open(place)).catch((error) =>
    over([place], error instanceof TypeError ? CUT : stopped(error.message))); // fetch's own error
}

const observer = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    const place = places.get(target);
    if (!isIntersecting || !place) continue;
    observer.unobserve(target);
    open(place);
  }
}, { rootMargin: "100%" });

/**
 * Lets the pictures in an element live, and forgets those that have left the page.
 * @param {ParentNode} root
 */
function adopt(root) {
  for (const [el, place] of places) {
    if (el.isConnected) continue;
    places.delete(el);
    left.delete(place);
    place.rest();
    pictures?.then((living) => living.close(place));
  }
  for (const el of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll(LIVING))) {
    const place = new Place(el, made, last[made]);
    made += 1;
    if (!willLive) {
      place.stay(isAble ? SERVE : TOO_OLD);
      continue;
    }
    places.set(el, place);
    observer.observe(el);
  }
}

adopt(document);
if (places.size) {
  addEventListener("online", again);
  addEventListener("pagehide", () => {
    sessionStorage.setItem(KEPT, JSON.stringify([...places.values()].map((place) => place.kept())));
  });
}

export { adopt };
