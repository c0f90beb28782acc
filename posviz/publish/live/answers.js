// @ts-check
// What a reader does with a page's answers: predictions chosen before, a notebook with them, all of it anew.

import { make } from "../../pictures/elements.js";
import prediction from "../../teaching/prediction.js";
import { Cells } from "./cells.js";
import { kept } from "./kept.js";

const ASKED = "Delete what you have written, predicted and voted on this page?";
const WITH_ANSWERS = "Get the notebook with your code";

/** Predictions and votes: what was chosen before is chosen again. */
function follow() {
  /** @type {Record<string, number>} */
  const asked = {};
  for (const root of document.querySelectorAll(".posviz-prediction")) {
    const cell = /** @type {HTMLElement | null} */ (root.closest("[data-cell]"))?.dataset.cell ?? "";
    asked[cell] = (asked[cell] ?? 0) + 1;
    const name = `${cell} ${asked[cell]}`, choice = kept.chosen[name];
    prediction.follow(root, (chosen) => kept.choose(name, chosen));
    if (choice === undefined) continue;
    const guess = /** @type {HTMLDetailsElement | undefined} */ (root.querySelectorAll(".posviz-guess")[choice]);
    if (guess) guess.open = true;
  }
}

/**
 * The notebook as it was stored, with the reader's sources.
 * @param {string} url
 */
async function withAnswers(url) {
  const notebook = await (await fetch(url)).json();
  for (const cell of notebook.cells) {
    if (!(cell.id in kept.sources)) continue;
    Object.assign(cell, { source: kept.sources[cell.id], outputs: [], execution_count: null });
  }
  return new Blob([JSON.stringify(notebook, null, 1)], { type: "application/x-ipynb+json" });
}

/** @param {HTMLAnchorElement} link to the notebook */
function offer(link) {
  const plain = link.textContent;
  const again = make("button", { type: "button", textContent: "Start over" });
  again.addEventListener("click", () => {
    if (!confirm(ASKED)) return;
    kept.forget();
    location.reload();
  });
  const change = () => {
    link.textContent = kept.isEmpty ? plain : WITH_ANSWERS;
    again.hidden = kept.isEmpty;
  };
  link.after(" ", again);
  link.addEventListener("click", async (event) => {
    if (kept.isEmpty || link.protocol === "blob:") return;
    event.preventDefault();
    const blob = URL.createObjectURL(await withAnswers(link.href));
    const { download, pathname } = link;
    make("a", {}, { href: blob, download: download || pathname.split("/").pop() || "" }).click();
    setTimeout(() => URL.revokeObjectURL(blob), 60_000);
  });
  kept.addEventListener("change", change);
  change();
}

follow();
const stored = document.getElementById("posviz-cells");
if (stored && location.protocol !== "file:" && "WebAssembly" in globalThis) new Cells(JSON.parse(stored.textContent ?? "[]"));
/** @type {HTMLAnchorElement | null} */
const link = document.querySelector("a[download]");
if (link) offer(link);
