// @ts-check
// What a page does by itself, and its pictures.

import "./live/live.js";
import "./live/answers.js";
import search from "../pictures/search.js";
import { run, startup, tex } from "./library.js";

const options = { enableMenu: false, ignoreHtmlClass: "outputs" };
const libraries = /** @type {any} */ (globalThis);
libraries.MathJax = { tex, options, startup };
const formulas = run("mathjax/tex-svg.js").then(() => libraries.MathJax.startup.promise);

// A browser goes back to a reader's place before formulas have their heights: so it is done again.
const { left } = history.state ?? {};
let isMoved = left === undefined;
for (const event of ["wheel", "touchmove", "keydown"]) {
  addEventListener(event, () => { isMoved = true; }, { once: true, passive: true });
}
formulas.then(() => { if (!isMoved) scrollTo({ top: left, behavior: "instant" }); });
addEventListener("scrollend", () => history.replaceState({ left: scrollY }, ""));

for (const place of document.querySelectorAll(".posviz-search")) {
  const tables = place.closest(".outputs")?.getElementsByClassName("posviz-searched");
  search.follow(place, () => tables ?? []);
}

// What is scrolled sideways is reached by keys, too.
const inline = "mjx-container:not([display])";
const scrolled = "pre, table, figure, .prose, mjx-container";
const reach = () => {
  for (const formula of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(inline))) {
    const drawn = formula.querySelector("svg"), text = formula.closest("p, li, .prose");
    formula.classList.toggle("wide", Boolean(text && drawn && drawn.clientWidth > text.clientWidth));
  }
  for (const box of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(scrolled))) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  }
};
new ResizeObserver(reach).observe(document.documentElement);
new MutationObserver(reach).observe(document.body, { subtree: true, attributeFilter: ["data-alive"] });
