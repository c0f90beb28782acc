"""What adding a vector at the input does to a score."""

import numpy as np
from matplotlib import rcParams
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from posviz.encodings.sinusoidal import sinusoidal
from posviz.pictures.knobs import Choice, Integer
from posviz.pictures.parts import Curve, Map, Other, whole, wide
from posviz.pictures.picture import Arrays, Picture
from posviz.wording import signed

D_MODEL, LENGTH = 64, 16
OFFSETS = np.arange(1 - LENGTH, LENGTH)
# The largest score that the colours tell apart, and the ends of the position–position term.
ROOM = {"random": (2, (-1.8, 1.8)), "identity": (4, (2.2, 4.2))}


class FourTerms(Picture):
    """A position vector at the input enters three of four score terms."""

    size = (8.0, 4.3)
    paper_size = (3.3, 3.8)

    projection = Choice("random", options=tuple(ROOM), label="W_Q and W_K", redraw=True)
    seed = Integer(0, low=0, high=99)

    def compute(self) -> Arrays:
        """Return the terms, query first, each [len, len], and the last one by the offset.

        pairs: offset and score of each pair; ends: the least and the most at each offset.
        """
        random = np.random.default_rng(self.seed)
        x, position = random.standard_normal((LENGTH, D_MODEL)), np.arange(LENGTH)
        p = sinusoidal(position, D_MODEL)
        w_q = w_k = np.eye(D_MODEL)
        if self.projection == "random":
            w_q, w_k = random.standard_normal((2, D_MODEL, D_MODEL)) / 8
        terms = [query @ w_q @ (key @ w_k).T / 8 for query in (x, p) for key in (x, p)]
        diagonals = [terms[3].diagonal(-offset) for offset in OFFSETS]
        ends = np.array([(diagonal.min(), diagonal.max()) for diagonal in diagonals])
        return self.arrays(
            terms=terms,
            pairs=(np.subtract.outer(position, position).ravel(), terms[3].ravel()),
            ends=ends,
            band=[np.column_stack([[*OFFSETS, *OFFSETS[::-1]], [*ends[:, 0], *ends[::-1, 1]]])],
        )

    def draw(self, figure: Figure) -> list:
        """The four terms as a table of query and key; the last of them against the offset."""
        table, ratios = ("abo\ncdo", (1, 1, 2)) if wide(figure) else ("ab\ncd\noo", (1, 1))
        axes = figure.subplot_mosaic(table, width_ratios=list(ratios))
        *panels, offset = (axes[name] for name in "abcdo")
        largest, ends = ROOM[self.projection]
        room: dict = {"most": (LENGTH, LENGTH), "aspect": "equal", "limits": (-largest, largest)}
        maps = [Map(panel, f"terms[{i}]", **room) for i, panel in enumerate(panels)]
        axes["a"].set(title="key: content", ylabel="query: content")
        axes["b"].set(title="key: position")
        axes["c"].set(ylabel="query: position")
        for panel in panels:
            panel.set(xticks=(), yticks=())
        bar: dict = {"ticks": (-largest, 0, largest), "aspect": 30, "extend": "both"}
        figure.colorbar(maps[0].image, ax=panels, label="score", **bar)
        # Of one colour: the chart shows this map.
        offset.set_title("position–position term", color="C0", weight="bold")
        axes["d"].spines[:].set(visible=True, color="C0", linewidth=2 * rcParams["lines.linewidth"])
        offset.set(xlabel="offset, query − key (tokens)", ylabel="score of each pair")
        offset.set(xlim=(-LENGTH, LENGTH), ylim=ends)
        offset.yaxis.set_major_locator(MaxNLocator(5))
        whole(offset.xaxis)
        band = PolyCollection([], facecolor="C0", alpha=0.3, animated=True)
        offset.add_collection(band, autolim=False)
        dots = Curve(offset, "C0o", "pairs", marks=0.6)
        return [*maps, Other(band, lambda arrays: {"verts": arrays.band}), dots]

    def caption(self, arrays: Arrays) -> str:
        # What the last term depends on is a question of the lesson.
        least, most = (signed(end, ".2f") for end in (arrays.ends.min(), arrays.ends.max()))
        return (
            f"Position enters three of the four terms, and with {arrays.projection} W_Q and W_K "
            f"the position–position term lies between {least} and {most}."
        )
