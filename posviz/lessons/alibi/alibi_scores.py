"""ALiBi on top of scores that depend on contents: what a key that fits wins from afar."""

import functools
from typing import Any

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure

from posviz.arrays import Array, namespace, to_device, to_numpy
from posviz.attention import softmax
from posviz.encodings.alibi import alibi_bias, alibi_slopes
from posviz.encodings.relative import offsets
from posviz.lessons.alibi.alibi_slopes import slope_words
from posviz.lessons.alibi.weight_by_distance import LOWEST, draw_weight_axis
from posviz.lessons.rotary.rotary_scores import LONGEST, cell_width, float32_words, score_panels
from posviz.pictures.knobs import device, integer, log_integer, real
from posviz.pictures.parts import (
    RANGES,
    Curve,
    Dense,
    Limits,
    Map,
    Rule,
    greyed,
    legend_above,
    through_ranges,
    whole,
    wide,
)
from posviz.pictures.picture import Arrays, Picture
from posviz.pictures.style import SIGNED

HEADS, HEAD_DIM = 8, 64
FIT = 8.0  # score of the planted key with the last query, where other keys have a deviation of 1
LIMIT = 5.0  # of the colours


class AlibiScores(Picture):
    """Content against distance: scores without ALiBi and with it, and what the last query sees."""

    size = (9.0, 3.9)
    paper_size = (3.3, 3.1)
    combined = (("head", "distance"), ("head", "content"))

    head = integer(2, low=1, high=HEADS, play=True)
    content = real(1.0, low=0.0, high=5.0, step=0.1, label="content ×")
    distance = log_integer(
        30, low=1, high=LONGEST - 1, until=lambda p: p.seq_len - 1, label="planted at"
    )
    seq_len = log_integer(64, low=8, high=LONGEST, label="tokens")
    seed = integer(0, low=0, high=99)
    where = device()

    def compute(self) -> Arrays:
        """Return scores [cells, cells] and the last query's weights, without ALiBi and with it.

        NumPy computes in float64, the others in float32: `error` is by how much they differ.
        """
        seq_len, distance = self.seq_len, self.held("distance")
        slope = alibi_slopes(HEADS)[self.head - 1 : self.head]
        q, k = _vectors(seq_len, distance, self.seed)
        q = self.content * q
        results, error = _results(q, k, slope), None
        if self.where != "NumPy":
            q, k, slope = (to_device(x.astype(np.float32), self.where) for x in (q, k, slope))
            exact, results = results, _results(q, k, slope)
            error = max(np.abs(a - b).max() for a, b in zip(results, exact, strict=True))
        maps, rows = [_filled(scores) for scores in results[:2]], results[2:]
        return self.arrays(
            maps=maps,
            curves=[through_ranges(np.arange(seq_len), np.maximum(row, LOWEST)) for row in rows],
            planted=[row[distance] for row in rows],
            slope=float(alibi_slopes(HEADS)[self.head - 1]),
            score=FIT * self.content,
            last=seq_len - 1,
            error=error,
        )

    def draw(self, figure: Figure) -> list:
        """Both maps, and the last query's weights: beside them where there is room."""
        *maps, row = score_panels(figure, 0.95, 2.2)
        without, ring = _draw_map(maps[0], lambda a: a.maps[0])
        with_alibi, other_ring = _draw_map(maps[1], lambda a: a.maps[1])
        maps[0].set_title("scores without")
        maps[1].set_title("with ALiBi")
        bar: dict[str, Any] = {
            "ticks": (-LIMIT, 0, LIMIT),
            "extend": "both",
            "label": "score (grey: ahead)",
        }
        side, aspect = ("bottom", 30) if wide(figure) else ("right", 20)
        figure.colorbar(without.image, ax=maps, location=side, aspect=aspect, **bar)
        lines, marks, planted, limits = _draw_row(row)
        legend_above(figure, [*lines, planted], narrow=2)
        return [without, ring, with_alibi, other_ring, *lines, *marks, planted, limits]

    def caption(self, arrays: Arrays) -> str:
        """What the planted key scores, what the bias takes, and the weight it gets."""
        without, kept = arrays.planted[:2]
        lost, seq_len = arrays.slope * arrays.distance, arrays.seq_len
        tokens = "token" if arrays.distance == 1 else "tokens"
        farthest = " (the farthest there is)" * bool(arrays.beyond)
        scores = f"scores {arrays.score:.1f}, of which head {arrays.head} of {HEADS} "
        if arrays.score == 0:
            scores = (
                f"scores 0 like every key, whatever the seed, and head {arrays.head} of {HEADS} "
            )
        width = cell_width(seq_len)
        cells = f"; a cell is the mean over {width} × {width} pairs not ahead" * (width > 1)
        if seq_len > RANGES:
            cells += f"; lines have the lowest and highest of {RANGES} ranges"
        return (
            f"The key planted {arrays.distance} {tokens} back{farthest} {scores}(slope "
            f"{slope_words(arrays.slope)}) takes {lost:.4g}, so that among {seq_len} tokens its "
            f"weight is {_number(kept)} with ALiBi and {_number(without)} without{cells}"
            f"{float32_words(arrays)}."
        )


@functools.lru_cache(maxsize=4)
def _drawn(seq_len, seed):
    """Queries and keys at each distance from the last token [2, seq_len, head_dim]."""
    every = np.random.default_rng(seed).standard_normal((seq_len, 2, HEAD_DIM))
    return every.swapaxes(0, 1)


def _vectors(seq_len, distance, seed):
    """Queries and keys [seq_len, head_dim]; the key at the distance points as the last query."""
    q, k = _drawn(seq_len, seed)[:, ::-1].copy()
    k[-1 - distance] = q[-1] * FIT * HEAD_DIM**0.5 / (q[-1] @ q[-1])
    return q, k


def _results(q: Array, k: Array, slope: Array) -> list[np.ndarray]:
    """Scores without ALiBi and with it, then weights by distance: so, and of the bias alone."""
    scores, seq_len = _block_means(q, k) / HEAD_DIM**0.5, len(q)
    bias = to_numpy(alibi_bias(slope, _mean_offsets(seq_len)))[0]
    row = k @ q[-1] / HEAD_DIM**0.5
    line = alibi_bias(slope, offsets([seq_len - 1], np.arange(seq_len)))[0, 0]
    rows = [to_numpy(softmax(each))[::-1] for each in (row, row + line, line)]
    return [scores, scores + bias, *rows]


def _sizes(seq_len):
    """How many tokens each row of the map has: the last may have fewer."""
    starts = np.arange(0, seq_len, cell_width(seq_len))
    return starts, np.minimum(seq_len - starts, cell_width(seq_len))


def _mean_offsets(seq_len):
    """The mean offset of each cell, over keys that are not ahead; the bias is linear in it."""
    starts, sizes = _sizes(seq_len)
    middles = starts + (sizes - 1) / 2
    apart = offsets(middles, middles)
    np.fill_diagonal(apart, (sizes - 1) / 3)
    return apart


def _block_means(q: Array, k: Array) -> np.ndarray:
    """The mean of q·k over each cell's pairs not ahead [cells, cells], without a table of all.

    A mean over a block is the product of mean query and mean key; on the diagonal each query meets
    the sum of the keys up to its own.
    """
    seq_len, width = len(q), cell_width(len(q))
    if width == 1:
        return to_numpy(q @ k.T)
    xp, sizes = namespace(q, k), _sizes(seq_len)[1]
    q, k = (xp.concat([x, 0 * x[: -seq_len % width]]) for x in (q, k))  # rows that add nothing
    q, k = (xp.reshape(x, (-1, width, HEAD_DIM)) for x in (q, k))
    sums = to_numpy(xp.sum(q, axis=1) @ xp.sum(k, axis=1).T)
    means = sums / np.outer(sizes, sizes)
    seen = to_numpy(xp.sum(q * xp.cumulative_sum(k, axis=1), axis=(1, 2)))
    np.fill_diagonal(means, seen / (sizes * (sizes + 1) / 2))
    return means


def _filled(scores):
    """What exceeds the colours takes the last one, and keys ahead have none."""
    ahead = np.arange(len(scores))[:, None] < np.arange(len(scores))
    return np.where(ahead, np.nan, np.clip(scores, -LIMIT, LIMIT))


def _number(weight):
    if weight == 0:
        return "0 (it underflows)"
    return f"{weight:.3f}" if weight >= 1e-3 else f"{weight:.1e}"


def _draw_map(axes, show):
    """A map with room for the labels of the longest text, and a ring around the planted key."""
    look = {"cmap": greyed(SIGNED), "limits": (-LIMIT, LIMIT), "aspect": "equal"}
    size = {"most": (LONGEST, LONGEST), "size": lambda a: (a.seq_len, a.seq_len)}
    scores = Map(axes, show, **size, **look)
    look = {"markerfacecolor": "none", "markeredgewidth": rcParams["lines.linewidth"]}
    look |= {"clip_on": False, "in_layout": False}  # it is placed later
    ring = Curve(axes, "C3o", lambda a: ([a.last - a.distance], [a.last]), marks=1.5, **look)
    axes.set(xlim=(0, LONGEST), ylim=(LONGEST, 0))
    return scores, ring


def _draw_row(axes):
    """Lines for the weights without ALiBi, with it and of the bias alone; marks of the key."""
    dots = {"color": "C3", "ls": ":"}
    planted = Rule(axes, dots, lambda a: a.distance, "planted key")
    thin = {"lw": rcParams["lines.linewidth"] / 1.5}
    looks = {"without ALiBi": ("C1", "--"), "with ALiBi": ("C0", "-"), "bias alone": ("C2", "-.")}
    lines = [
        Dense(axes, {"color": colour, "ls": dashes, **thin}, lambda a, at=at: a.curves[at], label)
        for at, (label, (colour, dashes)) in enumerate(looks.items())
    ]
    marks = [
        Curve(axes, look, lambda a, at=at: ([a.distance], [a.planted[at]]))
        for at, look in enumerate(("C1s", "C0o"))
    ]
    axes.set(title="weights of the last query", xlim=(-80, LONGEST))
    draw_weight_axis(axes)
    whole(axes.xaxis, most=3)
    return lines, marks, planted, Limits(axes, lambda a: {"xlim": (-0.02 * a.last, 1.02 * a.last)})
