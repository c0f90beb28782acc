"""Blockwise causal attention: each query sees its own block and the one before."""

import numpy as np
from matplotlib import colormaps, rcParams
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from posviz.attention.masks import blockwise_causal_mask, causal_mask
from posviz.pictures.knobs import integer
from posviz.pictures.parts import Curve, Limits, Map, Rule, legend_above, row_outline, whole
from posviz.pictures.picture import Arrays, Picture
from posviz.pictures.style import PLAIN

LONGEST, WIDEST = 32, 16
MANY = 24  # blocks: with more of them, their borders would hide the map
AHEAD, CUT, BEFORE, OWN = range(4)  # what a pair is
NAMES = {OWN: "own block", BEFORE: "block before", CUT: "cut off"}


class BlockwiseMask(Picture):
    """Blockwise causal attention: nothing is farther away than in training."""

    size = (9.0, 4.2)
    paper_size = (3.3, 2.45)

    query = integer(
        20, low=0, high=LONGEST - 1, until=lambda p: p.seq_len - 1, play=True, label="query (token)"
    )
    block = integer(8, low=1, high=WIDEST, label="block (tokens)")
    seq_len = integer(LONGEST, low=4, high=LONGEST)

    def compute(self) -> Arrays:
        """Return what each pair is [seq_len, seq_len], and how many keys each query sees."""
        positions = np.arange(self.seq_len)
        causal = causal_mask(positions, positions)
        seen = blockwise_causal_mask(positions, positions, self.block)
        own = np.equal.outer(positions // self.block, positions // self.block)
        return self.arrays(
            kinds=causal * 1 + seen + (seen & own),
            seen=seen.sum(axis=1),
            causal=causal.sum(axis=1),
            positions=positions,
        )

    def draw(self, figure: Figure) -> list:
        """The mask in its blocks; beside it how many keys each query sees, and would see."""
        matrix, counts = figure.subplots(1, 2, width_ratios=(1, 1.1), sharey=True)
        counts.set_box_aspect(1 / 1.1)  # as high as the matrix is
        cmap, thin = _colours(), rcParams["axes.linewidth"] / rcParams["lines.linewidth"]
        look = {"cmap": cmap, "limits": (AHEAD, OWN), "aspect": "equal"}
        kinds = Map(matrix, lambda a: a.kinds, most=(LONGEST, LONGEST), **look)
        borders = Curve(matrix, "C6", lambda a: _borders(len(a.seen), a.block), stroke=thin)
        # A hairline, or it would hide the row that it marks.
        ink = rcParams["text.color"]
        row = Curve(matrix, "-", lambda a: row_outline(a.kinds, a.query), color=ink, stroke=0.5)
        causal = Curve(counts, "C1:", lambda a: (a.causal, a.positions), "plain causal")
        seen = Curve(counts, "C0-", lambda a: (a.seen, a.positions), "blockwise")
        dashes = {"color": "C6", "linestyle": "--"}
        most = Rule(counts, dashes, lambda a: 2 * a.block, "2 × block", stroke=1 / 1.5)
        mark = Curve(counts, "C0o", lambda a: (a.seen[[a.query]], [a.query]))
        limits = Limits(counts, lambda a: {"xlim": (0, 1.05 * len(a.seen))})
        matrix.set(xlabel="key (position)", ylabel="query (position)")
        counts.set(xlabel="keys seen", xlim=(0, 1.05 * LONGEST))
        whole(matrix.xaxis, matrix.yaxis, counts.xaxis)
        patches = [Patch(color=cmap(kind), label=name) for kind, name in NAMES.items()]
        close = {"columnspacing": 1.1, "handlelength": 1.4}
        legend_above(figure, [*patches, seen, causal, most], narrow=2, **close)
        return [kinds, borders, row, causal, seen, most, mark, limits]

    def caption(self, arrays: Arrays) -> str:
        """What the query sees, the share of pairs that is kept, and how far anyone looks."""
        query, seen, pairs = arrays.query, arrays.seen[arrays.query], arrays.causal.sum()
        clamped = " (the last)" * bool(arrays.beyond)
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


def _borders(seq_len, block):
    """The lines between blocks, each way, as one line that stops at every NaN."""
    at = np.arange(block, seq_len if seq_len <= MANY * block else 0, block) - 0.5
    ends = np.tile([-0.5, seq_len - 0.5, np.nan], len(at))
    steps = np.repeat(at, 3)
    return np.concatenate([ends, steps]), np.concatenate([steps, ends])
