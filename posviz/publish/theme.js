// @ts-check
// Light or dark: as the reader chose it, else as the system has it. It runs in the head, before anything is seen.

import { make } from "../pictures/elements.js";

const KEY = "posviz-theme";
const system = matchMedia("(prefers-color-scheme: dark)");

/** @type {string | null} */
let chosen = null; // where nothing may be kept, too

function show() {
  try {
    chosen = localStorage.getItem(KEY) ?? chosen;
  } catch { /* as the system has it */ }
  const theme = chosen ?? (system.matches ? "dark" : "light");
  document.documentElement.dataset.theme = theme;
  for (const source of document.querySelectorAll("source")) source.media = theme === "dark" ? "screen" : "not all";
}

function change() {
  chosen = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  try {
    localStorage.setItem(KEY, chosen);
  } catch { /* for this page alone */ }
  show();
}

show();
system.addEventListener("change", show);
addEventListener("storage", show); // chosen on another page
document.addEventListener("DOMContentLoaded", () => {
  const words = { type: "button", className: "theme", title: "Light or dark", textContent: "◐" };
  const button = make("button", words, { "aria-label": words.title });
  button.addEventListener("click", change);
  document.querySelector(".top nav")?.append(button);
  show();
});
