"""Does a score decay with distance? For equal q and k in waves, for random ones not at all.

Equal ones have pairs of equal norm here: with other norms their score falls in other ways.
"""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from posviz.encodings.frequencies import rotary_angles, rotary_frequencies
from posviz.pictures.knobs import Choice, Even, Integer, Log
from posviz.pictures.parts import (
    SEVERAL_PAIRS,
    Curve,
    Limits,
    legend_above,
    whole,
    with_room,
    zero,
)
from posviz.pictures.picture import Arrays, Picture
from posviz.wording import signed

SEEDS, LARGEST = 200, 256
LOOKS = {  # unit of the score, ends of its axis, what the two lines are
    "aligned": ("score / score at 0", (-1.1, 1.1), ("score, q = k", "envelope")),
    "random": ("score / √head_dim", (-4, 4), ("random q, k", "± envelope")),
    "many seeds": ("score / √head_dim", (-4, 4), (f"mean of {SEEDS}", "± deviation")),
}


class ScoreDecay(Picture):
    """With many pairs, RoPE's score of equal q and k falls in waves."""

    size = (8.0, 4.0)

    content = Choice("aligned", options=tuple(LOOKS), redraw=True)
    offset = Integer(8, low=0, high=LARGEST, play=True)
    base = Log(10_000, low=10, high=1_000_000, when={"head_dim": SEVERAL_PAIRS})
    head_dim = Even(128, low=2, high=512, more=True)

    def compute(self) -> Arrays:
        """Return the curve and the lines around it, and the score at the offset over the seeds."""
        offsets = np.arange(LARGEST + 1)
        angles = rotary_angles(offsets, rotary_frequencies(self.head_dim, self.base))
        sums = _products(self.content, self.head_dim) @ np.exp(1j * angles.T)
        scores = sums.real
        curve, above, below = scores.mean(axis=0), abs(sums[0]), -abs(sums[0])
        if self.content == "many seeds":
            above, below = curve + scores.std(axis=0), curve - scores.std(axis=0)
        return self.arrays(
            curve=(offsets, curve),
            around=(np.r_[offsets, np.nan, offsets], np.r_[above, np.nan, below]),
            mark=([self.offset], [curve[self.offset]]),
            deviation=scores[:, self.offset].std(),
            rises=int((np.diff(curve) > 0).sum()),
        )

    def draw(self, figure: Figure) -> list:
        """The score, between the two lines around it."""
        unit, limits, names = LOOKS[self.content]
        axes = figure.subplots()
        zero(axes)
        around = Curve(axes, "C6--", "around", names[1])
        curve = Curve(axes, "C0-", "curve", names[0], stroke=1.6)
        mark = Curve(axes, "C1o", "mark", "the offset", marks=1.6)
        axes.set(xlim=with_room(0, LARGEST), xlabel="offset (tokens)", ylim=limits, ylabel=unit)
        axes.yaxis.set_major_locator(MaxNLocator(5, steps=(1, 2, 5, 10)))
        whole(axes.xaxis, most=4)
        legend_above(figure, [curve, around, mark])
        return [Limits(axes, _limits), around, curve, mark]

    def caption(self, arrays: Arrays) -> str:
        score = signed(arrays.mark[1][0], ".2f")
        if arrays.content == "many seeds":
            return (
                f"Over {SEEDS} random pairs of q and k the score at offset {arrays.offset} is "
                f"{score} ± {arrays.deviation:.2f}, and the mean stays within ± "
                f"{np.abs(arrays.curve[1]).max():.2f}."
            )
        unit = "times that at 0" if arrays.content == "aligned" else "times √head_dim"
        return (
            f"At offset {arrays.offset} the score is {score} {unit}, and it rises on "
            f"{arrays.rises} of {LARGEST} steps."
        )


def _limits(arrays):
    """The score of q = k gets the height, as its area is the same above and below."""
    _, (low, high), _ = LOOKS[arrays.content]
    if arrays.content == "aligned":
        low = min(np.floor(5 * arrays.curve[1].min()) / 5, 0) - 0.1
    return {"ylim": (low, high)}


def _products(content, head_dim):
    """Each pair of q times the conjugate of k's, [seeds, head_dim/2], in the axis's unit.

    Rotated by offset × inv_freq and added up, their real part is the score.
    """
    if content == "aligned":
        return np.full((1, head_dim // 2), 2 / head_dim, dtype=complex)
    shape = (2, SEEDS if content == "many seeds" else 1, head_dim)
    q, k = np.random.default_rng(0).standard_normal(shape).view(complex)
    return q * k.conj() / head_dim**0.5
