"""How sharp the weights of one query become when its scores grow."""

import numpy as np
from matplotlib.figure import Figure

from posviz.attention import softmax
from posviz.pictures.knobs import Integer, Log
from posviz.pictures.parts import Curve, Limits, whole
from posviz.pictures.picture import Arrays, Picture

SCORES = np.random.default_rng(0).normal(size=64)


class SharpWeights(Picture):
    """Weights sharpen as scores grow."""

    scale = Log(1, low=0.1, high=100, play=True)
    keys = Integer(16, low=2, high=64)

    def compute(self) -> Arrays:
        """Return the weights [keys], the heaviest first."""
        weights = np.sort(softmax(self.scale * SCORES[: self.keys]))[::-1]
        return self.arrays(heaviest=weights[0], weights=(np.arange(self.keys) + 1, weights))

    def draw(self, figure: Figure) -> list:
        """The weights in the order of their size."""
        axes = figure.subplots()
        axes.set(xlabel="key, by weight", ylabel="attention weight", ylim=(-0.04, 1.04))
        whole(axes.xaxis)
        return [
            Limits(axes, lambda a: {"xlim": (0.25, a.keys + 0.75)}),
            Curve(axes, "C0o-", "weights"),
        ]

    def caption(self, arrays: Arrays) -> str:
        """The heaviest weight."""
        return f"The heaviest of {arrays.keys} keys gets {arrays.heaviest:.3f}."
