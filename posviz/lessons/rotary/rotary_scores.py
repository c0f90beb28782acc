"""The scores of all queries with all keys, without RoPE and with it."""

import math
import zlib

import numpy as np
from matplotlib.figure import Figure

from posviz.arrays import Array, namespace, to_device, to_numpy
from posviz.encodings.frequencies import rotary_angles, rotary_frequencies
from posviz.encodings.rotary import apply_rotary
from posviz.lessons.order.shuffled_sentence import words_of
from posviz.pictures.knobs import choice, device, even, integer, log, log_integer, text
from posviz.pictures.layouts import maps_and_curves
from posviz.pictures.parts import (
    SEVERAL_PAIRS,
    Dense,
    Limits,
    Map,
    legend_above,
    through_ranges,
    whole,
    wide,
    zero,
)
from posviz.pictures.picture import Arrays, Picture
from posviz.wording import signed

LONGEST = 4096
CELLS = 512  # what a map can show of a long text
NEAR = 2  # offsets up to here are near the diagonal
LIMITS = {  # ends of the colours, ends of the curves
    "one token": (3, (-4, 4)),
    "aligned": (16, (-10, 17)),
    "random": (3, (-4, 4)),
    "sentence": (3, (-4, 4)),
}


class RotaryScores(Picture):
    """Scores without RoPE and with it: what is added depends on the offset alone."""

    size = (9.0, 3.9)
    paper_size = (3.3, 3.0)

    content = choice("one token", options=tuple(LIMITS), redraw=True)
    seq_len = log_integer(64, low=8, high=LONGEST, play=True)
    base = log(10_000, low=10, high=1_000_000, when={"head_dim": SEVERAL_PAIRS})
    seed = integer(3, low=0, high=99)
    head_dim = even(64, low=2, high=128, more=True)
    sentence = text(
        "the cat sat on the mat", max_length=80, when={"content": ("sentence",)}, more=True
    )
    where = device(more=True)

    def compute(self) -> Arrays:
        """Return scores [cells, cells] and their mean at each offset, without RoPE and with it.

        NumPy computes in float64, the other devices in float32.
        """
        qk = self._vectors(self.seq_len) / self.head_dim**0.25
        if self.where != "NumPy":
            qk = to_device(qk.astype(np.float32), self.where)
        inv_freq = rotary_frequencies(self.head_dim, self.base)
        pairs = qk, apply_rotary(qk, rotary_angles(np.arange(self.seq_len), inv_freq))
        # A score is linear in query and key: the mean over a block is the score of their means.
        maps = [to_numpy(_block_means(q) @ _block_means(k).T) for q, k in pairs]
        offsets = np.arange(1 - self.seq_len, self.seq_len)
        means = [_sums_by_offset(*pair) / (self.seq_len - abs(offsets)) for pair in pairs]
        return self.arrays(
            maps=maps,
            curves=[through_ranges(offsets, each) for each in means],
            means=_near_and_far(offsets, means[1]),
            ends={"xlim": (-1.02 * self.seq_len, 1.02 * self.seq_len)},
        )

    def _vectors(self, seq_len):
        """Queries and keys before any rotation, [2, seq_len, head_dim]."""
        shape = (2, self.head_dim)
        if self.content == "random":
            every = np.random.default_rng(self.seed).standard_normal((seq_len, *shape))
            return every.swapaxes(0, 1)
        words = words_of(self.sentence) if self.content == "sentence" else [""]
        seeds = [[self.seed, zlib.crc32(word.encode())] for word in words]
        vectors = np.array([np.random.default_rng(seed).standard_normal(shape) for seed in seeds])
        if self.content == "aligned":
            vectors[:, 0] = vectors[:, 1]
        return vectors[np.arange(seq_len) % len(words)].swapaxes(0, 1)

    def draw(self, figure: Figure) -> list:
        """Both maps, and the mean of each of their diagonals: beside them where there is room."""
        limit, ends = LIMITS[self.content]
        *heats, means = maps_and_curves(figure, 1.2, 2.6)
        look = {"limits": (-limit, limit), "aspect": "equal", "most": (LONGEST, LONGEST)}
        look["size"] = lambda a: (a.seq_len, a.seq_len)
        maps = [Map(axes, f"maps[{i}]", **look) for i, axes in enumerate(heats)]
        for axes, title in zip(heats, ("without RoPE", "with RoPE"), strict=True):
            axes.set(xlim=(0, LONGEST), ylim=(LONGEST, 0), title=title)
        side, aspect = ("bottom", 30) if wide(figure) else ("right", 20)
        bar = figure.colorbar(maps[0].image, ax=heats, location=side, aspect=aspect, extend="both")
        bar.set_label("score / √head_dim")
        bar.set_ticks((-limit, 0, limit))
        zero(means)
        dashed = {"color": "C1", "linestyle": "--", "zorder": 2.1}
        lines = [
            Dense(means, dashed, "curves[0]", "without RoPE"),
            Dense(means, {"color": "C0"}, "curves[1]", "with RoPE"),
        ]
        means.set(xlabel="offset, query − key (tokens)", ylabel="mean score")
        means.set(xlim=(-LONGEST, LONGEST), ylim=ends)
        whole(means.xaxis, means.yaxis, most=4, fewest=2)
        legend_above(figure, lines)
        return [*maps, *lines, Limits(means, "ends")]

    def caption(self, arrays: Arrays) -> str:
        """Mean scores with RoPE near the diagonal and far from it."""
        near, far = (signed(mean, ".2f") for mean in arrays.means)
        return (
            f"With RoPE the mean score of {arrays.seq_len} tokens is {near} near the diagonal, up "
            f"to a distance of {NEAR}, and {far} farther away."
        )


def _block_means(x: Array) -> Array:
    """Means of neighbouring rows of x [seq_len, head_dim]; the last block may be a short one."""
    seq_len, width = len(x), math.ceil(len(x) / CELLS)
    if width == 1:
        return x
    whole = seq_len // width * width
    means = x[:whole].reshape(-1, width, x.shape[-1]).mean(1)
    if whole == seq_len:
        return means
    return namespace(x).concat([means, x[whole:].mean(0)[None]])


def _sums_by_offset(q: Array, k: Array) -> np.ndarray:
    """Sum of the scores on every diagonal, from offset 1 − seq_len to seq_len − 1.

    That is a correlation of queries with keys: by Fourier transforms it needs no table of scores.
    """
    seq_len = len(q)
    padded = 1 << (2 * seq_len - 1).bit_length()
    # A row for each dimension: numbers that lie side by side are transformed twice as fast.
    rows = (np.ascontiguousarray(to_numpy(x).T, dtype=float) for x in (k, q))
    keys, queries = (np.fft.rfft(x, n=padded) for x in rows)
    sums = np.fft.irfft(np.vecdot(keys, queries, axis=0), n=padded)  # type: ignore[call-overload]
    return np.concatenate([sums[padded - seq_len + 1 :], sums[:seq_len]])


def _near_and_far(offsets, means):
    """Mean score over all pairs near the diagonal, and over all others."""
    pairs, near = (len(offsets) + 1) // 2 - abs(offsets), abs(offsets) <= NEAR
    return [np.average(means[part], weights=pairs[part]) for part in (near, ~near)]
