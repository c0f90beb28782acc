"""What every contender draws: a heatmap with a curve, eight arrows, scores in two panels."""

import functools
from types import SimpleNamespace

import numpy as np

from posviz.encodings.frequencies import rotary_angles, rotary_frequencies
from posviz.encodings.rotary import Rotary
from posviz.encodings.sinusoidal import sinusoidal
from posviz.pictures.knobs import Even, Integer
from posviz.pictures.picture import Picture
from posviz.pictures.style import SIGNED


@functools.lru_cache(maxsize=1)
def _table(d_model):
    """The same array while only the position moves, so that the image need not be drawn again."""
    return sinusoidal(np.arange(128), d_model).astype(np.float32)


class Heatmap(Picture):
    """Heatmap 128 × 512 with marker and row curve."""

    d_model = Even(512, low=2, high=512)
    position = Integer(10, low=0, high=127)

    def compute(self):
        """The table and the position."""
        return SimpleNamespace(table=_table(self.d_model), position=self.position)

    def draw(self, figure):
        """Image with colour bar and marker line; below it the curve, on the same dimensions."""
        cells = figure.subplots(
            2, 2, width_ratios=(40, 1), height_ratios=(5, 2), sharex="col", squeeze=False
        )
        (axes, scale), (below, empty) = cells
        empty.remove()
        image = axes.imshow(np.zeros((2, 2)), cmap=SIGNED, vmin=-1, vmax=1, animated=True)
        image.set(interpolation="nearest")
        figure.colorbar(image, cax=scale)
        marker = axes.axhline(0, color="black", animated=True)
        (curve,) = below.plot([], linewidth=1, animated=True)
        axes.set(ylabel="position (tokens)", aspect="auto")
        below.set(xlabel="dimension", ylabel="marked row", ylim=(-1.1, 1.1))
        return SimpleNamespace(
            axes=axes, image=image, marker=marker, curve=curve, width=0, table=None
        )

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
        artists.curve.set_data(np.arange(width), arrays.table[arrays.position])

    def caption(self, arrays):
        """The position."""
        return f"Position {arrays.position} of a table {arrays.table.shape[1]} wide."


class Arrows(Picture):
    """8 rotating arrows, labels at rest."""

    position = Integer(10, low=0, high=127)

    def compute(self):
        """The eight angles, and where they point."""
        angles = rotary_angles(self.position, rotary_frequencies(16))
        return SimpleNamespace(angles=angles, x=np.cos(angles), y=np.sin(angles))

    def draw(self, figure):
        """Eight circles, each with an arrow and a label: its radians per token."""
        circle = np.linspace(0, 2 * np.pi, 100)
        arrows, labels = [], []
        for pair, axes in enumerate(figure.subplots(2, 4).flat):
            axes.plot(np.cos(circle), np.sin(circle), color="0.7", linewidth=1)
            style = {"angles": "xy", "scale_units": "xy", "scale": 1, "zorder": 3}
            arrows.append(axes.quiver(0, 0, 1, 0, color="C1", animated=True, **style))
            speed = f"ω = {rotary_frequencies(16)[pair]:.2g}"
            labels.append(axes.text(-1.1, -1.1, speed, fontsize=9))
            axes.set(xlim=(-1.2, 1.2), ylim=(-1.2, 1.2), aspect="equal", title=f"pair {pair}")
        return SimpleNamespace(arrows=arrows, labels=labels)

    def update(self, artists, arrays):
        """Turn the arrows."""
        for pair, arrow in enumerate(artists.arrows):
            arrow.set_UVC(arrays.x[pair], arrays.y[pair])

    def caption(self, arrays):
        """How far pair 0 has turned."""
        return f"Pair 0 has turned {arrays.angles[0]:.0f} rad."


class Scores(Picture):
    """256 × 256 scores, two panels."""

    position = Integer(10, low=0, high=127)

    def compute(self):
        """RoPE scores [2, query, key] in float32: keys are turned once, queries each time."""
        encoding, positions = Rotary(), self.position + np.arange(256)
        q = encoding.at_query(_tokens()[None], positions)[0]
        scores = q @ _turned_keys() * np.float32(encoding.scale(64))
        return SimpleNamespace(scores=scores, position=self.position)

    def draw(self, figure):
        """Two images of the same size, each with its colour bar."""
        images = []
        panels = figure.subplots(1, 2, sharey=True)
        for axes, title, most in zip(panels, ("one token", "random tokens"), (8, 3), strict=True):
            image = axes.imshow(np.zeros((256, 256)), cmap=SIGNED, vmin=-most, vmax=most)
            image.set(interpolation="nearest", animated=True)
            figure.colorbar(image, ax=axes, location="bottom")
            axes.set(title=title, xlabel="key (tokens)")
            images.append(image)
        panels[0].set_ylabel("query (tokens after the first)")
        return SimpleNamespace(images=images)

    def update(self, artists, arrays):
        """Give both images their scores."""
        for image, scores in zip(artists.images, arrays.scores, strict=True):
            image.set_data(scores)

    def caption(self, arrays):
        """Where the queries begin, and the largest score there."""
        return (
            f"Queries from position {arrays.position} on: "
            f"the largest score of one token is {arrays.scores[0].max():.2f}."
        )


@functools.cache
def _tokens():
    """Queries that are also the keys, [2, 256, 64]: one token again and again, random tokens."""
    many = np.random.default_rng(0).standard_normal((256, 64), np.float32)
    return np.stack([np.ones_like(many), many])


@functools.cache
def _turned_keys():
    """Keys at positions 0 … 255, [2, 64, 256]."""
    return Rotary().at_key(_tokens()[None], np.arange(256))[0].transpose(0, 2, 1).copy()


PICTURES = {
    "heatmap": Heatmap,
    "arrows": Arrows,
    "scores": Scores,
}
