"""The two pictures that every contender draws: a heatmap with a marker, and eight arrows."""

import functools
from types import SimpleNamespace

import numpy as np

from posviz.encodings.frequencies import rotary_angles, rotary_frequencies
from posviz.encodings.sinusoidal import sinusoidal
from posviz.engine.knobs import even, integer
from posviz.engine.looks import SIGNED
from posviz.engine.picture import Picture


@functools.lru_cache(maxsize=1)
def _table(d_model):
    """The same array while only the position moves, so that the image need not be drawn again."""
    return sinusoidal(np.arange(128), d_model).astype(np.float32)


class Heatmap(Picture):
    """A table of 128 positions and a marker on one row."""

    d_model = even(512, low=2, high=512)
    position = integer(10, low=0, high=127)

    def compute(self):
        """The table and the position."""
        return SimpleNamespace(table=_table(self.d_model), position=self.position)

    def draw(self, figure):
        """Image with colour bar, marker line and labels."""
        axes = figure.subplots()
        image = axes.imshow(np.zeros((2, 2)), cmap=SIGNED, vmin=-1, vmax=1, animated=True)
        image.set(interpolation="nearest")
        figure.colorbar(image, ax=axes)
        marker = axes.axhline(0, color="black", animated=True)
        axes.set(xlabel="dimension", ylabel="position (tokens)", aspect="auto")
        return SimpleNamespace(axes=axes, image=image, marker=marker, width=0, table=None)

    def update(self, artists, arrays):
        """Move them; the limits only when the width changed."""
        width = arrays.table.shape[1]
        if width != artists.width:
            artists.width = width
            artists.image.set_extent((-0.5, width - 0.5, 127.5, -0.5))
            artists.axes.set_xlim(-0.5, width - 0.5)
        if arrays.table is not artists.table:
            artists.table = arrays.table
            artists.image.set_data(arrays.table)
        artists.marker.set_ydata([arrays.position] * 2)

    def caption(self, arrays):
        """The position."""
        return f"Position {arrays.position} of a table {arrays.table.shape[1]} wide."


class Arrows(Picture):
    """Eight pairs of a query, each turned by its own angle, with a moving label."""

    position = integer(10, low=0, high=127)

    def compute(self):
        """The eight angles, and where they point."""
        angles = rotary_angles(self.position, rotary_frequencies(16))
        return SimpleNamespace(angles=angles, x=np.cos(angles), y=np.sin(angles))

    def draw(self, figure):
        """Eight circles, each with an arrow and a label."""
        circle = np.linspace(0, 2 * np.pi, 100)
        arrows, labels = [], []
        for pair, axes in enumerate(figure.subplots(2, 4).flat):
            axes.plot(np.cos(circle), np.sin(circle), color="0.7", linewidth=1)
            style = {"angles": "xy", "scale_units": "xy", "scale": 1, "zorder": 3}
            arrows.append(axes.quiver(0, 0, 1, 0, color="C1", animated=True, **style))
            label = axes.text(-1.1, -1.1, "", fontsize=9, animated=True)
            label.set_in_layout(False)
            labels.append(label)
            axes.set(xlim=(-1.2, 1.2), ylim=(-1.2, 1.2), aspect="equal", title=f"pair {pair}")
        return SimpleNamespace(arrows=arrows, labels=labels)

    def update(self, artists, arrays):
        """Turn the arrows and write the angles."""
        for pair, (arrow, label) in enumerate(zip(artists.arrows, artists.labels, strict=True)):
            arrow.set_UVC(arrays.x[pair], arrays.y[pair])
            label.set_text(f"{arrays.angles[pair] % (2 * np.pi):.2f} rad")

    def caption(self, arrays):
        """How far pair 0 has turned."""
        return f"Pair 0 has turned {arrays.angles[0]:.0f} rad."
