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

// The contents mark the section whose heading was the last to pass the screen's upper third.
const contents = document.querySelector(".contents"), PASSED = "99999px 0px -66%";
const sections = [...contents?.querySelectorAll("a") ?? []].map((link) =>
  ({ link, heading: document.getElementById(decodeURIComponent(link.hash.slice(1))) }));
const observer = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) target.toggleAttribute("data-passed", isIntersecting);
  const here = sections.findLast(({ heading }) => heading?.hasAttribute("data-passed"))?.link;
  for (const { link } of sections) link.ariaCurrent = link === here ? "true" : null;
  if (here) contents?.scrollTo({ top: here.offsetTop - contents.clientHeight / 2 });
}, { rootMargin: PASSED });
for (const { heading } of sections) if (heading) observer.observe(heading);

// What is scrolled sideways is reached by keys, too.
function reach() {
  for (const box of document.querySelectorAll("pre, table")) {
    if (box.scrollWidth > box.clientWidth) box.setAttribute("tabindex", "0");
    else box.removeAttribute("tabindex");
  }
}
new ResizeObserver(reach).observe(document.documentElement);
new MutationObserver(reach).observe(document.body, { subtree: true, attributeFilter: ["data-alive"] });
