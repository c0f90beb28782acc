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
    try {
      Object.assign(this, JSON.parse(localStorage.getItem(KEY) ?? "{}"));
    } catch { /* nothing may be kept, or it was another's */ }
  }

  get isEmpty() {
    return !Object.keys(this.sources).length && !Object.keys(this.chosen).length;
  }

  /**
   * @param {string} id of a cell
   * @param {string | undefined} source nothing where it is as it was stored
   */
  write(id, source) {
    if (source === undefined) delete this.sources[id];
    else this.sources[id] = source;
    this.#save();
  }

  /**
   * @param {string} question
   * @param {number} choice
   */
  choose(question, choice) {
    this.chosen[question] = choice;
    this.#save();
  }

  forget() {
    this.sources = {};
    this.chosen = {};
    this.#save();
  }

  #save() {
    const { sources, chosen } = this;
    try {
      localStorage.setItem(KEY, JSON.stringify({ sources, chosen }));
    } catch { /* then it lasts as long as the page */ }
    this.dispatchEvent(new Event("change"));
  }
}

const kept = new Kept();

export { kept };
