// Predictions: of a question's folded choices one is opened; then the answer opens, and the right choice is marked.

/** @import { Widget } from "../pictures/protocol.d.ts" */

/** Opens the answer with the first choice that is opened; `told` is called with that choice. */
function follow(/** @type {Element} */ root, told = (/** @type {number} */ _choice) => {}) {
  const answer = /** @type {HTMLDetailsElement?} */ (root.querySelector(".posviz-answer"));
  const choices = [...root.querySelectorAll(".posviz-guess")];
  root.addEventListener("toggle", ({ target }) => {
    const choice = choices.indexOf(/** @type {Element} */ (target));
    if (choice < 0 || !answer || answer.open) return;
    answer.open = true;
    root.toggleAttribute("data-answered", true);
    told(choice);
  }, true); // the event does not bubble
}

/** @param {Widget<{ text: string }, never, { question: number, chosen: number }>} widget */
function render({ model, el }) {
  el.innerHTML = model.get("text");
  // Enter opens the choice that the keys have come to, and edits no cell. After a click, keys are JupyterLab's.
  el.addEventListener("focusin", () => {
    el.toggleAttribute("data-lm-suppress-shortcuts", el.querySelector(":focus-visible") !== null);
  });
  el.querySelectorAll(".posviz-prediction").forEach((root, question) => {
    follow(root, (chosen) => model.send({ question, chosen }));
  });
}

export default { render, follow };
