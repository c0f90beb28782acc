// @ts-check
// Runs a library of other people, which lies beside the page packed in a style, deflated and as base64: of
// all files, a page from a disk reads no others. The page's policy names the library's hash.

import { make } from "../pictures/elements.js";

/** @type {Promise<void>} */
let before = Promise.resolve();

/**
 * Runs a library after those that were asked for before: all come through one property of a style.
 * @param {string} file
 */
function run(file) {
  const done = before.then(() => load(file));
  before = done.catch(() => {});
  return done;
}

/** @param {string} file */
async function load(file) {
  const href = `assets/${file}.css`, link = make("link", { rel: "stylesheet", href });
  await new Promise((resolve, reject) => {
    link.addEventListener("load", resolve);
    link.addEventListener("error", () => reject(new Error(`${href} is not there`)));
    document.head.append(link);
  });
  const quoted = getComputedStyle(document.head).getPropertyValue("--packed").trim();
  link.remove();
  const deflated = new Blob([Uint8Array.from(atob(quoted.slice(1, -1)), (letter) => letter.charCodeAt(0))]);
  const stream = deflated.stream().pipeThrough(new DecompressionStream("deflate"));
  document.head.append(make("script", { text: await new Response(stream).text() }));
}

// How MathJax reads formulas: without what would fetch more of it, as \\require does.
const tex = {
  inlineMath: [["$", "$"]],
  displayMath: [["$$", "$$"]],
  processEscapes: true,
  packages: { "[-]": ["require", "autoload"] },
};

const OF_SPACES = ["lspace", "rspace"]; // which \\bmod sets

// A formula makes no link, no picture and no style of its own, as \\mmlToken would.
const startup = {
  ready() {
    const { MathJax } = /** @type {any} */ (globalThis);
    const read = MathJax._.input.tex.ParseUtil.default;
    /** @type {(parser: unknown, name: string, value: string) => string} */
    read.MmlFilterAttribute = (_, name, value) => OF_SPACES.includes(name) ? value : "";
    MathJax.startup.defaultReady();
  },
};

export { run, startup, tex };
