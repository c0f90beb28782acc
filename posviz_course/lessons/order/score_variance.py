"""Why scores are divided by √head_dim."""

import functools

import numpy as np
from matplotlib.figure import Figure

from posviz.attention import softmax
from posviz.pictures.knobs import Integer
from posviz.pictures.parts import Curve, PointName
from posviz.pictures.picture import Arrays, Picture

LARGEST, PAIRS, KEYS = 256, 500, 16


class ScoreVariance(Picture):
    """Divided by √head_dim, scores keep the variance 1, and no key takes all of the weight."""

    size = (9.0, 4.4)

    head_dim = Integer(64, low=1, high=LARGEST, play=True)

    def compute(self) -> Arrays:
        """Variances up to head_dim [head_dim], and the weights of one query [KEYS].

        Each is (plain, scaled), with its x; here are the variances at head_dim.
        """
        variances, scores = _measured()
        dims, keys, here = np.arange(1, LARGEST + 1), np.arange(1, KEYS + 1), self.head_dim - 1
        both = variances, variances / dims
        scores = scores[:, here], scores[:, here] / self.head_dim**0.5
        return self.arrays(
            variances=[(dims[: here + 1], curve[: here + 1]) for curve in both],
            here=[([self.head_dim], [curve[here]]) for curve in both],
            weights=[(keys, np.sort(softmax(row))[::-1]) for row in scores],
        )

    def draw(self, figure: Figure) -> list:
        """The variance up to head_dim, and what the softmax makes of one head_dim."""
        left, right = figure.subplots(1, 2)
        parts = [
            Curve(left, "C1--", "variances[0]"),
            Curve(left, "C0-", "variances[1]"),
            Curve(left, "C1s", "here[0]"),
            Curve(left, "C0o", "here[1]"),
            Curve(right, "C1s--", "weights[0]"),
            Curve(right, "C0o-", "weights[1]"),
            PointName(left, "C1", lambda a: (*a.here[0], "q·k", True)),
            PointName(left, "C0", lambda a: (*a.here[1], "÷ √head_dim", False)),
        ]
        left.set(xscale="log", yscale="log", ylim=(0.4, 500))
        left.set(xlim=(LARGEST**-0.05, LARGEST**1.05), xlabel="head_dim")
        left.set_ylabel("variance of the score")
        right.set(xlabel=f"key, of {KEYS}, by weight", ylabel="attention weight")
        right.set(xlim=(0.25, KEYS + 0.75), xticks=(1, 4, 8, 12, 16), ylim=(-0.04, 1.04))
        return parts

    def caption(self, arrays: Arrays) -> str:
        plain, scaled = (weights[0] for _, weights in arrays.weights)
        return (
            f"At head_dim {arrays.head_dim} the largest weight is {plain:.2f} without the division "
            f"and {scaled:.2f} with it; the variances are {arrays.here[0][1][0]:.1f} and "
            f"{arrays.here[1][1][0]:.1f}."
        )


@functools.cache
def _measured():
    """Variances of q·k over many pairs [LARGEST], scores of one q with a few keys [KEYS, LARGEST].

    Column d − 1 holds what the first d dimensions make, for every head_dim at once.
    """
    rng = np.random.default_rng(4)
    q, k = rng.standard_normal((2, PAIRS, LARGEST), dtype=np.float32)
    scores = np.cumsum(q * k, axis=1)
    variances = np.einsum("pd,pd->d", scores, scores) / PAIRS  # their mean is 0
    return variances, np.cumsum(q[0] * k[:KEYS], axis=1, dtype=float)
