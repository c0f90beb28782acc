// @ts-check
// What a page does by itself, and its pictures.

import "../engine/filmstrip.js";

// How MathJax, which is loaded next, sets formulas. Its menu could fetch what is not here.
/** @type {any} */ (globalThis).MathJax = {
  tex: { inlineMath: [["$", "$"]], displayMath: [["$$", "$$"]], processEscapes: true },
  options: { enableMenu: false, ignoreHtmlClass: "outputs|posviz-filmstrip" },
};

// A telephone's first screen is for the lesson, not for its contents.
document.addEventListener("DOMContentLoaded", () => {
  /** @type {HTMLDetailsElement | null} */
  const contents = document.querySelector(".contents details");
  if (contents && matchMedia("(max-width: 700px)").matches) contents.open = false;
});

// Paper cannot be unfolded.
/** @type {HTMLDetailsElement[]} */
let folded = [];
globalThis.addEventListener("beforeprint", () => {
  folded = [...document.querySelectorAll("details")].filter(({ open }) => !open);
  for (const details of folded) details.open = true;
});
globalThis.addEventListener("afterprint", () => {
  for (const details of folded) details.open = false;
});
