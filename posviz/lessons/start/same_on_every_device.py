"""The same numbers, whichever device computes them."""

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure

from posviz.arrays import to_device, to_numpy
from posviz.encodings.sinusoidal import sinusoidal
from posviz.pictures.knobs import device, integer
from posviz.pictures.parts import Map, Text, whole
from posviz.pictures.picture import Arrays, Picture

LONGEST = 512


class SameOnEveryDevice(Picture):
    """How alike any two positions are, on the device you choose."""

    size = (8.0, 3.8)

    seq_len = integer(128, low=2, high=LONGEST)
    where = device()

    def compute(self) -> Arrays:
        """Scaled dot products of sinusoidal encodings, [seq_len, seq_len], in float32.

        `error` is the largest distance from the same products in NumPy's float64.
        """
        table = sinusoidal(np.arange(self.seq_len), 64) / np.sqrt(32)
        there = to_device(table.astype(np.float32), self.where)
        similarity = to_numpy(there @ there.T)
        error = np.abs(similarity - table @ table.T).max()
        millions = similarity.size * 64 / 1e6
        words = f"{millions:.1f} million\nmultiplications,\nerror {error:.1e}"
        return self.arrays(similarity=similarity, error=error, words=words)

    def draw(self, figure: Figure) -> list:
        """The heatmap on the left, and on the right the name of the device."""
        heat, card = figure.subplots(1, 2, width_ratios=(3, 2))
        image = Map(heat, "similarity", most=(LONGEST, LONGEST), aspect="equal")
        figure.colorbar(image.image, ax=heat, ticks=(-1, 0, 1))
        heat.set(xlabel="position (tokens)", ylabel="position (tokens)", title="similarity")
        whole(heat.xaxis, heat.yaxis, most=4, steps=None)
        card.axis("off")
        large = {"size": 1.25 * rcParams["font.size"], "weight": "bold", "color": "C0"}
        name = Text(card, 0, 0.64, "where", **large)
        words = Text(card, 0, 0.56, "words", va="top", linespacing=1.6)
        return [image, name, words]

    def caption(self, arrays: Arrays) -> str:
        """How much was computed, where, and how far it is from float64."""
        seq_len = len(arrays.similarity)
        return (
            f"{arrays.where} computed {seq_len} × {seq_len} similarities in float32; the largest "
            f"error is {arrays.error:.1e}."
        )
