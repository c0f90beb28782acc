"""What adding a vector at the input does to a score."""

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from posviz.encodings.sinusoidal import sinusoidal
from posviz.pictures.knobs import Choice, Integer
from posviz.pictures.parts import Curve, Limits, Map, Text, broken, whole, wide
from posviz.pictures.picture import Arrays, Picture
from posviz.wording import signed

D_MODEL, LENGTH = 64, 16


class FourTerms(Picture):
    """The four terms of a score when a position vector is added at the input."""

    size = (8.0, 4.3)
    paper_size = (3.3, 3.8)

    projection = Choice("random", options=("random", "identity"), label="W_Q and W_K")
    seed = Integer(0, low=0, high=99)

    def compute(self) -> Arrays:
        """Return the terms as shares of their largest, query first, each [len, len].

        ends: the smallest and the largest of the position–position term at each offset.
        """
        random = np.random.default_rng(self.seed)
        x = random.standard_normal((LENGTH, D_MODEL))
        p = sinusoidal(np.arange(LENGTH), D_MODEL)
        w_q = w_k = np.eye(D_MODEL)
        if self.projection == "random":
            w_q, w_k = random.standard_normal((2, D_MODEL, D_MODEL)) / 8
        terms = [query @ w_q @ (key @ w_k).T / 8 for query in (x, p) for key in (x, p)]
        largest = [np.abs(term).max() for term in terms]
        offsets = np.arange(1 - LENGTH, LENGTH)
        diagonals = [terms[3].diagonal(-offset) for offset in offsets]
        ends = np.array([(diagonal.min(), diagonal.max()) for diagonal in diagonals])
        return self.arrays(
            shares=[term / most for term, most in zip(terms, largest, strict=True)],
            sizes=[f"largest {most:.1f}" for most in largest],
            ends=ends,
            strokes=broken(np.stack([offsets[:, None] + [0, 0], ends], axis=-1)),
            limits={"ylim": self._limits(ends)},
        )

    def _limits(self, ends):
        """Steps that hold all of the term."""
        step = 0.5 if self.projection == "random" else 1
        low, high = np.floor((ends.min() / step).round(9)), np.ceil((ends.max() / step).round(9))
        return step * (low - 0.2), step * (high + 0.2)

    def draw(self, figure: Figure) -> list:
        """The four terms as a table of query and key; the last of them against the offset."""
        table, ratios = ("abo\ncdo", (1, 1, 2)) if wide(figure) else ("ab\ncd\noo", (1, 1))
        axes = figure.subplot_mosaic(table, width_ratios=list(ratios))
        *panels, offset = (axes[name] for name in "abcdo")
        room = {"most": (LENGTH, LENGTH), "aspect": "equal"}
        maps = [Map(panel, f"shares[{i}]", **room) for i, panel in enumerate(panels)]
        below = {"ha": "right", "va": "top", "size": "small"}
        sizes = [
            Text(panel, 1, -0.03, f"sizes[{i}]", transform=panel.transAxes, **below)
            for i, panel in enumerate(panels)
        ]
        axes["a"].set(title="key: content", ylabel="query: content")
        axes["b"].set(title="key: position")
        axes["c"].set(ylabel="query: position")
        for panel in panels:
            panel.set(xticks=(), yticks=(), xlabel=" ")  # room for its size
        # Of one colour: the chart shows this map.
        offset.set_title("position–position term", color="C0", weight="bold")
        axes["d"].spines[:].set(visible=True, color="C0", linewidth=2 * rcParams["lines.linewidth"])
        offset.set(xlabel="offset, query − key (tokens)", ylim=(-0.3, 0.3), xlim=(-LENGTH, LENGTH))
        whole(offset.xaxis)
        offset.yaxis.set_major_locator(MaxNLocator(5))
        bar = figure.colorbar(maps[0].image, ax=panels, label="score", aspect=30)
        bar.set_ticks((-1, 0, 1), labels=("−largest", "0", "largest"))
        strokes = Curve(offset, "C0o-", "strokes", stroke=1.5, marks=1.2)
        return [*maps, *sizes, Limits(offset, "limits"), strokes]

    def caption(self, arrays: Arrays) -> str:
        # What the last term depends on is a question of the lesson.
        least, most = (signed(end, ".2f") for end in (arrays.ends.min(), arrays.ends.max()))
        return (
            f"Position enters three of the four terms, and with {arrays.projection} W_Q and W_K "
            f"the position–position term lies between {least} and {most}."
        )
