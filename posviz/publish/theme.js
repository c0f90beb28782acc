// @ts-check
// Light or dark: as the reader chose it, else as the system has it. It runs in the head, before anything is seen.

import { make } from "../pictures/elements.js";

const KEY = "posviz-theme";
const system = matchMedia("(prefers-color-scheme: dark)");
const { dataset } = document.documentElement;

/** @param {string} [chosen] */
function show(chosen) {
  try {
    if (chosen) localStorage.setItem(KEY, chosen);
    chosen ??= localStorage.getItem(KEY) ?? undefined;
  } catch { /* for this page alone */ }
  dataset.theme = chosen ?? (system.matches ? "dark" : "light");
  for (const source of document.querySelectorAll("source")) source.media = dataset.theme === "dark" ? "screen" : "not all";
}

show();
system.addEventListener("change", () => show());
addEventListener("storage", () => show()); // chosen on another page
document.addEventListener("DOMContentLoaded", () => {
  const words = { type: "button", className: "theme", title: "Light or dark", textContent: "◐" };
  const button = make("button", words, { "aria-label": words.title });
  button.addEventListener("click", () => show(dataset.theme === "dark" ? "light" : "dark"));
  document.querySelector(".top nav")?.append(button);
  show();
});
