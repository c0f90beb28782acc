"""The scores of all queries with all keys, without RoPE and with it."""

import math
import zlib
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from posviz.arrays import Array, namespace, to_device, to_numpy
from posviz.encodings.frequencies import rotary_angles, rotary_frequencies
from posviz.encodings.rotary import apply_rotary
from posviz.lessons.order.shuffled_sentence import words_of
from posviz.pictures.knobs import choice, device, even, integer, log, log_integer, text
from posviz.pictures.parts import (
    RANGES,
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
    combined = (("content", "seed"),)

    content = choice("one token", options=tuple(LIMITS), redraw=True)
    sentence = text("the cat sat on the mat", max_length=80, when={"content": ("sentence",)})
    seq_len = log_integer(64, low=8, high=LONGEST, play=True)
    head_dim = even(64, low=2, high=128)
    base = log(10_000, low=10, high=1_000_000, when={"head_dim": SEVERAL_PAIRS})
    seed = integer(3, low=0, high=99)
    where = device()

    def compute(self) -> Arrays:
        """Return scores [cells, cells] and their mean at each offset, without RoPE and with it.

        NumPy computes in float64, the others in float32: `error` is by how much their maps differ.
        """
        seq_len = self.seq_len
        qk = self._vectors(seq_len) / self.head_dim**0.25
        inv_freq = rotary_frequencies(self.head_dim, self.base)
        angles = rotary_angles(np.arange(seq_len), inv_freq)
        error = None
        if self.where != "NumPy":
            exact = _maps((qk, apply_rotary(qk, angles)))
            qk = to_device(qk.astype(np.float32), self.where)
        pairs = qk, apply_rotary(qk, angles)
        maps = _maps(pairs)
        if self.where != "NumPy":
            error = max(np.abs(a - b).max() for a, b in zip(maps, exact, strict=True))
        sums = [_sums_by_offset(*pair) for pair in pairs]
        offsets = np.arange(1 - seq_len, seq_len)
        return self.arrays(
            maps=maps,
            curves=[through_ranges(offsets, each / (seq_len - abs(offsets))) for each in sums],
            means=[_near_and_far(offsets, each) for each in sums],
            error=error,
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
        *heats, means = score_panels(figure, 1.2, 2.6)
        look = {"limits": (-limit, limit), "aspect": "equal", "most": (LONGEST, LONGEST)}
        maps = [
            Map(axes, lambda a, i=i: a.maps[i], size=lambda a: (a.seq_len, a.seq_len), **look)
            for i, axes in enumerate(heats)
        ]
        for axes in heats:
            axes.set(xlim=(0, LONGEST), ylim=(LONGEST, 0))
        heats[0].set_title("without RoPE")
        heats[1].set_title("with RoPE")
        bar: dict[str, Any] = {
            "ticks": (-limit, 0, limit),
            "extend": "both",
            "label": "score / √head_dim",
        }
        side, aspect = ("bottom", 30) if wide(figure) else ("right", 20)
        figure.colorbar(maps[0].image, ax=heats, location=side, aspect=aspect, **bar)
        zero(means)
        dashed = {"color": "C1", "linestyle": "--", "zorder": 2.1}
        lines = [
            Dense(means, dashed, lambda a: a.curves[0], "without RoPE"),
            Dense(means, {"color": "C0"}, lambda a: a.curves[1], "with RoPE"),
        ]
        means.set(xlabel="offset, query − key (tokens)", ylabel="mean score")
        means.set(xlim=(-LONGEST, LONGEST), ylim=ends)
        whole(means.xaxis, means.yaxis, most=4, fewest=2)
        legend_above(figure, lines)
        fit = Limits(means, lambda a: {"xlim": (-1.02 * a.seq_len, 1.02 * a.seq_len)})
        return [*maps, *lines, fit]

    def caption(self, arrays: Arrays) -> str:
        """Mean scores near the diagonal and far from it, and the device."""
        (near, far), (near_turned, far_turned) = arrays.means
        width = cell_width(arrays.seq_len)
        cells = f"; a cell is the mean of {width} × {width} scores" if width > 1 else ""
        if 2 * arrays.seq_len > RANGES:
            cells += f"; the curve has the lowest and highest of {RANGES} ranges"
        return (
            f"{arrays.seq_len} tokens, {arrays.content}: with RoPE the mean score is "
            f"{near_turned:.3f} near the diagonal (|i − j| ≤ {NEAR}) and {far_turned:.3f} farther "
            f"away, without it {near:.3f} and {far:.3f}{cells}{float32_words(arrays)}."
        )


def score_panels(figure, across, down):
    """Axes for two maps of scores, and for curves: beside them where there is room, else below."""
    if wide(figure):
        panels = figure.subplot_mosaic("abc", width_ratios=(1, 1, across))
    else:
        panels = figure.subplot_mosaic("ab;cc", height_ratios=(down, 1))
    left, right, _ = panels.values()
    left.set(xlabel="key (position)", ylabel="query (position)")
    right.set(xlabel="key (position)", yticks=())
    whole(left.xaxis, left.yaxis, right.xaxis, most=3, steps=None)
    return panels.values()


def float32_words(arrays):
    """How far a device's float32 is from NumPy's float64, for the caption; nothing for NumPy."""
    if arrays.error is None:
        return ""
    return (
        f"; {arrays.where} computed in float32 and differs from NumPy’s float64 by at most "
        f"{arrays.error:.1e}"
    )


def _maps(pairs):
    """The scores of each pair of queries and keys, [cells, cells]: of long texts the block means.

    A score is linear in query and key, so the mean over a block is the score of their means.
    """
    return [to_numpy(_block_means(q) @ _block_means(k).T) for q, k in pairs]


def cell_width(seq_len):
    """How many tokens share a row of the map."""
    return math.ceil(seq_len / CELLS)


def _block_means(x: Array) -> Array:
    """Means of neighbouring rows of x [seq_len, head_dim]; the last block may be a short one."""
    seq_len, width = len(x), cell_width(len(x))
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
    fft = namespace(q).fft
    spectra = fft.rfft(k, n=padded, axis=0), fft.rfft(q, n=padded, axis=0)
    spectrum = namespace(q).vecdot(*spectra)
    sums = to_numpy(fft.irfft(spectrum, n=padded))
    return np.concatenate([sums[padded - seq_len + 1 :], sums[:seq_len]])


def _near_and_far(offsets, sums):
    """Mean score over all pairs near the diagonal, and over all others."""
    near = abs(offsets) <= NEAR
    pairs = (len(offsets) + 1) // 2 - abs(offsets)
    return tuple(float(sums[part].sum() / pairs[part].sum()) for part in (near, ~near))
