"""ALiBi on top of scores that depend on contents: what a key that fits wins from afar."""

import functools

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure

from posviz.arrays import Array, namespace, to_device, to_numpy
from posviz.attention import softmax
from posviz.encodings.alibi import alibi_bias, alibi_slopes
from posviz.encodings.relative import offsets
from posviz.lessons.alibi.alibi_slopes import slope_words
from posviz.lessons.alibi.weight_by_distance import LOWEST, draw_weight_axis
from posviz.pictures.knobs import device, integer, log_integer, real
from posviz.pictures.layouts import maps_and_curves
from posviz.pictures.parts import (
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

LONGEST, CELLS = 4096, 512  # tokens; rows that a map has at most
HEADS, HEAD_DIM = 8, 64
FIT = 8.0  # score of the planted key with the last query, where other keys have a deviation of 1
LIMIT = FIT  # of the colours
LOOKS = {"without ALiBi": ("C1", "--"), "with ALiBi": ("C0", "-")}


class AlibiScores(Picture):
    """Content against distance: scores without ALiBi and with it, and what the last query sees."""

    size = (9.0, 3.9)
    paper_size = (3.3, 3.1)

    head = integer(2, low=1, high=HEADS, play=True)
    distance = log_integer(
        30, low=1, high=LONGEST - 1, until=lambda p: p.seq_len - 1, label="planted back"
    )
    content = real(1.0, low=0.0, high=5.0, step=0.1, label="scores ×", more=True)
    seq_len = log_integer(64, low=8, high=LONGEST, label="tokens")
    seed = integer(0, low=0, high=99, more=True)
    where = device(more=True)

    def compute(self) -> Arrays:
        """Return scores [cells, cells] and the last query's weights, without ALiBi and with it.

        NumPy computes in float64, the others in float32.
        """
        last, slope = self.seq_len - 1, alibi_slopes(HEADS)[self.head - 1 : self.head]
        q, k = _vectors(self.seq_len, self.distance, self.seed)
        given = self.content * q, k, slope
        if self.where != "NumPy":
            given = tuple(to_device(x.astype(np.float32), self.where) for x in given)
        without, with_alibi, *rows = _results(*given)
        ahead = np.triu(np.ones(without.shape, bool), 1)
        clipped = (np.clip(scores, -LIMIT, LIMIT) for scores in (without, with_alibi))
        planted = [row[self.distance] for row in rows]
        return self.arrays(
            maps=[np.where(ahead, np.nan, scores) for scores in clipped],
            ring=([last - self.distance], [last]),
            curves=[through_ranges(np.arange(last + 1), np.maximum(row, LOWEST)) for row in rows],
            planted=planted,
            marks=[([self.distance], [weight]) for weight in planted],
            slope=slope[0],
            ends={"xlim": (-0.02 * last, 1.02 * last)},
        )

    def draw(self, figure: Figure) -> list:
        """Both maps, and the last query's weights: beside them where there is room."""
        *maps, row = maps_and_curves(figure, 0.95, 2.2)
        look = {"cmap": greyed(SIGNED), "limits": (-LIMIT, LIMIT), "aspect": "equal"}
        look |= {"most": (LONGEST, LONGEST), "size": lambda a: (a.seq_len, a.seq_len)}
        ring = {"markerfacecolor": "none", "markeredgewidth": rcParams["lines.linewidth"]}
        ring |= {"clip_on": False, "in_layout": False}  # it is placed later
        shown = [Map(axes, f"maps[{i}]", **look) for i, axes in enumerate(maps)]
        rings = [Curve(axes, "C3o", "ring", marks=1.5, **ring) for axes in maps]
        for axes, title in zip(maps, ("scores without", "with ALiBi"), strict=True):
            axes.set(title=title, xlim=(0, LONGEST), ylim=(LONGEST, 0))
        side, aspect = ("bottom", 30) if wide(figure) else ("right", 20)
        bar = figure.colorbar(shown[0].image, ax=maps, location=side, aspect=aspect, extend="both")
        bar.set_label("score (grey: future)")
        bar.set_ticks((-LIMIT, 0, LIMIT))
        planted = Rule(row, {"color": "C3", "ls": ":"}, "distance", "planted key")
        thin = rcParams["lines.linewidth"] / 1.5
        lines = [
            Dense(row, {"color": colour, "ls": dashes, "lw": thin}, f"curves[{i}]", label)
            for i, (label, (colour, dashes)) in enumerate(LOOKS.items())
        ]
        marks = [Curve(row, look, f"marks[{i}]") for i, look in enumerate(("C1s", "C0o"))]
        row.set(title="weights of the last query", xlim=(-80, LONGEST))
        draw_weight_axis(row)
        whole(row.xaxis, most=3)
        legend_above(figure, [*lines, planted], narrow=2)
        return [*shown, *rings, *lines, *marks, planted, Limits(row, "ends")]

    def caption(self, arrays: Arrays) -> str:
        """The weight of the planted key, without ALiBi and with it."""
        without, kept = arrays.planted
        return (
            f"Head {arrays.head}, with the slope {slope_words(arrays.slope)}, leaves the planted "
            f"key a weight of {kept:.3g}, and without ALiBi it has {without:.3g}."
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
    """Scores without ALiBi and with it, then the last query's weights by distance."""
    seq_len = len(q)
    starts = np.arange(0, seq_len, -(-seq_len // CELLS))
    sizes = np.diff(starts, append=seq_len)  # tokens that share a row of the map
    middles = starts + (sizes - 1) / 2
    apart = offsets(middles, middles)  # means of the cells over keys not ahead
    np.fill_diagonal(apart, (sizes - 1) / 3)
    scores = _block_means(q, k, sizes) / HEAD_DIM**0.5
    bias = to_numpy(alibi_bias(slope, apart))[0]
    row = k @ q[-1] / HEAD_DIM**0.5
    line = alibi_bias(slope, offsets([seq_len - 1], np.arange(seq_len)))[0, 0]
    rows = [to_numpy(softmax(each))[::-1] for each in (row, row + line)]
    return [scores, scores + bias, *rows]


def _block_means(q: Array, k: Array, sizes: np.ndarray) -> np.ndarray:
    """The mean of q·k over each cell's pairs not ahead [cells, cells], without a table of all.

    A mean over a block is the product of mean query and mean key; on the diagonal each query meets
    the sum of the keys up to its own.
    """
    width = int(sizes[0])
    if width == 1:
        return to_numpy(q @ k.T)
    xp = namespace(q, k)
    q, k = (xp.concat([x, 0 * x[: -len(x) % width]]) for x in (q, k))  # rows that add nothing
    q, k = (xp.reshape(x, (-1, width, HEAD_DIM)) for x in (q, k))
    means = to_numpy(xp.sum(q, axis=1) @ xp.sum(k, axis=1).T) / np.outer(sizes, sizes)
    seen = to_numpy(xp.sum(q * xp.cumulative_sum(k, axis=1), axis=(1, 2)))
    np.fill_diagonal(means, seen / (sizes * (sizes + 1) / 2))
    return means
