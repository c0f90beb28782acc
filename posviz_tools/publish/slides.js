// How MathJax sets formulas, what Reveal.js does, and which of its keys the pictures keep.

import "./previews.js";
import "./live/live.js";
import prediction from "../../posviz/teaching/prediction.js";
import { libraries, run, setFormulas } from "./library.js";

const ASKED = ".posviz-prediction:has(.posviz-answer)"; // a stranger's notebook may lack the answer
const SIZES = [56, 28]; // pixels of a question's letters, the largest and the smallest, of 1920 × 1080

const IS_PRINTED = location.search.includes("print-pdf");

const focused = () => /** @type {HTMLElement} */ (document.activeElement);
const isControl = () => focused().closest(".posviz-explorer") !== null;
const answerOf = (/** @type {Element} */ asked) =>
  /** @type {HTMLDetailsElement} */ (asked.querySelector(".posviz-answer"));

for (const asked of document.querySelectorAll(ASKED)) {
  prediction.follow(asked);
  const answer = answerOf(asked);
  answer.open = IS_PRINTED;
  // The next key opens it, which Reveal.js calls a fragment; a custom one is always seen.
  if (!IS_PRINTED) answer.classList.add("fragment", "custom");
  asked.addEventListener("toggle", ({ target }) => { if (target !== answer) fit(); }, true);
}

/** The letters of questions are as large as the answer and all that is open allow. */
function fit() {
  const [largest, smallest] = SIZES;
  for (const asked of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(ASKED))) {
    const answer = answerOf(asked), { open } = answer;
    answer.open = true;
    for (let size = largest; size >= smallest; size -= 2) {
      asked.style.fontSize = `${size}px`;
      if (asked.scrollHeight <= asked.clientHeight) break;
    }
    answer.open = open;
  }
}

/** Opens or closes an answer; takes a living picture to the step that a clicker has come to. */
function step(/** @type {HTMLElement} */ fragment, /** @type {boolean} */ isShown) {
  const steps = /** @type {HTMLElement?} */ (fragment.closest(".steps"));
  if (!steps) return void (/** @type {HTMLDetailsElement} */ (fragment).open = isShown);
  const place = [...steps.querySelectorAll(".step")].indexOf(fragment) + Number(isShown);
  for (const control of steps.closest(".posviz-explorer")?.querySelectorAll(".posviz-slider") ?? []) {
    const slider = /** @type {HTMLInputElement?} */ (control.querySelector("[type=range]"));
    if (!slider || control.querySelector("label")?.textContent !== steps.dataset.label) continue;
    slider.valueAsNumber = place;
    slider.dispatchEvent(new Event("input"));
  }
}

// What a presenter's remote sends moves the slides, wherever the focus is; Esc leaves a picture.
document.addEventListener("keydown", ({ key }) => {
  if (["PageUp", "PageDown", "Escape"].includes(key) && isControl()) focused().blur();
}, true);

// After a mouse, keys are the deck's again; who came to a control by Tab (detail 0) stays there.
document.addEventListener("click", ({ detail }) => {
  if (detail && focused().matches("button, [type=range]")) focused().blur();
});

document.addEventListener("DOMContentLoaded", async () => {
  await setFormulas("stage"); // first: what is not shown later on could not be measured
  for (const file of ["reveal/reveal.js", "reveal/notes.js"]) await run(file);
  const { Reveal, RevealNotes } = libraries;
  // The speaker's window lacks the style that hides these.
  for (const spoken of document.querySelectorAll(".notes mjx-assistive-mml")) spoken.remove();
  Reveal.on("fragmentshown", (/** @type {any} */ { fragment }) => step(fragment, true));
  Reveal.on("fragmenthidden", (/** @type {any} */ { fragment }) => step(fragment, false));
  Reveal.on("slidechanged", () => { focused().blur(); fit(); });
  Reveal.initialize({
    width: 1920,
    height: 1080,
    margin: 0,
    center: false,
    hash: true,
    slideNumber: "c/t",
    controlsLayout: "edges",
    defaultTiming: 120, // seconds; each slide has its own, which the speaker's window counts down
    transition: "none",
    pdfMaxPagesPerSlide: 1,
    pdfSeparateFragments: true, // a derivation has a page for each line
    keyboardCondition: () => !isControl(),
    plugins: [RevealNotes],
  });
  Reveal.registerKeyboardShortcut("TAB", "Controls of the picture");
  Reveal.registerKeyboardShortcut("PAGE DOWN", "Next slide, also from a control");
  Reveal.registerKeyboardShortcut("MOUSE", "In the projector's window: the speaker's has still pictures");
  for (const event of ["ready", "pdf-ready"]) Reveal.on(event, fit);
});
