// How MathJax sets formulas, what Reveal.js does, and which of its keys the pictures keep.

window.MathJax = {
  tex: { inlineMath: [["$", "$"]], displayMath: [["$$", "$$"]], processEscapes: true },
  options: { enableMenu: false, ignoreHtmlClass: "stage" },
  startup: { typeset: false },
};

const isControl = (element) => Boolean(element.closest(".posviz-filmstrip"));

// What a presenter's remote sends moves the slides, wherever the focus is; Esc leaves a picture.
document.addEventListener("keydown", ({ key }) => {
  if (["PageUp", "PageDown", "Escape"].includes(key) && isControl(document.activeElement)) document.activeElement.blur();
}, true);

document.addEventListener("DOMContentLoaded", async () => {
  // Formulas first: what is not shown later on could not be measured.
  await MathJax.startup.promise;
  await MathJax.typesetPromise();
  // The speaker's window lacks the style that hides these.
  for (const spoken of document.querySelectorAll(".notes mjx-assistive-mml")) spoken.remove();
  Reveal.on("slidechanged", () => document.activeElement.blur());
  Reveal.initialize({
    width: 1920,
    height: 1080,
    margin: 0,
    center: false,
    hash: true,
    slideNumber: "c/t",
    controlsLayout: "edges",
    navigationMode: "linear", // one key goes through all slides; Esc shows the sections
    transition: "none",
    pdfMaxPagesPerSlide: 1,
    keyboardCondition: () => !isControl(document.activeElement),
    plugins: [RevealNotes],
  });
});
