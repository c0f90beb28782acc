// As much of a page as our scripts touch at first: elements that keep what they are given.

class Element extends EventTarget {
  children = [];
  following = [];
  dataset = {};
  style = {};
  value = "";
  classList = { add() {}, remove() {}, toggle() {} };

  append(...children) { this.children.push(...children); }
  after(...others) { this.following = others; }
  attributes = new Set();
  hasAttribute(name) { return this.attributes.has(name); }
  toggleAttribute(name, is) { this.attributes[is ? "add" : "delete"](name); }
  scrollIntoView() {}
  querySelectorAll() { return []; }
  querySelector() { return this.inside ??= new Element(); }
  closest() { return null; }
  remove() {}

  /** Elements in it of a tag, or with a class. */
  all(name) {
    const own = this.tag === name || this.className === name ? [this] : [];
    return own.concat(...this.children.map((child) => child.all?.(name) ?? []));
  }
}

class Store extends Map {
  getItem = (key) => this.get(key) ?? null;
  setItem = (key, value) => this.set(key, value);
}

const link = Object.assign(new Element(), { href: "a.ipynb", pathname: "a.ipynb" });
const picture = new Element(), found = { "a[download]": [link], ".posviz-live:has(> .posviz-still)": [picture] };
const page = { link, picture, found, workers: [], reloads: 0, isSure: false };
const body = new Element(), system = Object.assign(new EventTarget(), { matches: false });
const location = new URL("https://here.example/05.html");
location.reload = () => { page.reloads += 1; };

const fakes = {
  document: Object.assign(new EventTarget(), {
    body,
    head: body,
    documentElement: body,
    baseURI: location.href,
    createElement: (tag) => Object.assign(new Element(), { tag }),
    getElementById: () => null,
    querySelector: (selector) => found[selector]?.[0] ?? null,
    querySelectorAll: (selector) => found[selector] ?? [],
  }),
  location,
  localStorage: new Store(),
  sessionStorage: new Store(),
  matchMedia: () => system,
  confirm: () => page.isSure,
  caches: { open: () => Promise.resolve(page.cache) },
  registration: { scope: location.origin + "/" },
  IntersectionObserver: class {
    constructor(seen) { page.see = seen; }
    observe() {}
    unobserve() {}
  },
  Worker: class {
    posted = [];
    constructor() { page.workers.push(this); }
    postMessage(message) { this.posted.push(message); }
    terminate() {}
  },
  Path2D: class {
    steps = [];
    moveTo = (...at) => this.steps.push(["M", ...at]);
    lineTo = (...at) => this.steps.push(["L", ...at]);
    closePath = () => this.steps.push(["Z"]);
  },
  createImageBitmap: () => Promise.resolve({ width: 1, height: 1, close() {} }),
};
for (const [name, value] of Object.entries(fakes)) {
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
}

export { Element, page };
