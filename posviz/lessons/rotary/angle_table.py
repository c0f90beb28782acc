"""What turns a vector: the cosines, sines and angles of every position, column by column."""

import numpy as np
from matplotlib.figure import Figure

from posviz.encodings.frequencies import rotary_angles, rotary_frequencies
from posviz.encodings.rotary import LAYOUTS, change_layout
from posviz.pictures.knobs import choice, even, integer, log
from posviz.pictures.parts import SEVERAL_PAIRS, Curve, Map, legend_above, whole
from posviz.pictures.picture import Arrays, Picture
from posviz.pictures.style import SIGNED

LONGEST, WIDEST = 512, 256


class AngleTable(Picture):
    """Cosines, sines and angles of RoPE, in either layout."""

    size = (8.0, 4.2)
    paper_size = (3.3, 3.0)

    shown = choice("sin", options=("cos", "sin", "angle"), redraw=True)
    layout = choice("half_split", options=LAYOUTS)
    position = integer(10, low=0, high=127, until=lambda p: p.length - 1, play=True)
    head_dim = even(64, low=2, high=WIDEST)
    base = log(10_000, low=10, high=1_000_000, when={"head_dim": SEVERAL_PAIRS})
    length = integer(128, low=2, high=LONGEST, label="length (rows)")

    def compute(self) -> Arrays:
        """Return the table [length, head_dim], and each column's frequency and member of its pair.

        Angles are shown modulo a turn, from −π to π.
        """
        numbers = np.arange(self.head_dim)  # of the columns as they stand when interleaved
        columns = change_layout(numbers, source="interleaved", target=self.layout)
        inv_freq = rotary_frequencies(self.head_dim, self.base)
        angles = rotary_angles(np.arange(self.length), inv_freq)
        table = self._shown(angles)[:, columns // 2]
        return self.arrays(
            table=table,
            inv_freq=inv_freq[columns // 2],
            members=[np.flatnonzero(columns % 2 == member) for member in (0, 1)],
            different=len({column.tobytes() for column in np.ascontiguousarray(table.T)}),
        )

    def _shown(self, angles):
        if self.shown == "angle":
            return (angles + np.pi) % (2 * np.pi) - np.pi
        return np.cos(angles) if self.shown == "cos" else np.sin(angles)

    def draw(self, figure: Figure) -> list:
        """Heatmap with its marker, and under it the marked row."""
        panels = heat, row = figure.subplots(2, 1, sharex=True, height_ratios=(2.4, 1))
        label, limit, ends, cmap = self.shown, 1.0, ("−1", "0", "1"), SIGNED
        if self.shown == "angle":  # −π and π are one angle, and have one colour
            label, limit, ends = "angle modulo a turn (radians)", np.pi, ("−π", "0", "π")
            cmap = "twilight_shifted"
        look = {"most": (LONGEST, WIDEST), "limits": (-limit, limit), "cmap": cmap}
        table = Map(heat, lambda a: a.table, row=lambda a: a.position, **look)
        bar = figure.colorbar(table.image, ax=panels, label=label, aspect=45)
        for axis in (bar, row.yaxis):
            axis.set_ticks((-limit, 0, limit), labels=ends)
        heat.set_ylabel("position (tokens)")
        row.set(ylabel="marked row", ylim=(-1.2 * limit, 1.2 * limit), xlabel="dimension")
        whole(heat.yaxis, steps=None)
        whole(row.xaxis, most=8, steps=None)
        looks = (("o-", "first"), ("s:", "second"))
        members = [
            Curve(row, look, lambda a, i=i: _of_member(a, i), f"{name} of the pair", marks=0.8)
            for i, (look, name) in enumerate(looks)
        ]
        legend_above(figure, members)
        figure.align_ylabels(panels)
        return [table, *members]

    def caption(self, arrays: Arrays) -> str:
        """How many columns differ, which are copies, and how far three of them turn."""
        half = arrays.head_dim // 2
        same = f"j and j + {half}" if arrays.layout == "half_split" else "2i and 2i + 1"
        some = sorted({0, half - 1, half})
        columns = ", ".join(str(column) for column in some)
        speeds = ", ".join(f"{arrays.inv_freq[column]:.4g}" for column in some)
        clamped = ""
        if arrays.beyond:
            clamped = f" (position {arrays.beyond['position']} lies beyond the last row)"
        turned = arrays.position * arrays.inv_freq[half] / (2 * np.pi)
        shown = "; angles are shown modulo a turn" if arrays.shown == "angle" else ""
        return (
            f"Different columns: {arrays.different} of {arrays.head_dim}, for with {arrays.layout} "
            f"columns {same} are alike; columns {columns} turn by {speeds} radians per token; "
            f"at position {arrays.position}{clamped} column {half} has made {turned:.2f} turns"
            f"{shown}."
        )


def _of_member(arrays, member):
    """The marked row at the columns that are first of their pair, or second, as x and y."""
    columns = arrays.members[member]
    return columns, arrays.table[arrays.position, columns]
