// Light or dark: as the reader chose it, else as the system has it. It runs in the head, before anything is seen.

import { make } from "../../posviz/pictures/elements.js";

const KEY = "posviz-theme", TITLE = "Light or dark";
const system = matchMedia("(prefers-color-scheme: dark)"), { dataset } = document.documentElement;

function show(/** @type {string?} */ chosen = null) {
  try {
    if (chosen) localStorage.setItem(KEY, chosen);
    chosen ??= localStorage.getItem(KEY);
  } catch { /* for this page alone */ }
  dataset.theme = chosen ?? (system.matches ? "dark" : "light");
  for (const source of document.querySelectorAll("source")) source.media = dataset.theme === "dark" ? "screen" : "not all";
}

show();
system.addEventListener("change", () => show());
addEventListener("storage", () => show()); // chosen on another page
document.addEventListener("DOMContentLoaded", () => {
  const onclick = () => show(dataset.theme === "dark" ? "light" : "dark");
  const stored = /** @type {HTMLElement?} */ (document.querySelector("button.theme")); // else all would move
  if (stored) stored.onclick = onclick;
  else document.querySelector(".top nav")?.append(make("button", { className: "theme", title: TITLE, ariaLabel: TITLE, onclick }, "◐"));
  show();
});
