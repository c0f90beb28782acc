// @ts-check
// How MathJax sets formulas, what Reveal.js does, and which of its keys the pictures keep.

import "./previews.js";
import "./live/live.js";
import prediction from "../teaching/prediction.js";
import { run, startup, tex } from "./library.js";

const libraries = /** @type {any} */ (globalThis); // run below

libraries.MathJax = {
  tex,
  options: { enableMenu: false, ignoreHtmlClass: "stage" },
  startup: { ...startup, typeset: false },
};

// Pixels of letters, the largest and the smallest, on a slide of 1920 × 1080.
const SIZES = { ".posviz-prediction": [48, 28], ".posviz-table": [40, 28] };

const focused = () => /** @type {HTMLElement} */ (document.activeElement);
const isControl = () => focused().closest(".posviz-explorer") !== null;

for (const asked of document.querySelectorAll(".posviz-prediction")) {
  prediction.follow(asked);
  // The next key opens it, which Reveal.js calls a fragment; a custom one is always seen.
  asked.querySelector(".posviz-answer")?.classList.add("fragment", "custom");
  asked.addEventListener("toggle", fit, true);
}

/** The letters of predictions and tables are as large as all that is open allows. */
function fit() {
  for (const [kind, [largest, smallest]] of Object.entries(SIZES)) {
    for (const part of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(kind))) {
      for (let size = largest; size >= smallest; size -= 2) {
        part.style.fontSize = `${size}px`;
        if (part.scrollHeight <= part.clientHeight) break;
      }
    }
  }
}

// What a presenter's remote sends moves the slides, wherever the focus is; Esc leaves a picture.
document.addEventListener("keydown", ({ key }) => {
  if (["PageUp", "PageDown", "Escape"].includes(key) && isControl()) focused().blur();
}, true);

document.addEventListener("DOMContentLoaded", async () => {
  for (const file of ["mathjax/tex-svg.js", "reveal/reveal.js", "reveal/notes.js"]) await run(file);
  const { MathJax, Reveal, RevealNotes } = libraries;
  // Formulas first: what is not shown later on could not be measured.
  await MathJax.startup.promise;
  await MathJax.typesetPromise();
  // The speaker's window lacks the style that hides these.
  for (const spoken of document.querySelectorAll(".notes mjx-assistive-mml")) spoken.remove();
  for (const [event, open] of [["fragmentshown", true], ["fragmenthidden", false]]) {
    Reveal.on(event, (/** @type {any} */ { fragment }) => { fragment.open = open; fit(); });
  }
  Reveal.on("slidechanged", () => { focused().blur(); fit(); });
  Reveal.initialize({
    width: 1920,
    height: 1080,
    margin: 0,
    center: false,
    hash: true,
    slideNumber: "c/t",
    controlsLayout: "edges",
    navigationMode: "linear", // one key goes through all slides; Esc shows the sections
    transition: "none",
    pdfMaxPagesPerSlide: 1,
    pdfSeparateFragments: false,
    keyboardCondition: () => !isControl(),
    plugins: [RevealNotes],
  });
  for (const event of ["ready", "pdf-ready"]) Reveal.on(event, fit);
});
