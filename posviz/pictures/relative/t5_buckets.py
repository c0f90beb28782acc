"""T5's buckets: exact for near keys, coarse for far ones, one for all beyond."""

import functools
from types import SimpleNamespace

import matplotlib
import numpy as np
from matplotlib.ticker import MaxNLocator, NullLocator

from posviz.encodings.relative import offsets
from posviz.encodings.t5 import t5_bucket
from posviz.engine.knobs import even, integer, switch
from posviz.engine.looks import SIGNED
from posviz.engine.picture import Picture

FURTHEST = 2000  # offsets of the curve: beyond the largest max_distance, where nothing changes
LONGEST = 512
MOST = 64
TICKS = (-1000, -100, -10, 0, 10, 100, 1000)
UNUSED = -2.0  # below every colour


class T5Buckets(Picture):
    """T5's buckets: a number for each near offset, one for many far ones."""

    size = (9.0, 4.0)
    paper_size = (3.3, 3.9)

    offset = integer(20, low=-200, high=200, play=True)
    num_buckets = even(32, low=4, high=MOST)
    max_distance = integer(128, low=8, high=1024, step=8)
    bidirectional = switch(True)
    seq_len = integer(256, low=16, high=LONGEST, step=16)

    def compute(self):
        """Return the bucket of each offset −2000 … 2000 as runs, and that of each pair as colours.

        runs: (first offset, last offset, bucket), [runs, 3]; colours: of the buckets [num_buckets],
        of the pairs [seq_len, seq_len].
        """
        exact = self.num_buckets // (4 if self.bidirectional else 2)
        setting = self.num_buckets, max(self.max_distance, exact + 1), self.bidirectional
        runs = _runs(*setting)
        here = runs[(runs[:, 0] <= self.offset) & (self.offset <= runs[:, 1])][0]
        return SimpleNamespace(
            runs=runs,
            here=here,
            offset=self.offset,
            exact=exact,
            asked=self.max_distance,
            setting=(*setting, self.seq_len),
            colours=_colours(*setting),
            pairs=_pairs(*setting, self.seq_len),
        )

    def draw(self, figure):
        """The table in the colours of its directions, the curve of buckets, and all pairs."""
        wide = figure.get_size_inches()[0] > 5
        if wide:
            panels = figure.subplot_mosaic([["table", "curve", "matrix"]], width_ratios=(1, 15, 13))
        else:
            panels = figure.subplot_mosaic(
                [["table", "curve"], ["matrix", "matrix"]],
                width_ratios=(1, 15),
                height_ratios=(1, 1.4),
            )
        axes = SimpleNamespace(**panels)
        artists = SimpleNamespace(axes=axes, setting=None, shape=None)
        artists.images = [_image(axes.table, "auto"), _image(axes.matrix, "equal")]
        _draw_curve(axes.curve, artists)
        # Black on white lies on the map's own colours, so it is the same in both themes.
        artists.diagonal = [axes.matrix.plot([], [], c, animated=True)[0] for c in ("w-", "k--")]
        artists.diagonal[0].set_linewidth(2 * artists.diagonal[1].get_linewidth())
        axes.table.set(xticks=(), ylabel="bucket")
        axes.matrix.set(xlabel="key (position)", ylabel="query (position)")
        axes.matrix.set_title("the bucket of each pair", loc="left")
        for axis in (axes.matrix.xaxis, axes.matrix.yaxis):
            axis.set_major_locator(MaxNLocator(4, steps=(1, 2, 5, 10), integer=True))
        for axis in (axes.table.yaxis, axes.curve.yaxis):
            axis.set_major_locator(MaxNLocator(8, integer=True))
        figure.legend(
            handles=[artists.runs, artists.mark, artists.here, artists.ends[0]],
            loc="outside upper center",
            ncols=4 if wide else 2,
            columnspacing=1.2,
            handlelength=1.6,
        )
        _fit(artists, MOST, LONGEST)
        return artists

    def update(self, artists, arrays):
        """Move the offset's marks; the buckets only when they changed."""
        if artists.setting != arrays.setting:
            artists.setting = arrays.setting
            num_buckets, max_distance, bidirectional, seq_len = arrays.setting
            if artists.shape != (num_buckets, seq_len):
                _fit(artists, num_buckets, seq_len)
            artists.images[0].set_data(arrays.colours[:, None])
            artists.images[1].set_data(arrays.pairs)
            artists.runs.set_data(*_bars(arrays.runs))
            ends = (-max_distance if bidirectional else max_distance, max_distance)
            for line, end in zip(artists.ends, ends, strict=True):
                line.set_xdata([end] * 2)
        artists.here.set_data(*_bars(arrays.here[None]))
        artists.mark.set_data([arrays.offset], [arrays.here[2]])
        length = max(arrays.setting[-1] - abs(arrays.offset), 0)
        keys = max(-arrays.offset, 0) + np.array([0, length - 1] if length else [])
        for line in artists.diagonal:
            line.set_data(keys, keys + arrays.offset)

    def caption(self, arrays):
        """The bucket of the offset and who shares it, and how many buckets are used at all."""
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
        if max_distance != arrays.asked:
            limit = (
                f" (max_distance is held at {max_distance}, above the {arrays.exact} exact ones)"
            )
        outside = " (the map has no such pair)" * (abs(arrays.offset) >= seq_len)
        return (
            f"Offset {_signed(arrays.offset)}, {_meant(arrays.offset)}{outside}, is in bucket "
            f"{arrays.here[2]}, {_company(*arrays.here[:2])}; {num_buckets - len(unused)} of "
            f"{num_buckets} buckets are used{but}; from distance {far} on{limit} all share {after}."
        )


def _draw_curve(axes, artists):
    """A bar for each bucket over its offsets, and what marks the offset of the knob."""
    artists.ends = [
        axes.axvline(0, color="C6", ls=":", label="max_distance", animated=True) for _ in range(2)
    ]
    artists.runs = axes.plot([], [], color="C0", label="buckets", animated=True)[0]
    artists.here = axes.plot([], [], color="C1", label="its bucket", animated=True)[0]
    for line, width in ((artists.runs, 1.5), (artists.here, 4)):
        line.set(linewidth=width * line.get_linewidth(), solid_capstyle="butt")
    artists.mark = axes.plot([], [], "o", label="the offset", animated=True)[0]
    artists.mark.set_color(matplotlib.rcParams["text.color"])
    artists.mark.set_markersize(0.7 * artists.mark.get_markersize())
    axes.set_xscale("symlog", linthresh=10, linscale=0.8)
    axes.set(xlabel="offset, query − key (tokens)", xlim=(-FURTHEST, FURTHEST))
    axes.set_xticks(TICKS, [_signed(tick) for tick in TICKS])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_title("← key after", loc="left")
    axes.set_title("key before →", loc="right")
    axes.tick_params(labelleft=False)


def _meant(offset):
    """Where the key stands, in words."""
    if offset == 0:
        return "the query itself"
    tokens = f"{abs(offset)} token" + "s" * (abs(offset) > 1)
    side = "before" if offset > 0 else "after"
    return f"a key {tokens} {side} its query (T5 counts {_signed(-offset)})"


def _company(first, last):
    """Which offsets share a bucket, in words."""
    if first == last:
        return "alone"
    if last == FURTHEST:
        return f"with all from {first} on"
    if first == -FURTHEST:
        return f"with all up to {_signed(last)}"
    return f"with offsets {_signed(first)} to {_signed(last)}"


def _signed(number):
    return f"{number}".replace("-", "−")


def _fit(artists, num_buckets, seq_len):
    """Fit the axes to the table and to the tokens, which costs a full redraw."""
    axes, images, artists.shape = artists.axes, artists.images, (num_buckets, seq_len)
    edges, table = (-0.5, seq_len - 0.5), (-0.5, num_buckets - 0.5)
    images[0].set_extent((0, 1, *table[::-1]))
    images[1].set_extent((*edges, *edges[::-1]))
    axes.matrix.set(xlim=edges, ylim=edges[::-1])
    for each in (axes.table, axes.curve):
        each.set_ylim(table)


def _image(axes, aspect):
    """Red for keys before the query, blue for those after, as in the matrix of offsets."""
    unused = matplotlib.rcParams["grid.color"]
    colours = matplotlib.colormaps[SIGNED].with_extremes(under=unused)
    zeros = np.zeros((1, 1))
    return axes.imshow(zeros, cmap=colours, vmin=-1, vmax=1, aspect=aspect, animated=True)


def _bars(runs):
    """A bar over the offsets of each bucket: x and y of one line with gaps."""
    first, last, bucket = runs.T
    gap = np.full(len(runs), np.nan)
    x = np.stack([first - 0.5, last + 0.5, gap], axis=-1)
    y = np.stack([bucket, bucket, gap], axis=-1)
    return x.ravel(), y.ravel()


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
    """The colour of each bucket, [num_buckets]: further from 0 the farther its keys are."""
    runs = _runs(num_buckets, max_distance, bidirectional)
    half = num_buckets // 2 if bidirectional else num_buckets
    colours = np.full(num_buckets, UNUSED)
    used = runs[:, 2]
    colours[used] = np.where(used < half, used, half - used) / max(half - 1, 1)
    return colours


@functools.lru_cache(maxsize=4)
def _pairs(num_buckets, max_distance, bidirectional, seq_len):
    """The colours of all pairs, [seq_len, seq_len]."""
    positions = np.arange(seq_len)
    setting = num_buckets, max_distance, bidirectional
    return _colours(*setting)[_bucket(offsets(positions, positions), *setting)]
