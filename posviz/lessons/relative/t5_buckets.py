"""T5's buckets: exact for near keys, coarse for far ones, one for all beyond."""

import functools

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from posviz.encodings.relative import offsets
from posviz.encodings.t5 import t5_bucket
from posviz.pictures.knobs import even, integer, switch
from posviz.pictures.parts import (
    Curve,
    Limits,
    Map,
    Other,
    Rule,
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

FURTHEST = 2000  # offsets of the curve: beyond the largest max_distance, where nothing changes
LONGEST = 512
MOST = 64
TICKS = (-1000, -100, -10, 0, 10, 100, 1000)
UNUSED = -2.0  # below every colour


class T5Buckets(Picture):
    """T5's buckets: a number for each near offset, one for many far ones."""

    size = (8.0, 4.0)
    paper_size = (3.3, 3.9)

    offset = integer(20, low=-200, high=200, play=True)
    num_buckets = even(32, low=4, high=MOST)
    max_distance = integer(128, low=8, high=1024, step=8)
    bidirectional = switch(True)
    seq_len = integer(128, low=16, high=LONGEST, step=16)

    def compute(self) -> Arrays:
        """Return the bucket of each offset −2000 … 2000 as runs, and that of each pair as colours.

        runs: (first offset, last offset, bucket), [runs, 3]; colours: of the buckets [num_buckets],
        of the pairs [seq_len, seq_len]; band: the lines around the offset's bucket in their map.
        """
        exact = self.num_buckets // (4 if self.bidirectional else 2)
        setting = self.num_buckets, max(self.max_distance, exact + 1), self.bidirectional
        runs = _runs(*setting)
        here = runs[(runs[:, 0] <= self.offset) & (self.offset <= runs[:, 1])][0]
        return self.arrays(
            runs=runs,
            here=here,
            exact=exact,
            ends=(-setting[1] if self.bidirectional else setting[1], setting[1]),
            band=_band(here[0], here[1], self.seq_len),
            setting=(*setting, self.seq_len),
            colours=_colours(*setting),
            column=(0, 1, self.num_buckets - 0.5, -0.5),  # where the table is drawn
            pairs=_pairs(*setting, self.seq_len),
        )

    def draw(self, figure: Figure) -> list:
        """A colour for each bucket, the offsets of each, and the bucket of all pairs."""
        if wide(figure):
            panels = figure.subplot_mosaic([["table", "curve", "matrix"]], width_ratios=(1, 15, 13))
        else:
            panels = figure.subplot_mosaic(
                [["table", "curve"], ["matrix", "matrix"]],
                width_ratios=(1, 15),
                height_ratios=(1, 1.4),
            )
        table, curve, matrix = panels.values()
        colours = greyed(PLAIN, "under")
        image = table.imshow([[0]], cmap=colours, vmin=0, vmax=1, animated=True)
        buckets = Other(image, lambda a: {"data": a.colours[:, None], "extent": a.column})
        ends, read_off, runs, here, mark = _draw_curve(curve)
        room = {"most": (LONGEST, LONGEST), "limits": (0, 1), "aspect": "equal"}
        pairs = Map(matrix, lambda a: a.pairs, cmap=colours, **room)
        band = on_colours(matrix, lambda a: a.band, "C1-")
        table.set(xlim=(0, 1), xticks=(), ylim=(-0.5, MOST - 0.5), ylabel="bucket")
        curve.set_ylim(-0.5, MOST - 0.5)
        matrix.set(xlabel="key (position)", ylabel="query (position)")
        matrix.set_title("the bucket of each pair", loc="left")
        whole(matrix.xaxis, matrix.yaxis, most=4)
        whole(table.yaxis, curve.yaxis, most=8, steps=None)
        handles = [runs, here, read_off, ends[0]]
        legend_above(figure, handles, narrow=2, columnspacing=1.2, handlelength=1.6)
        rows = [Limits(axes, lambda a: {"ylim": a.column[:1:-1]}) for axes in (table, curve)]
        return [buckets, pairs, *ends, read_off, runs, here, mark, *band, *rows]

    def caption(self, arrays: Arrays) -> str:
        """The offset's bucket and company, how many are used; of the last, where it is in it."""
        num_buckets, max_distance, bidirectional, seq_len = arrays.setting
        far, last = arrays.runs[-1, [0, 2]]
        unused = np.setdiff1d(np.arange(num_buckets), arrays.runs[:, 2])
        but = " (all but those in grey)" * (len(unused) > 1)
        if len(unused) == 1:
            but = f" (all but {unused[0]}, in grey)"
        after = f"bucket {last} or {arrays.runs[0, 2]}"
        if not bidirectional:
            after = f"bucket {last}, and all keys after the query bucket {arrays.runs[0, 2]}"
        limit = f", before max_distance {max_distance}," if far < max_distance else ""
        if max_distance != arrays.max_distance:
            limit = (
                f" (max_distance is held at {max_distance}, above the {arrays.exact} exact ones)"
            )
        told = abs(arrays.offset) >= far or max_distance != arrays.max_distance
        ends = f"; from distance {far} on{limit} all share {after}" if told else ""
        outside = " (the map has no such pair)" * (abs(arrays.offset) >= seq_len)
        return (
            f"Offset {signed(arrays.offset)}, {_meant(arrays.offset)}{outside}, is in bucket "
            f"{arrays.here[2]}, {_company(*arrays.here[:2])}; {num_buckets - len(unused)} of "
            f"{num_buckets} buckets are used{but}{ends}."
        )


def _draw_curve(axes):
    """A bar for each bucket over its offsets, and a line from the knob's offset to its bucket."""
    dotted, flat = {"color": "C6", "ls": ":"}, {"solid_capstyle": "butt"}
    ends = [
        Rule(axes, dotted, lambda a: a.ends[0], "max_distance"),
        Rule(axes, dotted, lambda a: a.ends[1], "max_distance"),
    ]
    ink = {"color": rcParams["text.color"]}
    read_off = Curve(axes, "--", _read_off, "from offset to bucket", **ink)
    runs = Curve(axes, "C0", lambda a: _bars(a.runs), "buckets", stroke=2.5, **flat)
    here = Curve(axes, "C1", lambda a: _bars(a.here[None]), "its bucket", stroke=5, **flat)
    # The bar of a bucket of one offset is too narrow to be seen alone.
    mark = Curve(axes, "C1o", lambda a: ([a.offset], [a.here[2]]))
    axes.set_xscale("symlog", linthresh=10, linscale=0.8)
    axes.set(xlabel="offset, query − key (tokens)", xlim=(-FURTHEST, FURTHEST))
    axes.set_xticks(TICKS, [signed(tick) for tick in TICKS])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_title("← key after", loc="left")
    axes.set_title("key before →", loc="right")
    axes.tick_params(labelleft=False)
    return ends, read_off, runs, here, mark


def _read_off(arrays):
    """Up from the offset to its bucket, and left to the colours, as x and y."""
    bucket = arrays.here[2]
    return [arrays.offset, arrays.offset, -FURTHEST], [-0.5, bucket, bucket]


def _meant(offset):
    """Where the key is, in words."""
    if offset == 0:
        return "the query itself"
    tokens = f"{abs(offset)} token" + "s" * (abs(offset) > 1)
    side = "before" if offset > 0 else "after"
    return f"a key {tokens} {side} its query (T5 counts {signed(-offset)})"


def _company(first, last):
    """The offsets that share a bucket, in words."""
    if first == last:
        return "alone"
    if last == FURTHEST:
        return f"with all from {first} on"
    if first == -FURTHEST:
        return f"with all up to {signed(last)}"
    return f"with offsets {signed(first)} to {signed(last)}"


def _bars(runs):
    """A bar over the offsets of each bucket: x and y of one line with gaps."""
    first, last, bucket = runs.T
    return broken(np.array([[first - 0.5, last + 0.5], [bucket, bucket]]).T)


def _band(first, last, seq_len):
    """Along the first and the last offset of a bucket, as far as the map has them, as x and y."""
    edges = np.array([first - 0.5, last + 0.5])
    edges = edges[np.abs(edges) < seq_len]
    keys = np.stack([np.maximum(-edges, 0) - 0.5, seq_len - 0.5 - np.maximum(edges, 0)], axis=-1)
    return broken(np.stack([keys, keys + edges[:, None]], axis=-1))


def _bucket(apart, num_buckets, max_distance, bidirectional):
    return t5_bucket(
        apart, bidirectional=bidirectional, num_buckets=num_buckets, max_distance=max_distance
    )


@functools.lru_cache(maxsize=8)
def _runs(*setting):
    """(first offset, last offset, bucket) of each bucket that is used, [runs, 3]."""
    apart = np.arange(-FURTHEST, FURTHEST + 1)
    buckets = _bucket(apart, *setting)
    changes = np.flatnonzero(np.diff(buckets))
    first, last = np.append(0, changes + 1), np.append(changes, len(apart) - 1)
    return np.stack([apart[first], apart[last], buckets[first]], axis=-1)


def _colours(num_buckets, max_distance, bidirectional):
    """The colour of each bucket, [num_buckets]: its number from 0 to 1."""
    colours = np.full(num_buckets, UNUSED)
    used = _runs(num_buckets, max_distance, bidirectional)[:, 2]
    colours[used] = used / (num_buckets - 1)
    return colours


@functools.lru_cache(maxsize=4)
def _pairs(num_buckets, max_distance, bidirectional, seq_len):
    """The colours of all pairs, [seq_len, seq_len]."""
    positions = np.arange(seq_len)
    setting = num_buckets, max_distance, bidirectional
    return _colours(*setting)[_bucket(offsets(positions, positions), *setting)]
