"""Which dimensions of a head are a pair: neighbours, or the two halves."""

import numpy as np
from matplotlib.figure import Figure

from posviz.encodings.rotary import LAYOUTS, change_layout
from posviz.pictures.knobs import Integer
from posviz.pictures.parts import Curve, broken, legend_above, whole
from posviz.pictures.picture import Arrays, Picture

HEAD_DIM = 8
ROWS = (1, 0)  # of the two layouts
COLUMNS = np.arange(HEAD_DIM)
PAIRS = [  # both dimensions of each pair [pairs, 2], by layout
    change_layout(COLUMNS, source=layout, target="interleaved").reshape(-1, 2) for layout in LAYOUTS
]


class LayoutArcs(Picture):
    """The two layouts of RoPE, with an arc between the two dimensions of each pair."""

    size = (8.0, 2.6)
    paper_size = (3.3, 2.6)

    pair = Integer(0, low=0, high=HEAD_DIM // 2 - 1, play=True)

    def compute(self) -> Arrays:
        """Return the dimensions of the chosen pair in both layouts, and the arcs over them."""
        chosen = np.concatenate([pairs[self.pair] for pairs in PAIRS])
        return self.arrays(
            arcs=_arcs_over([pairs[[self.pair]] for pairs in PAIRS]),
            ends=(chosen, np.repeat(ROWS, 2)),
        )

    def draw(self, figure: Figure) -> list:
        """Two rows of dimensions, an arc over each pair, and one pair in another colour."""
        axes = figure.subplots()
        axes.set(xlim=(-0.6, HEAD_DIM - 0.4), xlabel="dimension")
        axes.set(ylim=(-0.3, 1.7), yticks=ROWS, yticklabels=LAYOUTS)
        axes.tick_params(left=False)
        axes.spines["left"].set_visible(False)
        whole(axes.xaxis, most=16, steps=None)
        axes.plot(*_arcs_over(PAIRS), "C0-", label="dimensions of a pair")
        axes.plot(np.tile(COLUMNS, 2), np.repeat(ROWS, HEAD_DIM), "C6o")
        chosen = Curve(axes, "C1-", "arcs", "the pair that is chosen", stroke=1.8)
        members = Curve(axes, "C1o", "ends", marks=1.4)
        legend_above(figure, axes.get_legend_handles_labels()[0])
        return [chosen, members]

    def caption(self, arrays: Arrays) -> str:
        (a, b, c, d), _ = arrays.ends
        return (
            f"Pair {arrays.pair} has the dimensions {a} and {b} in one layout, and {c} and {d} in "
            "the other."
        )


def _arcs_over(layouts):
    """An arc over both dimensions of each pair, the higher the farther they are apart."""
    along, arcs = np.linspace(0, 1, 25), []
    for row, pairs in zip(ROWS, layouts, strict=True):
        first, second = pairs.T[..., None]
        height = 0.62 * np.sqrt((second - first) * 2 / HEAD_DIM)
        x, y = first + (second - first) * along, row + height * np.sin(np.pi * along)
        arcs.append(np.stack([x, y], axis=-1))
    return broken(np.concatenate(arcs))
