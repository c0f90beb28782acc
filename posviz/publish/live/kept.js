// @ts-check
// What a reader has written and chosen on this page, kept in the browser by the ids of cells.

const KEY = `posviz answers ${location.pathname}`;

class Kept extends EventTarget {
  /** @type {Record<string, string>} */
  sources = {};
  /** @type {Record<string, number>} */
  chosen = {};

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
    return !Object.keys(this.sources).length && !Object.keys(this.chosen).length;
  }

  /**
   * @param {string} id of a cell
   * @param {string | undefined} source nothing where it is as it was stored
   * @returns whether it could be kept
   */
  write(id, source) {
    return this.#save(() => {
      if (source === undefined) delete this.sources[id];
      else this.sources[id] = source;
    });
  }

  /**
   * @param {string} question
   * @param {number} choice
   */
  choose(question, choice) {
    this.#save(() => { this.chosen[question] = choice; });
  }

  forget() {
    this.#save(() => Object.assign(this, { sources: {}, chosen: {} }));
  }

  /** @param {() => void} change to what is kept now, by any tab */
  #save(change) {
    this.#read();
    change();
    const { sources, chosen } = this;
    try {
      localStorage.setItem(KEY, JSON.stringify({ sources, chosen }));
    } catch {
      return false; // it lasts as long as the page
    } finally {
      this.dispatchEvent(new Event("change"));
    }
    return true;
  }
}

const kept = new Kept();

export { kept };
