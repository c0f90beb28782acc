// Lets the stored pictures of a page live: Python in a worker answers each as a kernel does.

import { make } from "../../../posviz/pictures/elements.js";
import explorer from "../../../posviz/pictures/explorer.js";
import { bar, begin, CUT, lastLine, Python } from "./python.js";
/** @import { Address, Bytes, ExplorerShown } from "../../../posviz/pictures/protocol.d.ts" */
/** @import { FromPython, Index, Pending, PictureMessage, Values } from "./messages.d.ts" */
/** @typedef {{ of: string, values: Values }} Visit how a reader left a place */
/** @typedef {(message: any, buffers: Bytes[]) => void} Listen */
/** @typedef {(message: Address) => void} Send */

const PATIENCE = { hear: 10, open: 60, export: 600 }; // seconds
const NARROW = "(max-width: 560px), (max-height: 500px)"; // a telephone, on its side, too
const STARTS = "Python starts …";
const how = document.documentElement.dataset.serve ?? "give posviz the option --open";
const SERVE = `This picture moves when a web server serves the folder: ${how}.`;
const KEPT = `posviz ${location.pathname}`; // how a reader left this page, for a reload and for the way back
const TOO_OLD = "This picture stays still, because this browser has no WebAssembly for Python.";

const stopped = (/** @type {string} */ why) => `This picture stays still, because Python stopped: ${why}.`;

/** A picture's place on the page: the stored one, then what explorer.js draws. */
class Place {
  /** @type {Listen | undefined} */ #listener; // of explorer.js
  #stage = make("div");
  #end = () => {};
  #note = make("p", { className: "posviz-note", role: "status" });

  /** @param {HTMLElement} el @param {number} number @param {Visit} [kept] */
  constructor(el, number, kept) {
    this.el = el;
    this.id = String(number);
    this.name = `${el.dataset.picture} ${el.dataset.values}`;
    this.style = matchMedia(NARROW).matches && !el.closest(".reveal") ? "paper" : "notebook";
    el.classList.toggle("posviz-narrow", this.style === "paper");
    this.made = JSON.parse(el.dataset.values ?? "{}");
    this.values = this.made;
    if (kept?.of === this.name) this.values = kept.values;
    this.still = /** @type {HTMLElement} */ (el.querySelector(".posviz-still"));
    if (!el.closest(".reveal")) this.#reserve();
  }

  /** Keeps the room that the living picture will take, and shows its controls, which wait for Python:
   * nothing below moves when it comes. */
  #reserve() {
    const { el, still } = this, shown = JSON.parse(el.dataset.shown ?? "null");
    if (!shown) return;
    const stage = make("div"), nothing = () => {};
    el.append(stage);
    still.hidden = true;
    const model = { get: () => shown, on: nothing, off: nothing, send: nothing };
    const end = explorer.render({ el: stage, model });
    const [width, height] = this.style === "paper" ? shown.paper : shown.css;
    const canvas = /** @type {HTMLCanvasElement} */ (stage.querySelector("canvas"));
    Object.assign(canvas, { width, height });
    canvas.style.width = `${width}px`;
    const caption = /** @type {HTMLElement} */ (stage.querySelector("figcaption"));
    caption.textContent = still.querySelector("figcaption")?.textContent ?? "";
    const { boxSizing } = getComputedStyle(el);
    el.style.minHeight = `${boxSizing === "border-box" ? el.offsetHeight : stage.offsetHeight}px`;
    end();
    stage.querySelector("figure")?.remove();
    stage.inert = true;
    if (stage.classList.contains("posviz-beside")) stage.remove();
    else still.before(stage);
    this.#stage = stage;
    still.hidden = false;
  }

  /** What another visit begins with. */
  kept() {
    return { of: this.name, values: this.values };
  }

  /** Shows the stored picture, and why it does not move.
   * @param {string} why @param {() => void} [again] what a button tries */
  stay(why, again) {
    this.rest();
    this.#stage.remove();
    this.still.hidden = false;
    this.#note.textContent = why;
    if (again) this.#note.append(" ", make("button", { onclick: again }, "Try again"));
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
  }

  /** @param {PictureMessage} message @param {Bytes[]} buffers @param {Send} send @param {() => void} drawn */
  hear(message, buffers, send, drawn) {
    if ("shown" in message) this.#draw(message.shown, send, drawn);
    else if ("values" in message) this.values = message.values;
    else if (message.error && this.#stage.hidden) { // before the first frame
      this.stay(`This picture stays still: ${message.error}`);
      drawn();
    } else this.#listener?.(message, buffers);
  }

  #draw(/** @type {ExplorerShown} */ shown, /** @type {Send} */ send, /** @type {() => void} */ drawn) {
    const stage = make("div", { hidden: true }), before = this.#stage;
    const first = this.el.dataset.knobs?.split(" "); // at first sight; else as the picture has it
    for (const control of shown.controls) control.first = first?.includes(control.name) ?? control.first;
    this.#stage = stage;
    this.still.before(stage);
    /** @type {(event: string, listener?: Listen) => void} */
    const on = (event, listener) => { if (event === "msg:custom") this.#listener = listener; };
    const off = (/** @type {string} */ event) => on(event, undefined);
    this.#end = explorer.render({ el: stage, model: { get: () => shown, on, off, send } });
    const canvas = /** @type {HTMLCanvasElement} */ (stage.querySelector("canvas"));
    new MutationObserver((_, observer) => {
      observer.disconnect();
      stage.hidden = false;
      this.still.hidden = true;
      before.remove();
      this.el.dataset.alive = "true";
      drawn();
    }).observe(canvas, { attributeFilter: ["data-frame"] });
  }
}

/** The pictures that live on this page, and their Python. */
class Pictures {
  /** @type {Map<string, Place>} */ #open = new Map(); // by id
  /** @type {Place[]} */ #waiting = []; // one is opened at a time: between two, readers are answered
  #opening = "";

  /** `over` is called with places, and why, when Python is not started again.
   * @param {Index} index @param {(places: Place[], why: string) => void} over */
  constructor(index, over) {
    this.over = over;
    this.python = new Python(index, {
      started: () => bar.say(this.#opening && STARTS), // until a picture lives
      told: (/** @type {FromPython<PictureMessage>} */ told) => this.#pass(told),
      done: ({ id, patience }, failed) => {
        if (failed && patience === PATIENCE.open) this.#leave(id, lastLine(failed));
      },
      died: (sent, why, isOver) => this.#revive(sent, why, isOver),
    }, false);
  }

  open(/** @type {Place} */ place) {
    this.#waiting.push(place);
    this.#openNext();
  }

  #openNext() {
    if (this.#opening) return;
    const away = (/** @type {Place} */ { el }) => Math.abs(el.getBoundingClientRect().top - innerHeight / 2);
    const place = this.#waiting.sort((one, other) => away(one) - away(other)).shift();
    if (!place) return;
    const { id, el, made, values, style } = place;
    this.#opening = id;
    this.#open.set(id, place);
    this.python.send("session.open_explorer", PATIENCE.open, id, el.dataset.picture, made, values, style);
  }

  /** Forgets a place that is no longer on the page. */
  close(/** @type {Place} */ { id }) {
    this.#waiting = this.#waiting.filter((place) => place.id !== id);
    if (this.#open.delete(id)) this.python.send("session.close", PATIENCE.hear, id);
    this.#opened(id);
  }

  #pass(/** @type {FromPython<PictureMessage>} */ { id, message, buffers }) {
    const send = (/** @type {Address} */ out) =>
      this.python.send("session.hear", out.part === "export" ? PATIENCE.export : PATIENCE.hear, id, out);
    this.#open.get(id)?.hear(message, buffers, send, () => this.#opened(id));
  }

  #opened(/** @type {string} */ id) {
    if (this.#opening !== id) return;
    bar.say("");
    this.#opening = "";
    this.#openNext();
  }

  #leave(/** @type {string} */ id, /** @type {string} */ why) {
    this.#open.get(id)?.stay(`This picture stays still: ${why}`);
    this.#open.delete(id);
    this.#opened(id);
  }

  #revive(/** @type {Pending | undefined} */ sent, /** @type {string} */ why, /** @type {boolean} */ isOver) {
    this.#opening = "";
    for (const place of this.#open.values()) place.rest();
    if (isOver) return this.over([...this.#open.values(), ...this.#waiting.splice(0)], why === CUT ? CUT : stopped(why));
    if (sent?.patience === PATIENCE.open) this.#leave(sent.id, `Python stopped, ${why}`);
    this.#waiting.unshift(...this.#open.values());
    this.python.start();
    this.#openNext();
  }
}

/** How a reader left each place; nothing at first, or where nothing may be kept. @returns {Visit[]} */
function lastVisit() {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT) ?? "[]");
  } catch {
    return [];
  }
}

const LIVING = ".posviz-live:has(> .posviz-still)"; // all, but for hand-written HTML
const isAble = ["WebAssembly", "DecompressionStream", "Worker"].every((name) => name in globalThis);
const willLive = isAble && location.protocol !== "file:", last = willLive ? lastVisit() : [];
let made = 0; // places, of this page so far
const places = /** @type {Map<Element, Place>} */ (new Map()); // by element
const left = /** @type {Set<Place>} */ (new Set()); // places that stay still until Python is tried again
let pictures = /** @type {Promise<Pictures>?} */ (null);

function over(/** @type {Place[]} */ stayed, /** @type {string} */ why) {
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

function open(/** @type {Place} */ place) {
  pictures ??= begin().then((index) => new Pictures(index, over));
  pictures.then((living) => living.open(place)).catch((error) =>
    over([place], error instanceof TypeError ? CUT : stopped(error.message))); // fetch's own error
}

const observer = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    observer.unobserve(target);
    const place = places.get(target);
    if (place) open(place);
  }
}, { rootMargin: "100%" });

/** Lets the pictures in an element live, and forgets those that have left the page. */
function adopt(/** @type {ParentNode} */ root) {
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
    if (willLive) {
      places.set(el, place);
      observer.observe(el);
    } else place.stay(isAble ? SERVE : TOO_OLD);
  }
}

adopt(document);
if (places.size) {
  addEventListener("online", again);
  addEventListener("pagehide", () => {
    sessionStorage.setItem(KEPT, JSON.stringify([...places.values()].map((place) => place.kept())));
  });
}

export { adopt, NARROW, willLive };
