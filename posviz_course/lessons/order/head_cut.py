"""How the columns of one projection are cut into heads."""

import numpy as np
from matplotlib import rcParams
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure

from posviz.pictures.knobs import Choice
from posviz.pictures.parts import wide
from posviz.pictures.picture import Arrays, Picture

TOKENS, WIDTH = ("the", "cat", "sat", "on", "the", "mat"), 32
ROWS, GAP, BELOW = len(TOKENS), 2, 9  # columns between two heads; the row where heads begin


class HeadCut(Picture):
    """One projection is cut into heads."""

    size = (8.0, 3.8)
    paper_size = (3.3, 2.9)

    num_heads = Choice(4, options=(1, 2, 4, 8), redraw=True)

    def compute(self) -> Arrays:
        """Return the head of each column of the projection."""
        return self.arrays(heads=np.repeat(np.arange(self.num_heads), WIDTH // self.num_heads))

    def draw(self, figure: Figure) -> list:
        """The projection above, the heads below, and a band from a head's columns to the head."""
        axes, width, end = figure.subplots(), WIDTH // self.num_heads, BELOW + ROWS
        room = GAP * (self.num_heads - 1)
        axes.set(xlim=(-4, WIDTH + room), ylim=(end + 3.4, -1.5))
        axes.axis("off")
        middle: dict = {"ha": "center", "va": "center"}
        axes.text(room / 2, -0.8, f"x @ w_q: {ROWS} tokens, {WIDTH} columns", va="center")
        for head in range(self.num_heads):
            color, start = f"C{head % 6}", head * (width + GAP)
            source = head * width + room / 2
            edges = np.array([source, source + width, start + width, start])
            axes.fill(edges, [ROWS, ROWS, BELOW, BELOW], color=color, alpha=0.25, linewidth=0)
            _cells(axes, source, 0, width, color)
            _cells(axes, start, BELOW, width, color)
            name = f"head {head}" if wide(figure) or width > 4 else str(head)
            axes.text(start + width / 2, end + 0.8, name, color=color, **middle)
        for left, top in ((room / 2, 0), (0, BELOW)):
            for row, token in enumerate(TOKENS):
                axes.text(left - 0.4, top + row + 0.5, token, ha="right", va="center", size="small")
        axes.plot([0, 0, width, width], end + np.array([1.5, 1.8, 1.8, 1.5]), color="C6")
        axes.text(width / 2, end + 2.6, f"{width} columns", **middle)
        return []

    def caption(self, arrays: Arrays) -> str:
        width = (arrays.heads == 0).sum()
        return f"Each head has {width} neighbouring columns of every token."


def _cells(axes, left, top, width, color):
    """A matrix of tokens, whose cells are seen."""
    x, y = left + np.arange(width + 1), top + np.arange(ROWS + 1)
    rules = {"edgecolors": rcParams["axes.facecolor"], "linewidth": rcParams["axes.linewidth"]}
    axes.pcolormesh(x, y, np.zeros((ROWS, width)), cmap=ListedColormap([color]), **rules)
