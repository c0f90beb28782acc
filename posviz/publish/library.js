// @ts-check
// Runs a library of other people, which lies beside the page packed as a style. The page's policy names
// its hash, so that none runs but the one that was written.

import { make } from "../pictures/elements.js";
import { inflated } from "../pictures/inflated.js";

/** @param {string} file */
async function run(file) {
  const text = new TextDecoder().decode(await inflated(`assets/${file}.css`, document.head));
  document.head.append(make("script", { text }));
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
