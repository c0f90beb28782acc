"""What turns a vector: the cosines, sines and angles of every position, column by column."""

from types import SimpleNamespace

import numpy as np
from matplotlib.ticker import MaxNLocator

from posviz.encodings.frequencies import rotary_angles, rotary_frequencies
from posviz.encodings.rotary import LAYOUTS, change_layout
from posviz.engine.knobs import choice, even, integer, log
from posviz.engine.looks import SIGNED
from posviz.engine.picture import Picture

LONGEST, WIDEST = 512, 256


class AngleTable(Picture):
    """Cosines, sines and angles of RoPE, in either layout."""

    size = (8.0, 4.4)
    paper_size = (3.3, 3.4)
    film = ("position", "layout")

    shown = choice("cos", options=("cos", "sin", "angle"), redraw=True)
    layout = choice("half_split", options=LAYOUTS)
    position = integer(10, low=0, high=127, play=True)
    head_dim = even(64, low=2, high=WIDEST)
    base = log(10_000, low=10, high=1_000_000)
    length = integer(128, low=2, high=LONGEST, label="length (rows)")

    def compute(self):
        """Return the table [length, head_dim], each column's frequency, and who is first of pairs.

        Angles are shown modulo a turn, from −π to π.
        """
        numbers = np.arange(self.head_dim)  # of the columns as they stand when interleaved
        columns = change_layout(numbers, source="interleaved", target=self.layout)
        inv_freq = rotary_frequencies(self.head_dim, self.base)
        angles = rotary_angles(np.arange(self.length), inv_freq)
        table = self._shown(angles)[:, columns // 2]
        return SimpleNamespace(
            table=table,
            inv_freq=inv_freq[columns // 2],
            places=[np.flatnonzero(columns % 2 == member) for member in (0, 1)],
            position=min(self.position, self.length - 1),
            different=len({column.tobytes() for column in np.ascontiguousarray(table.T)}),
        )

    def _shown(self, angles):
        if self.shown == "angle":
            return (angles + np.pi) % (2 * np.pi) - np.pi
        return np.cos(angles) if self.shown == "cos" else np.sin(angles)

    def draw(self, figure):
        """Heatmap with its marker, under it the marked row and the frequency of each column."""
        panels = figure.subplots(3, 1, sharex=True, height_ratios=(5, 1.5, 1.5))
        heat, row, speed = panels
        label, limit, ends = self.shown, 1.0, ("−1", "0", "1")
        if self.shown == "angle":
            label, limit, ends = "angle modulo a turn (radians)", np.pi, ("−π", "0", "π")
        image = heat.imshow([[0]], cmap=SIGNED, vmin=-limit, vmax=limit, animated=True)
        # Black on white lies on the map's own colours, so it is the same in both themes.
        markers = [heat.axhline(0, color=color, animated=True) for color in ("white", "black")]
        markers[0].set_linewidth(2 * markers[1].get_linewidth())
        bar = figure.colorbar(image, ax=panels, label=label, aspect=45)
        for axis in (bar, row.yaxis):
            axis.set_ticks((-limit, 0, limit), labels=ends)
        heat.set(ylabel="position (tokens)", xlim=(-0.5, WIDEST - 0.5), ylim=(LONGEST - 0.5, -0.5))
        heat.yaxis.set_major_locator(MaxNLocator(5, integer=True, min_n_ticks=1))
        row.set(ylabel="row", ylim=(-1.2 * limit, 1.2 * limit))
        speed.set(yscale="log", ylim=(3e-7, 3), yticks=(1e-6, 1e-3, 1))
        speed.set(xlabel="dimension", ylabel="rad/token")
        speed.xaxis.set_major_locator(MaxNLocator(8, integer=True, min_n_ticks=1))
        rows, speeds = _lines(row), _lines(speed)
        figure.legend(handles=rows, loc="outside upper center", ncols=2)
        figure.align_ylabels(panels)
        return SimpleNamespace(
            heat=heat, image=image, markers=markers, rows=rows, speeds=speeds, shape=None
        )

    def update(self, artists, arrays):
        """Colour the table and move its marked row; the axes only when the shape changed."""
        if artists.shape != arrays.table.shape:
            artists.shape = length, head_dim = arrays.table.shape
            across, down = (-0.5, head_dim - 0.5), (length - 0.5, -0.5)
            artists.image.set_extent(across + down)
            artists.heat.set(xlim=across, ylim=down)
        artists.image.set_data(arrays.table)
        for marker in artists.markers:
            marker.set_ydata([arrays.position] * 2)
        both = ((artists.rows, arrays.table[arrays.position]), (artists.speeds, arrays.inv_freq))
        for lines, values in both:
            for line, places in zip(lines, arrays.places, strict=True):
                line.set_data(places, values[places])

    def caption(self, arrays):
        """How many columns are different, who is whose copy, and how far three of them turn."""
        half = self.head_dim // 2
        same = f"j and j + {half}" if self.layout == "half_split" else "2i and 2i + 1"
        some = sorted({0, half - 1, half})
        columns = ", ".join(str(column) for column in some)
        speeds = ", ".join(f"{arrays.inv_freq[column]:.4g}" for column in some)
        clamped = ""
        if self.position > arrays.position:
            clamped = f" (position {self.position} lies beyond the last row)"
        turned = arrays.position * arrays.inv_freq[half] / (2 * np.pi)
        shown = "; angles are shown modulo a turn" if self.shown == "angle" else ""
        return (
            f"Different columns: {arrays.different} of {self.head_dim}, for with {self.layout} "
            f"columns {same} are alike; columns {columns} turn by {speeds} radians per token; "
            f"at position {arrays.position}{clamped} column {half} has made {turned:.2f} turns"
            f"{shown}."
        )


def _lines(axes):
    looks = (("o-", "first of the pair"), ("s:", "second of the pair"))
    lines = [axes.plot([], [], look, label=label, animated=True)[0] for look, label in looks]
    for line in lines:
        line.set(linewidth=line.get_linewidth() / 1.5, markersize=line.get_markersize() / 2)
    return lines
