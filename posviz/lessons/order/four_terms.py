"""What adding a vector at the input does to a score."""

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from posviz.encodings.sinusoidal import sinusoidal
from posviz.pictures.knobs import choice, even, integer
from posviz.pictures.parts import Curve, Limits, Map, Text, broken, whole, wide
from posviz.pictures.picture import Arrays, Picture

LONGEST = 64


class FourTerms(Picture):
    """The four terms of a score when a position vector is added at the input."""

    size = (8.0, 4.3)
    paper_size = (3.3, 3.8)

    seq_len = integer(16, low=2, high=LONGEST)
    d_model = even(64, low=2, high=128)
    projection = choice("random", options=("random", "identity"), label="W_Q and W_K")
    seed = integer(0, low=0, high=99)

    def compute(self) -> Arrays:
        """Return the terms, query first, each [seq_len, seq_len], and as shares of its largest.

        ranges: the least and the most of the position–position term at each offset; step: between
        ends of its axis, fixed for each width. What a position makes with itself is √d_model/2.
        """
        random = np.random.default_rng(self.seed)
        x = random.standard_normal((LONGEST, self.d_model))[: self.seq_len]
        p = sinusoidal(np.arange(self.seq_len), self.d_model)
        w_q = w_k = np.eye(self.d_model)
        if self.projection == "random":
            w_q, w_k = random.standard_normal((2, self.d_model, self.d_model)) / self.d_model**0.5
        scale = self.d_model**-0.5
        terms = [scale * query @ w_q @ (key @ w_k).T for query in (x, p) for key in (x, p)]
        offsets = np.arange(1 - self.seq_len, self.seq_len)
        diagonals = [terms[3].diagonal(-offset) for offset in offsets]
        ends = np.array([(diagonal.min(), diagonal.max()) for diagonal in diagonals])
        largest = [np.abs(term).max() for term in terms]
        return self.arrays(
            terms=terms,
            largest=largest,
            shares=[term / most for term, most in zip(terms, largest, strict=True)],
            step=0.5 if self.projection == "random" else self.d_model**0.5 / 8,
            ranges=np.stack([offsets[:, None] + [0, 0], ends], axis=-1),
        )

    def draw(self, figure: Figure) -> list:
        """The four terms as a table of query and key; the last of them against the offset."""
        table, ratios = ("abo\ncdo", (1, 1, 2)) if wide(figure) else ("ab\ncd\noo", (1, 1))
        axes = figure.subplot_mosaic(table, width_ratios=list(ratios))
        *panels, offset = (axes[name] for name in "abcdo")
        room = {"most": (LONGEST, LONGEST), "aspect": "equal"}
        maps = [Map(panel, lambda a, i=i: a.shares[i], **room) for i, panel in enumerate(panels)]
        below = {"ha": "right", "va": "top", "size": "small"}
        sizes = [
            Text(panel, 1, -0.03, _size(i), transform=panel.transAxes, **below)
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
        offset.set(xlabel="query − key (tokens)")
        offset.set(xlim=(-LONGEST, LONGEST), ylim=(-0.3, 0.3))  # as long as labels become
        whole(offset.xaxis)
        offset.yaxis.set_major_locator(MaxNLocator(5))
        bar = figure.colorbar(maps[0].image, ax=panels, label="score", aspect=30)
        bar.set_ticks((-1, 0, 1), labels=("−largest", "0", "largest"))
        strokes = Curve(offset, "C0o-", lambda a: broken(a.ranges), stroke=1.5, marks=1.2)
        return [*maps, *sizes, Limits(offset, _limits), strokes]

    def caption(self, arrays: Arrays) -> str:
        """Between which ends the last term lies; what it depends on is a question of the lesson."""
        least, most = arrays.ranges[..., 1].min(), arrays.ranges[..., 1].max()
        return (
            f"Position enters three of the four terms, and with {arrays.projection} W_Q and W_K "
            f"(d_model = {arrays.d_model}) the position–position term lies between {least:.2f} "
            f"and {most:.2f}, at right for each distance from its smallest to its largest."
        )


def _size(term):
    """What the deepest colour of a term stands for."""
    return lambda arrays: f"largest {arrays.largest[term]:.1f}"


def _limits(arrays):
    """All offsets, and the steps that hold all of the term."""
    furthest = arrays.ranges[-1, 0, 0] + 1
    term = (arrays.ranges[..., 1] / arrays.step).round(9)
    ends = np.floor(term.min()) - 0.2, np.ceil(term.max()) + 0.2
    return {"xlim": (-furthest, furthest), "ylim": tuple(arrays.step * end for end in ends)}
