// @ts-check
// What a page does by itself, and its pictures.

import "../engine/filmstrip.js";
import search from "../engine/search.js";
import prediction from "../exercises/prediction.js";
import { run, startup, tex } from "./library.js";

const options = { enableMenu: false, ignoreHtmlClass: "outputs|posviz-filmstrip" };
/** @type {any} */ (globalThis).MathJax = { tex, options, startup };
run("mathjax/tex-svg.js");

for (const asked of document.querySelectorAll(".posviz-prediction")) prediction.follow(asked);

for (const place of document.querySelectorAll(".posviz-search")) {
  const tables = place.closest(".outputs")?.getElementsByClassName("posviz-searched");
  search.follow(place, () => tables ?? []);
}

// A telephone's first screen is for the lesson, not for its contents.
document.addEventListener("DOMContentLoaded", () => {
  /** @type {HTMLDetailsElement | null} */
  const contents = document.querySelector(".contents details");
  if (contents && matchMedia("(max-width: 700px)").matches) contents.open = false;
});

// Paper cannot be unfolded; answers to predictions stand at its end.
/** @type {HTMLDetailsElement[]} */
let folded = [];
globalThis.addEventListener("beforeprint", () => {
  folded = [...document.querySelectorAll("details")].filter(
    (details) => !details.open && !details.closest(".posviz-prediction"),
  );
  for (const details of folded) details.open = true;
});
globalThis.addEventListener("afterprint", () => {
  for (const details of folded) details.open = false;
});
