// How MathJax, which is loaded next, sets formulas. Its menu could fetch what is not here.
window.MathJax = {
  tex: { inlineMath: [["$", "$"]], displayMath: [["$$", "$$"]], processEscapes: true },
  options: { enableMenu: false, ignoreHtmlClass: "outputs|posviz-filmstrip" },
};
