"""What rotates a vector: the cosines, sines and angles of every position, column by column."""

import numpy as np
from matplotlib.figure import Figure

from posviz.encodings.frequencies import rotary_angles, rotary_frequencies
from posviz.encodings.rotary import LAYOUTS, change_layout
from posviz.pictures.knobs import choice, even, integer, log
from posviz.pictures.layouts import map_over_row
from posviz.pictures.parts import SEVERAL_PAIRS, Curve, Map, legend_above, whole
from posviz.pictures.picture import Arrays, Picture
from posviz.pictures.style import SIGNED


class AngleTable(Picture):
    """Cosines, sines and angles of RoPE, in either layout."""

    size = (8.0, 4.2)
    paper_size = (3.3, 3.0)

    shown = choice("sin", options=("cos", "sin", "angle"), redraw=True)
    position = integer(10, low=0, high=127, until=lambda p: p.length - 1, play=True)
    base = log(10_000, low=10, high=1_000_000, when={"head_dim": SEVERAL_PAIRS})
    head_dim = even(64, low=2, high=256)
    layout = choice("half_split", options=LAYOUTS, more=True)
    length = integer(128, low=2, high=512, label="length (rows)", more=True)

    def compute(self) -> Arrays:
        """Return the table [length, head_dim], and the marked row of both members of the pairs.

        Angles are shown within one rotation, from −π to π.
        """
        numbers = np.arange(self.head_dim)  # of the columns as they are when interleaved
        columns = change_layout(numbers, source="interleaved", target=self.layout)
        inv_freq = rotary_frequencies(self.head_dim, self.base)
        angles = rotary_angles(np.arange(self.length), inv_freq)[:, columns // 2]
        within = (angles + np.pi) % (2 * np.pi) - np.pi
        table = {"angle": within, "cos": np.cos(angles), "sin": np.sin(angles)}[self.shown]
        members = [np.flatnonzero(columns % 2 == member) for member in (0, 1)]
        return self.arrays(
            table=table,
            members=[(columns, table[self.position, columns]) for columns in members],
            different=len({column.tobytes() for column in np.ascontiguousarray(table.T)}),
        )

    def draw(self, figure: Figure) -> list:
        """Heatmap with its marker, and under it the marked row."""
        heat, row = panels = map_over_row(figure, x="dimension", y="position (tokens)")
        label, limit, ends, cmap = self.shown, 1.0, ("−1", "0", "1"), SIGNED
        if self.shown == "angle":  # −π and π are one angle, and have one colour
            label, limit, ends = "angle (radians)", np.pi, ("−π", "0", "π")
            cmap = "twilight_shifted"
        look = {"most": (512, 256), "limits": (-limit, limit), "cmap": cmap}
        table = Map(heat, "table", row="position", **look)
        bar = figure.colorbar(table.image, ax=panels, label=label, aspect=45)
        for axis in (bar, row.yaxis):
            axis.set_ticks((-limit, 0, limit), labels=ends)
        row.set(ylabel="marked row", ylim=(-1.2 * limit, 1.2 * limit))
        whole(row.xaxis, most=8, steps=None)
        first = Curve(row, "C0o-", "members[0]", "first of the pair", marks=0.8)
        second = Curve(row, "C1s:", "members[1]", "second of the pair", marks=0.8)
        legend_above(figure, [first, second])
        figure.align_ylabels(panels)
        return [table, first, second]

    def caption(self, arrays: Arrays) -> str:
        """How many columns differ, and which are copies."""
        half = arrays.head_dim // 2
        same = f"c and c + {half}" if arrays.layout == "half_split" else "2c and 2c + 1"
        return (
            f"{arrays.different} of {arrays.head_dim} columns are different, because columns "
            f"{same} are one pair with one angle."
        )
