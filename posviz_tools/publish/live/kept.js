// What a reader has written, chosen and been told on a page, kept in the browser by the ids of cells.
/** @import { Result } from "./messages.d.ts" */

const MOST = 40_000; // letters of an output: a browser keeps five million for all pages

const nothing = () => ({ sources: {}, chosen: {}, results: {} });

class Kept extends EventTarget {
  /** @type {Record<string, string>} */ sources = {};
  /** @type {Record<string, number>} */ chosen = {};
  /** @type {Record<string, Result>} */ results = {};
  #key;

  /** @param {string} page its path */
  constructor(page) {
    super();
    this.#key = `posviz answers ${page}`;
    this.#read();
    addEventListener("storage", ({ key }) => { if (key === this.#key) this.#read(); }); // another tab has written
  }

  #read() {
    try {
      Object.assign(this, nothing(), JSON.parse(localStorage.getItem(this.#key) ?? "{}"));
    } catch { /* nothing may be kept, or it was another's */ }
  }

  get isEmpty() {
    return !Object.keys({ ...this.sources, ...this.chosen, ...this.results }).length;
  }

  /** Keeps a cell's source, or nothing where it is as it was stored; returns whether it could be kept. */
  write(/** @type {string} */ id, /** @type {string | undefined} */ source) {
    return this.#save(() => {
      if (source === undefined) delete this.sources[id];
      else this.sources[id] = source;
    });
  }

  choose(/** @type {string} */ question, /** @type {number} */ choice) {
    this.#save(() => { this.chosen[question] = choice; });
  }

  /** Keeps what a cell shows, or nothing where it is no longer what its source gives. */
  tell(/** @type {string} */ id, /** @type {Result | undefined} */ result) {
    this.#save(() => {
      if (result && result.html.length < MOST) this.results[id] = result;
      else delete this.results[id];
    });
  }

  /** How many checks have said that an answer is right. */
  get solved() {
    return Object.values(this.results).filter(({ html }) => html.includes("<strong>✓")).length;
  }

  forget() {
    this.#save(() => Object.assign(this, nothing()));
  }

  /** `change`s what is kept now, by any tab. */
  #save(/** @type {() => void} */ change) {
    this.#read();
    change();
    try {
      const { sources, chosen, results } = this;
      localStorage.setItem(this.#key, JSON.stringify({ sources, chosen, results }));
      return true;
    } catch {
      return false; // it lasts as long as the page
    } finally {
      this.dispatchEvent(new Event("change"));
    }
  }
}

const kept = new Kept(location.pathname);

export { Kept, kept };
