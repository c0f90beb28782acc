// Runs a library of other people, which lies beside the page packed in a style, deflated and as base64: of
// all files, a page from a disk reads no others. The page's policy names the library's hash.

import { make } from "../../posviz/pictures/elements.js";

const OF_SPACES = ["lspace", "rspace"]; // of MathML, which \\bmod sets
const libraries = /** @type {any} */ (globalThis);

let last = Promise.resolve(); // of the libraries: all come through one property of a style

/** Runs a library, by its file in assets/, after those that were asked for before. */
function run(/** @type {string} */ file) {
  last = last.catch(() => {}).then(() => load(file));
  return last;
}

async function load(/** @type {string} */ file) {
  const href = `assets/${file}.css`, link = make("link", { rel: "stylesheet", href });
  await new Promise((resolve, reject) => {
    link.onload = resolve;
    link.onerror = () => reject(new Error(`${href} is not there`));
    document.head.append(link);
  });
  const packed = getComputedStyle(document.head).getPropertyValue("--packed").trim().slice(1, -1);
  link.remove();
  const deflated = new Blob([Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0))]);
  const stream = deflated.stream().pipeThrough(new DecompressionStream("deflate"));
  document.head.append(make("script", { text: await new Response(stream).text() }));
}

/** Sets the formulas of a page, but for what is of this class. */
async function setFormulas(/** @type {string} */ ignoreHtmlClass) {
  libraries.MathJax = {
    tex: {
      inlineMath: [["$", "$"]],
      displayMath: [["$$", "$$"]],
      processEscapes: true,
      packages: { "[-]": ["require", "autoload"] }, // what would fetch more of it
    },
    options: { enableMenu: false, ignoreHtmlClass },
    startup: {
      ready() { // a formula makes no link, no picture and no style of its own, as \\mmlToken would
        const { MathJax } = libraries, read = MathJax._.input.tex.ParseUtil.default;
        /** @type {(_: unknown, name: string, value: string) => string} */
        read.MmlFilterAttribute = (_, name, value) => OF_SPACES.includes(name) ? value : "";
        MathJax.startup.defaultReady();
      },
    },
  };
  await run("mathjax/tex-svg.js");
  await libraries.MathJax.startup.promise;
}

export { libraries, run, setFormulas };
