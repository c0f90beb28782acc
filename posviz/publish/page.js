// How MathJax, which is loaded next, sets formulas. Its menu could fetch what is not here.
window.MathJax = {
  tex: { inlineMath: [["$", "$"]], displayMath: [["$$", "$$"]], processEscapes: true },
  options: { enableMenu: false, ignoreHtmlClass: "outputs|posviz-filmstrip" },
};

// A telephone's first screen is for the lesson, not for its contents.
document.addEventListener("DOMContentLoaded", () => {
  const contents = document.querySelector(".contents details");
  if (contents && matchMedia("(max-width: 700px)").matches) contents.open = false;
});

// Paper cannot be unfolded.
let folded = [];
window.addEventListener("beforeprint", () => {
  folded = [...document.querySelectorAll("details:not([open])")];
  for (const details of folded) details.open = true;
});
window.addEventListener("afterprint", () => { for (const details of folded) details.open = false; });
