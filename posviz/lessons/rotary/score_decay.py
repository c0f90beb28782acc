"""Does a score decay with distance? For q = k in waves, for random q and k not at all."""

import functools
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from posviz.encodings.frequencies import rotary_angles, rotary_frequencies
from posviz.pictures.knobs import choice, even, integer, log, log_integer
from posviz.pictures.parts import (
    RANGES,
    SEVERAL_PAIRS,
    Curve,
    Dense,
    Limits,
    Other,
    in_ranges,
    legend_above,
    through_ranges,
    whole,
    with_room,
    zero,
)
from posviz.pictures.picture import Arrays, Picture
from posviz.wording import signed

SEEDS = 200
LOOKS = {  # unit of the score, ends of its axis, what the two lines are
    "aligned": ("score / score at 0", (-1.1, 1.1), ("score, q = k", "± envelope")),
    "random": ("score / √head_dim", (-4, 4), ("random q, k", "± envelope")),
    "many seeds": ("score / √head_dim", (-4, 4), (f"mean of {SEEDS}", "± deviation")),
}


class ScoreDecay(Picture):
    """RoPE's score against offset: waves that decay for q = k, no decay for random q and k."""

    size = (8.0, 4.0)

    content = choice("aligned", options=tuple(LOOKS), redraw=True)
    offset = integer(8, low=0, high=256, until=lambda p: p.largest, play=True)
    base = log(10_000, low=10, high=1_000_000, when={"head_dim": SEVERAL_PAIRS})
    largest = log_integer(256, low=16, high=32_768, label="largest offset")
    head_dim = even(128, low=2, high=512, more=True)
    seed = integer(0, low=0, high=99, when={"content": ("random", "many seeds")}, more=True)

    def compute(self) -> Arrays:
        """Return the curve and the area around it, and the score at the offset over the seeds."""
        inv_freq = rotary_frequencies(self.head_dim, self.base)
        products = pair_products(self.content, self.seed, self.head_dim)
        here = products @ _turns(self.offset, inv_freq)
        return self.arrays(
            mark=([self.offset], [here.real.mean()]),
            deviation=here.real.std(),
            **_curves(self.content, self.seed, self.head_dim, self.base, self.largest),
        )

    def draw(self, figure: Figure) -> list:
        """The score, before the area of what lies around it."""
        unit, limits, names = LOOKS[self.content]
        axes = figure.subplots()
        zero(axes)
        pale: dict[str, Any] = {"facecolor": "C6", "alpha": 0.2, "animated": True}
        (area,) = axes.fill([], [], label=names[1], **pale)
        around = Other(area, lambda a: {"xy": np.transpose(a.around)})
        curve = Dense(axes, {"color": "C0"}, "curve", names[0], stroke=1.6)
        mark = Curve(axes, "C1o", "mark", "the offset", marks=1.6)
        axes.set(xlim=(-600, 33_400), xlabel="offset (tokens)", ylim=limits, ylabel=unit)
        axes.yaxis.set_major_locator(MaxNLocator(5, steps=(1, 2, 5, 10)))
        whole(axes.xaxis, most=4)
        legend_above(figure, [curve, area, mark])
        return [Limits(axes, _limits), around, curve, mark]

    def caption(self, arrays: Arrays) -> str:
        """The score at the offset, and how often it rises."""
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
            f"{arrays.rises:,} of {arrays.largest:,} steps."
        )


def _limits(arrays):
    """All offsets; the score of q = k gets the height, as its area is the same above and below."""
    _, (low, high), _ = LOOKS[arrays.content]
    if arrays.content == "aligned":
        low = min(np.floor(5 * arrays.curve[1].min()) / 5, 0) - 0.1
    return {"xlim": with_room(0, arrays.largest, 0.018), "ylim": (low, high)}


def pair_products(content, seed, head_dim):
    """Each pair of q times the conjugate of k's, [seeds, head_dim/2], in the axis's unit.

    Rotated by offset × inv_freq and added up, their real part is the score.
    """
    if content == "aligned":
        return np.full((1, head_dim // 2), 2 / head_dim, dtype=complex)
    shape = (2, SEEDS if content == "many seeds" else 1, head_dim)
    q, k = np.random.default_rng(seed).standard_normal(shape).view(complex)
    return q * k.conj() / head_dim**0.5


@functools.lru_cache(maxsize=4)
def _curves(content, seed, head_dim, base, largest):
    """The lines to draw, each as x and y: of one q and k at every offset, of many at a sample."""
    inv_freq = rotary_frequencies(head_dim, base)
    products = pair_products(content, seed, head_dim)
    if content == "many seeds":
        sampled = np.unique(np.linspace(0, largest, RANGES + 1).astype(int))
        turns = _turns(sampled, inv_freq)
        scores = products.real @ turns.real.T - products.imag @ turns.imag.T
        mean, deviation = scores.mean(axis=0), scores.std(axis=0)
        around = _area(sampled, mean + deviation, mean - deviation)
        return {"curve": (sampled, mean), "around": around, "rises": None}
    sums = turned_sums(products[0], largest + 1, inv_freq)
    offsets, _, above = in_ranges(np.abs(sums))
    curve = through_ranges(np.arange(largest + 1), sums.real)
    rises = int((np.diff(sums.real) > 0).sum())
    return {"curve": curve, "around": _area(offsets, above, -above), "rises": rises}


def _area(x, above, below):
    """The outline of what lies between two lines, as x and y."""
    return np.concatenate([x, x[::-1]]), np.concatenate([above, below[::-1]])


def _turns(offsets, inv_freq):
    angles = rotary_angles(offsets, inv_freq)
    return np.cos(angles) + 1j * np.sin(angles)  # in a third of the time of exp(1j · angles)


def turned_sums(products, length, inv_freq):
    """Sum of the rotated products at offsets 0 … length − 1: the score is its real part.

    Every offset is a · stride + b with b < stride, so two small tables and one product of matrices
    replace length × head_dim/2 exponentials.
    """
    stride = int(np.ceil(np.sqrt(length)))
    coarse = _turns(stride * np.arange(stride), inv_freq)
    return ((products * coarse) @ _turns(np.arange(stride), inv_freq).T).ravel()[:length]
