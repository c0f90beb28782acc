"""T5's buckets: exact for near keys, coarse for far ones, one for all beyond."""

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure

from posviz.encodings.relative import offsets
from posviz.encodings.t5 import t5_bucket
from posviz.pictures.knobs import Even, Integer
from posviz.pictures.parts import (
    Curve,
    Limits,
    Map,
    Other,
    broken,
    greyed,
    legend_above,
    on_colours,
    whole,
    wide,
)
from posviz.pictures.picture import Arrays, Picture
from posviz.pictures.style import PLAIN
from posviz.wording import signed

MAX_DISTANCE = 128  # as in T5
FURTHEST = 200  # offsets of the curve: beyond max_distance, where nothing changes
OFFSETS = np.arange(-FURTHEST, FURTHEST + 1)
MOST, TOKENS = 64, 128  # buckets; tokens of the map
APART = offsets(np.arange(TOKENS), np.arange(TOKENS))


class T5Buckets(Picture):
    """T5 gives each near offset its own bucket; far offsets share buckets."""

    size = (8.0, 3.7)
    paper_size = (3.3, 3.9)

    offset = Integer(20, low=-FURTHEST, high=FURTHEST, play=True)
    num_buckets = Even(32, low=4, high=MOST)

    def compute(self) -> Arrays:
        """Return the bucket of each offset −200 … 200 as runs, and that of each pair as colours.

        runs: (first offset, last offset, bucket), [runs, 3]; colours: of the buckets [num_buckets],
        of the pairs [tokens, tokens]; band: the lines around the offset's bucket in their map.
        """
        buckets = t5_bucket(OFFSETS, num_buckets=self.num_buckets, max_distance=MAX_DISTANCE)
        runs, used = _runs(buckets), np.unique(buckets)
        colours = np.full(self.num_buckets, -2.0)  # grey, where no offset uses it
        colours[used] = used / (self.num_buckets - 1)
        here = runs[np.searchsorted(runs[:, 1], self.offset)]
        bucket, top = here[2], self.num_buckets - 0.5
        return self.arrays(
            runs=runs,
            here=here,
            bars=_bars(runs),
            bar=_bars(here[None]),
            mark=([self.offset], [bucket]),
            read_off=([self.offset, self.offset, -FURTHEST], [-0.5, bucket, bucket]),
            band=_band(here[0], here[1]),
            colours=colours,
            column={"data": colours[:, None], "extent": (0, 1, top, -0.5)},
            rows={"ylim": (-0.5, top)},
            pairs=colours[buckets[APART + FURTHEST]],
            used=len(used),
        )

    def draw(self, figure: Figure) -> list:
        """A colour for each bucket, the offsets of each, and the bucket of all pairs."""
        if wide(figure):
            panels = figure.subplot_mosaic("abc", width_ratios=(1.5, 15, 13))
        else:
            panels = figure.subplot_mosaic("ab;cc", width_ratios=(2.2, 15), height_ratios=(1, 1.3))
        table, curve, matrix = panels.values()
        colours = greyed(PLAIN, "under")
        column = table.imshow([[0]], cmap=colours, vmin=0, vmax=1, animated=True)
        table.set(xlim=(0, 1), xticks=(), ylim=(-0.5, MOST - 0.5), ylabel="bucket")
        curve.set_ylim(-0.5, MOST - 0.5)
        whole(table.yaxis, curve.yaxis, most=8, steps=None)
        lines = _draw_curve(curve)
        room = {"most": APART.shape, "limits": (0, 1), "aspect": "equal"}
        pairs = Map(matrix, "pairs", cmap=colours, **room)
        matrix.set(xlabel="key (position)", ylabel="query (position)")
        matrix.set_title("the bucket of each pair", loc="left")
        whole(matrix.xaxis, matrix.yaxis, most=4)
        _, buckets, here, _ = lines
        legend_above(figure, [buckets, here, curve.lines[0]], narrow=2, handlelength=1.6)
        band = on_colours(matrix, "band", "C1-")
        limits = [Limits(axes, "rows") for axes in (table, curve)]
        return [Other(column, "column"), pairs, *lines, *band, *limits]

    def caption(self, arrays: Arrays) -> str:
        first, last, bucket = arrays.here
        holds = f"offsets {signed(first)} … {signed(last)}".replace(str(FURTHEST), "∞")
        company = "no other" if first == last else holds
        return (
            f"Offset {signed(arrays.offset)} is in bucket {bucket}, which holds {company}, and "
            f"{arrays.used} of {arrays.num_buckets} buckets are used."
        )


def _draw_curve(axes):
    """A bar for each bucket over its offsets, and a line from the knob's offset to its bucket."""
    axes.set(xlabel="offset, query − key (tokens)", xlim=(-FURTHEST - 0.5, FURTHEST + 0.5))
    ticks = (-128, -64, 0, 64, 128)
    axes.set_xticks(ticks, map(signed, ticks))
    axes.set_title("← key after", loc="left")
    axes.set_title("key before →", loc="right")
    axes.tick_params(labelleft=False)
    for end in (-MAX_DISTANCE, MAX_DISTANCE):
        axes.axvline(end, label="max_distance", color="C6", ls=":")
    flat = {"solid_capstyle": "butt"}
    return [
        Curve(axes, "--", "read_off", color=rcParams["text.color"]),
        Curve(axes, "C0", "bars", "buckets", stroke=2.5, **flat),
        Curve(axes, "C1", "bar", "the offset’s bucket", stroke=5, **flat),
        # The bar of a bucket of one offset is too narrow to be seen alone.
        Curve(axes, "C1o", "mark"),
    ]


def _bars(runs):
    """A bar over the offsets of each bucket: x and y of one line with gaps."""
    first, last, bucket = runs.T
    return broken(np.array([[first - 0.5, last + 0.5], [bucket, bucket]]).T)


def _band(first, last):
    """Along the first and the last offset of a bucket, as far as the map has them, as x and y."""
    edges = np.array([first - 0.5, last + 0.5])
    edges = edges[np.abs(edges) < TOKENS]
    keys = np.stack([np.maximum(-edges, 0) - 0.5, TOKENS - 0.5 - np.maximum(edges, 0)], axis=-1)
    return broken(np.stack([keys, keys + edges[:, None]], axis=-1))


def _runs(buckets):
    """(first offset, last offset, bucket) of each bucket that is used, [runs, 3]."""
    changes = np.flatnonzero(np.diff(buckets))
    first, last = np.append(0, changes + 1), np.append(changes, len(OFFSETS) - 1)
    return np.stack([OFFSETS[first], OFFSETS[last], buckets[first]], axis=-1)
