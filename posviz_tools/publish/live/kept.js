// What a reader has written and chosen on this page, kept in the browser by the ids of cells.

const KEY = `posviz answers ${location.pathname}`;

class Kept extends EventTarget {
  /** @type {Record<string, string>} */ sources = {};
  /** @type {Record<string, number>} */ chosen = {};

  constructor() {
    super();
    this.#read();
    addEventListener("storage", ({ key }) => { if (key === KEY) this.#read(); }); // another tab has written
  }

  #read() {
    try {
      Object.assign(this, { sources: {}, chosen: {} }, JSON.parse(localStorage.getItem(KEY) ?? "{}"));
    } catch { /* nothing may be kept, or it was another's */ }
  }

  get isEmpty() {
    return !Object.keys({ ...this.sources, ...this.chosen }).length;
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

  forget() {
    this.#save(() => Object.assign(this, { sources: {}, chosen: {} }));
  }

  /** `change`s what is kept now, by any tab. */
  #save(/** @type {() => void} */ change) {
    this.#read();
    change();
    try {
      localStorage.setItem(KEY, JSON.stringify({ sources: this.sources, chosen: this.chosen }));
      return true;
    } catch {
      return false; // it lasts as long as the page
    } finally {
      this.dispatchEvent(new Event("change"));
    }
  }
}

const kept = new Kept();

export { kept };
