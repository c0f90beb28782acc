"""The same numbers, whichever device computes them."""

from types import SimpleNamespace

import numpy as np
from matplotlib import rcParams
from matplotlib.ticker import MaxNLocator

from posviz.arrays import to_device, to_numpy
from posviz.encodings.sinusoidal import sinusoidal
from posviz.engine.knobs import device, integer
from posviz.engine.looks import SIGNED
from posviz.engine.picture import Picture

D_MODEL = 64


class SameOnEveryDevice(Picture):
    """How alike any two positions are, on the device you choose."""

    size = (8.0, 3.8)
    paper_size = (3.3, 1.9)

    seq_len = integer(128, low=2, high=512)
    where = device()

    def compute(self):
        """Scaled dot products of sinusoidal encodings, [seq_len, seq_len], in float32.

        `error` is the largest distance from the same products in NumPy's float64.
        """
        table = sinusoidal(np.arange(self.seq_len), D_MODEL) / np.sqrt(D_MODEL / 2)
        there = to_device(table.astype(np.float32), self.where)
        similarity = to_numpy(there @ there.T)
        error = np.abs(similarity - table @ table.T).max()
        return SimpleNamespace(similarity=similarity, error=error, device=self.where)

    def draw(self, figure):
        """The heatmap on the left, and in words on the right who computed it."""
        heat, card = figure.subplots(1, 2, width_ratios=(3, 2))
        image = heat.imshow(
            np.zeros((2, 2)), cmap=SIGNED, vmin=-1, vmax=1, aspect="equal", animated=True
        )
        figure.colorbar(image, ax=heat, ticks=(-1, 0, 1))
        heat.set(xlabel="position (tokens)", ylabel="position (tokens)", title="similarity")
        heat.set(xlim=(-0.5, 511.5), ylim=(511.5, -0.5))
        for axis in (heat.xaxis, heat.yaxis):
            axis.set_major_locator(MaxNLocator(4, integer=True, min_n_ticks=1))
        card.axis("off")
        moving = {"animated": True, "in_layout": False, "transform": card.transAxes}
        large = 1.25 * rcParams["font.size"]
        name = card.text(0, 0.64, "", size=large, weight="bold", color="C0", **moving)
        words = card.text(0, 0.56, "", va="top", linespacing=1.6, **moving)
        return SimpleNamespace(heat=heat, image=image, name=name, words=words, seq_len=None)

    def update(self, artists, arrays):
        """Set the axes only when the length changed: that costs a full redraw."""
        seq_len = len(arrays.similarity)
        if artists.seq_len != seq_len:
            artists.seq_len = seq_len
            artists.image.set_extent((-0.5, seq_len - 0.5, seq_len - 0.5, -0.5))
            artists.heat.set(xlim=(-0.5, seq_len - 0.5), ylim=(seq_len - 0.5, -0.5))
        artists.image.set_data(arrays.similarity)
        artists.name.set_text(arrays.device)
        products = seq_len**2 * D_MODEL
        artists.words.set_text(
            f"{products / 1e6:.1f} million\nmultiplications,\nerror {arrays.error:.1e}"
        )

    def caption(self, arrays):
        """How much was computed, where, and how far it is from float64."""
        seq_len = len(arrays.similarity)
        return (
            f"{arrays.device} computed {seq_len} × {seq_len} similarities in float32; the largest "
            f"error is {arrays.error:.1e}."
        )
