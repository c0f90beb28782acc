"""Blockwise causal attention: each query sees its own block and the one before."""

from types import SimpleNamespace

import numpy as np
from matplotlib import colormaps, rcParams
from matplotlib.colors import ListedColormap
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from posviz.engine.knobs import integer
from posviz.engine.looks import PLAIN
from posviz.engine.picture import Picture
from posviz.masks import blockwise_causal_mask, causal_mask

LONGEST, WIDEST = 32, 16
MANY = 24  # blocks: with more of them, their borders would hide the map
AHEAD, CUT, BEFORE, OWN = range(4)  # what a pair is
NAMES = {OWN: "own block", BEFORE: "block before", CUT: "cut off"}


class BlockwiseMask(Picture):
    """Blockwise causal attention: nothing is farther away than in training."""

    size = (9.0, 4.2)
    paper_size = (3.3, 2.45)
    film = ("query", "block")

    query = integer(20, low=0, high=LONGEST - 1, play=True, label="query (token)")
    block = integer(8, low=1, high=WIDEST, label="block (tokens)")
    seq_len = integer(LONGEST, low=4, high=LONGEST)

    def compute(self):
        """Return what each pair is [seq_len, seq_len], and how many keys each query sees."""
        positions = np.arange(self.seq_len)
        causal = causal_mask(positions, positions)
        seen = blockwise_causal_mask(positions, positions, self.block)
        own = np.equal.outer(positions // self.block, positions // self.block)
        return SimpleNamespace(
            kinds=causal * 1 + seen + (seen & own),
            seen=seen.sum(axis=1),
            causal=causal.sum(axis=1),
            query=min(self.query, self.seq_len - 1),
            block=self.block,
        )

    def draw(self, figure):
        """The mask in its blocks; beside it how many keys each query sees, and would see."""
        matrix, counts = figure.subplots(1, 2, width_ratios=(1, 1.1), sharey=True)
        counts.set_box_aspect(1 / 1.1)  # as high as the matrix is
        colours = _colours()
        image = matrix.imshow(
            np.zeros((1, 1)), cmap=colours, vmin=AHEAD, vmax=OWN, aspect="equal", animated=True
        )
        (borders,) = matrix.plot(
            [], [], color="C6", linewidth=rcParams["axes.linewidth"], animated=True
        )
        # A hairline, or it would hide the row that it marks.
        (frame,) = matrix.plot([], [], color=rcParams["text.color"], animated=True)
        frame.set_linewidth(frame.get_linewidth() / 2)
        (causal,) = counts.plot([], [], "C1:", label="plain causal", animated=True)
        (seen,) = counts.plot([], [], "C0-", label="blockwise", animated=True)
        most = counts.axvline(0, color="C6", linestyle="--", label="2 × block", animated=True)
        most.set_linewidth(most.get_linewidth() / 1.5)
        (mark,) = counts.plot([], [], "C0o", animated=True)
        matrix.set(xlabel="key (position)", ylabel="query (position)")
        counts.set_xlabel("keys seen")
        for axis in (matrix.xaxis, matrix.yaxis, counts.xaxis):
            axis.set_major_locator(MaxNLocator(5, integer=True, steps=(1, 2, 5, 10)))
        patches = [Patch(color=colours(kind), label=name) for kind, name in NAMES.items()]
        figure.legend(
            handles=[*patches, seen, causal, most],
            loc="outside upper center",
            ncols=6 if figure.get_size_inches()[0] > 5 else 2,
            columnspacing=1.1,
            handlelength=1.4,
        )
        artists = SimpleNamespace(matrix=matrix, counts=counts, image=image, borders=borders)
        artists.frame, artists.causal, artists.seen = frame, causal, seen
        artists.most, artists.mark, artists.seq_len = most, mark, None
        _fit(artists, LONGEST)
        return artists

    def update(self, artists, arrays):
        """Colour the pairs, move borders, frame and counts; the axes only with the length."""
        seq_len = len(arrays.seen)
        if seq_len != artists.seq_len:
            _fit(artists, seq_len)
        artists.image.set_data(arrays.kinds)
        artists.borders.set_data(*_borders(seq_len, arrays.block))
        edges = np.array([-0.5, seq_len - 0.5, seq_len - 0.5, -0.5, -0.5])
        artists.frame.set_data(edges, arrays.query + np.array([-0.5, -0.5, 0.5, 0.5, -0.5]))
        artists.causal.set_data(arrays.causal, np.arange(seq_len))
        artists.seen.set_data(arrays.seen, np.arange(seq_len))
        artists.most.set_xdata([2 * arrays.block] * 2)
        artists.mark.set_data(arrays.seen[[arrays.query]], [arrays.query])

    def caption(self, arrays):
        """What the query sees, the share of pairs that is kept, and how far anyone looks."""
        query, seen, pairs = arrays.query, arrays.seen[arrays.query], arrays.causal.sum()
        clamped = " (the last)" * (self.query > query)
        keys = "itself alone"
        if query:
            keys = f"{seen} of {query + 1} keys, {query - seen + 1} … {query}"
        kept = arrays.seen.sum()
        if kept == pairs:
            share = f"two blocks hold all {len(arrays.seen)} tokens, so this is plain causal"
        else:
            share = f"{kept:,} of {pairs:,} causal pairs are kept ({kept / pairs:.0%})"
        return (
            f"The query at {query}{clamped} sees {keys}; {share}, and no offset "
            f"is above {arrays.seen.max() - 1} (2 × block − 1 is {2 * arrays.block - 1})."
        )


def _colours():
    """Of the four kinds of pairs; a key ahead has the paper's own colour."""
    rc, plain = rcParams, colormaps[PLAIN]
    return ListedColormap([rc["axes.facecolor"], rc["grid.color"], plain(0.75), plain(0.35)])


def _fit(artists, seq_len):
    """Fit the axes to the length, which costs a full redraw."""
    artists.seq_len = seq_len
    edges = (-0.5, seq_len - 0.5)
    artists.image.set_extent((*edges, *edges[::-1]))
    artists.matrix.set(xlim=edges, ylim=edges[::-1])
    artists.counts.set_xlim(0, 1.05 * seq_len)


def _borders(seq_len, block):
    """The lines between blocks, each way, as one line that stops at every NaN."""
    at = np.arange(block, seq_len if seq_len <= MANY * block else 0, block) - 0.5
    ends = np.tile([-0.5, seq_len - 0.5, np.nan], len(at))
    places = np.repeat(at, 3)
    return np.concatenate([ends, places]), np.concatenate([places, ends])
