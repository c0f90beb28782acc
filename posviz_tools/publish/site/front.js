// The front page: its pictures live, a lesson that is done has a tick, and the next one is offered.

import { make } from "../../../posviz/pictures/elements.js";
import { Kept } from "../live/kept.js";
import "./film.js";

const lessons = [...document.querySelectorAll("[data-exercises]")].map((card) => {
  const link = /** @type {HTMLAnchorElement} */ (card.querySelector("a")), kept = new Kept(link.pathname);
  const exercises = Number(card.getAttribute("data-exercises"));
  const isDone = exercises ? kept.solved >= exercises : !kept.isEmpty; // some lessons only ask
  return { link, isDone, isBegun: !kept.isEmpty };
});
for (const { link, isDone } of lessons) {
  if (isDone) link.querySelector("h3")?.prepend(make("span", { role: "img", ariaLabel: "Done" }, "✓ "));
}
const last = lessons.findLastIndex(({ isBegun }) => isBegun);
const next = lessons[lessons[last]?.isDone ? last + 1 : last];
if (next) {
  const to = make("a", { href: next.link.href }, next.link.querySelector("h3")?.lastChild?.textContent ?? "");
  document.querySelector(".lead")?.after(make("p", { className: "lead" }, "Continue with ", to, "."));
}
