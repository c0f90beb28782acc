// Light or dark: as the reader chose it, else as the system has it. It runs in the head, before anything is seen.

import { make } from "../../posviz/pictures/elements.js";

const KEY = "posviz-theme", TITLE = "Light or dark";
const DARK = "(prefers-color-scheme: dark)"; // of a stored picture
const system = matchMedia(DARK), { dataset } = document.documentElement;

function show(/** @type {string?} */ chosen = null) {
  try {
    if (chosen) localStorage.setItem(KEY, chosen);
    chosen ??= localStorage.getItem(KEY);
  } catch { /* for this page alone */ }
  dataset.theme = chosen ?? (system.matches ? "dark" : "light");
  const media = dataset.theme === "dark" ? "screen" : "not all";
  for (const source of document.querySelectorAll("source")) {
    const stored = source.dataset.media ??= source.media;
    if (stored.includes(DARK)) source.media = media === "screen" ? stored.replace(DARK, media) : media;
  }
}

show();
system.addEventListener("change", () => show());
addEventListener("storage", () => show()); // chosen on another page
document.addEventListener("DOMContentLoaded", () => {
  // A heading's link to itself is no stop on the way through a page.
  for (const anchor of document.querySelectorAll(".anchor-link")) /** @type {HTMLElement} */ (anchor).tabIndex = -1;
  const onclick = () => show(dataset.theme === "dark" ? "light" : "dark");
  const stored = /** @type {HTMLElement?} */ (document.querySelector("button.theme")); // else all would move
  if (stored) stored.onclick = onclick;
  else document.querySelector(".top nav")?.append(make("button", { className: "theme", title: TITLE, ariaLabel: TITLE, onclick }, "◐"));
  show();
});
