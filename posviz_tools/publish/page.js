// What a page does by itself, and its pictures.

import "./live/live.js";
import "./live/answers.js";
import "./search.js";
import { setFormulas } from "./library.js";
import { begun } from "./live/python.js";

const LATEST = 300; // milliseconds: formulas keep a page busy, and Python's worker could not start meanwhile

// A browser goes back to a reader's place before formulas have their heights: so it is done again.
const { left } = history.state ?? {};
let isMoved = left === undefined;
for (const event of ["wheel", "touchmove", "keydown"]) {
  addEventListener(event, () => { isMoved = true; }, { once: true, passive: true });
}
const latest = new Promise((resolve) => setTimeout(resolve, LATEST));
Promise.race([begun, latest]).then(() => setFormulas("outputs")).then(() => {
  if (!isMoved) scrollTo({ top: left, behavior: "instant" });
});
addEventListener("scrollend", () => history.replaceState({ left: scrollY }, ""));

// What is scrolled sideways is reached by keys, too.
function reach() {
  for (const box of document.querySelectorAll("pre, table")) {
    if (box.scrollWidth > box.clientWidth) box.setAttribute("tabindex", "0");
    else box.removeAttribute("tabindex");
  }
}
new ResizeObserver(reach).observe(document.documentElement);
new MutationObserver(reach).observe(document.body, { subtree: true, attributeFilter: ["data-alive"] });
