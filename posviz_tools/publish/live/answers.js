// What a reader does with a page's answers: predictions chosen before, a notebook with them, all of it anew.

import { make } from "../../../posviz/pictures/elements.js";
import prediction from "../../../posviz/teaching/prediction.js";
import { Cells } from "./cells.js";
import { kept } from "./kept.js";

const ASKED = "Delete what you have written, run, predicted and voted on this page?";
const WITH_ANSWERS = "Get the notebook with your code";

/** Predictions and votes: what was chosen before is chosen again. */
function follow() {
  const asked = /** @type {Record<string, number>} */ ({});
  for (const root of document.querySelectorAll(".posviz-prediction")) {
    const cell = String(root.closest("[data-cell]")?.getAttribute("data-cell"));
    asked[cell] = (asked[cell] ?? 0) + 1;
    const name = `${cell} ${asked[cell]}`, choice = kept.chosen[name];
    prediction.follow(root, (chosen) => kept.choose(name, chosen));
    root.querySelectorAll(".posviz-guess")[choice]?.setAttribute("open", "");
  }
}

/** The notebook as it was stored, with the reader's sources, and what they gave. */
async function withAnswers(/** @type {string} */ url) {
  const notebook = await (await fetch(url)).json();
  for (const cell of notebook.cells) {
    const { [cell.id]: source = cell.source } = kept.sources, { [cell.id]: result } = kept.results;
    if (source === cell.source && !result) continue;
    const shown = { output_type: "display_data", metadata: {}, data: { "text/html": result?.html } };
    Object.assign(cell, { source, outputs: result ? [shown] : [], execution_count: null });
  }
  return new Blob([JSON.stringify(notebook, null, 1)], { type: "application/x-ipynb+json" });
}

/** Lets the link to the notebook give that with the answers. */
function offer(/** @type {HTMLAnchorElement} */ link) {
  const plain = link.textContent, { href, pathname } = link;
  const onclick = () => {
    if (!confirm(ASKED)) return;
    kept.forget();
    location.reload();
  };
  const again = make("button", { onclick }, "Start over");
  const change = () => {
    link.textContent = kept.isEmpty ? plain : WITH_ANSWERS;
    again.hidden = kept.isEmpty;
  };
  link.after(" ", again);
  link.addEventListener("click", async (event) => {
    if (kept.isEmpty) return;
    event.preventDefault();
    const blob = URL.createObjectURL(await withAnswers(href));
    make("a", { href: blob, download: pathname.split("/").pop() }).click();
    setTimeout(() => URL.revokeObjectURL(blob), 60_000);
  });
  kept.addEventListener("change", change);
  change();
}

follow();
const stored = document.getElementById("posviz-cells");
if (stored && location.protocol !== "file:" && "WebAssembly" in globalThis) new Cells(JSON.parse(stored.textContent));
for (const link of document.querySelectorAll("a[download]")) offer(/** @type {HTMLAnchorElement} */ (link));
