// In the speaker's window and on paper slides show their stored pictures: each copy of them would start
// a Python of its own.

if (/receiver|print-pdf/.test(location.search)) {
  for (const place of document.querySelectorAll(".posviz-live")) place.classList.remove("posviz-live");
}
if (location.search.includes("print-pdf")) {
  document.addEventListener("DOMContentLoaded", () => { // after theme.js, and before Reveal.js looks
    document.documentElement.dataset.theme = "light";
    for (const dark of document.querySelectorAll("source")) dark.remove();
  });
}
