"""What a text needs of a figure: LaTeX and Markdown with its caption and where it comes from."""

import re
import unicodedata
from pathlib import Path

from posviz import __version__
from posviz.files import replacing

FORMATS = ("tex", "md")
YEAR = 2026  # of this version, as in CITATION.cff
SIGNS = r"\textbackslash{} \textasciitilde{} \textasciicircum{} $-$ $\times$ $\cdot$ $\surd$"
SIGNS += r" $^\circ$ $^2$ $\approx$ $\leq$ $\geq$ $\to$"
SPECIAL = dict(zip("\\~^−×·√°²≈≤≥→", SIGNS.split(), strict=True))
SPECIAL |= {char: rf"\{char}" for char in "&%$#_{}"}
# A symbol in a caption of ours, in which the only word of one letter is "a".
SYMBOL = re.compile(r"(?<![\w'’-])([A-Za-z]_\w|[b-z])(?![\w'’-])")
LATEX = r"""\begin{{figure}}
  \centering
  \includegraphics[width=\linewidth]{{{file}}}
  \caption{{{caption} Figure: \cite{{posviz}}, CC~BY~4.0.}}
  \label{{fig:{label}}}
\end{{figure}}
% For your file of references:
% @misc{{posviz,
%   author = {{{{The posviz authors}}}},
%   title = {{posviz: an interactive course on positional encodings in {{Transformers}}}},
%   year = {{{year}}},
%   note = {{Version {version}}}
% }}
"""
MARKDOWN = """![{caption}]({file})

{caption} Figure: The posviz authors, posviz {version}, {year}, [CC BY 4.0](https://creativecommons.org/licenses/by/4.0/).
"""


def write(figures: list[Path], texts: list[Path], caption: str, is_ours: bool) -> None:
    """Write a figure's snippets, each by its ending, for the files that it takes best.

    is_ours: whether the caption is the picture's own, with symbols that LaTeX sets as formulas.
    """
    best = {".tex": (".pdf", ".png"), ".md": (".svg", ".png", ".pdf")}
    for path in texts:
        order = best[path.suffix]
        figure = min((f for f in figures if f.suffix in order), key=lambda f: order.index(f.suffix))
        facts: dict[str, object] = {
            "file": figure.name,
            "label": figure.stem,
            "version": __version__,
            "year": YEAR,
        }
        if path.suffix == ".tex":
            parts = SYMBOL.split(caption) if is_ours else [caption]
            parts = [f"${each}$" if n % 2 else in_latex(each) for n, each in enumerate(parts)]
            text = LATEX.format(caption="".join(parts), **facts)
        else:
            text = MARKDOWN.format(caption=caption.replace("[", r"\[").replace("]", r"\]"), **facts)
        with replacing(path) as file:
            file.write(text.encode())


def in_latex(text: str) -> str:
    """A text as LaTeX, Greek letters as formulas, for every engine."""
    return "".join(SPECIAL.get(char) or _letter(char) for char in text)


def _letter(char) -> str:
    """A letter, or the command of a Greek one."""
    words = unicodedata.name(char, "").split()
    if words[:1] == ["GREEK"] and len(words) == 4 and char.isalpha():
        name = words[3].lower().replace("lamda", "lambda")
        return f"$\\{name.capitalize() if words[1] == 'CAPITAL' else name}$"
    return char
