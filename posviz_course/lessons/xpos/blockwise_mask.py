"""Blockwise causal attention: each query sees its own block and the one before."""

import numpy as np
from matplotlib import colormaps, rcParams
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from posviz.attention.masks import blockwise_causal_mask, causal_mask
from posviz.pictures.knobs import Integer
from posviz.pictures.parts import Curve, Map, legend_above, row_outline, whole
from posviz.pictures.picture import Arrays, Picture
from posviz.pictures.style import PLAIN

TOKENS, BLOCK = 32, 8


class BlockwiseMask(Picture):
    """Blockwise causal attention: nothing is farther away than in training."""

    size = (9.0, 4.2)

    query = Integer(20, low=0, high=TOKENS - 1, play=True, label="query (token)")

    def compute(self) -> Arrays:
        """Return what each pair is [tokens, tokens], and how many keys each query sees.

        kinds: 0 ahead, 1 cut off, 2 in the block before, 3 in the query's own block.
        """
        positions = np.arange(TOKENS)
        causal = causal_mask(positions, positions)
        mask = blockwise_causal_mask(positions, positions, BLOCK)
        own = np.equal.outer(positions // BLOCK, positions // BLOCK)
        kinds, seen = causal * 1 + mask + (mask & own), mask.sum(axis=1)
        return self.arrays(
            kinds=kinds,
            seen=seen,
            row=row_outline(kinds, self.query),
            counts=[(seen, positions), (positions + 1, positions)],
            mark=(seen[[self.query]], [self.query]),
        )

    def draw(self, figure: Figure) -> list:
        """The mask in its blocks; beside it how many keys each query sees, and would see."""
        matrix, counts = figure.subplots(1, 2, width_ratios=(1, 1.1), sharey=True)
        counts.set_box_aspect(1 / 1.1)  # as high as the matrix is
        rc, plain = rcParams, colormaps[PLAIN]
        # A key ahead has the paper's own colour.
        cmap = ListedColormap([rc["axes.facecolor"], rc["grid.color"], plain(0.75), plain(0.35)])
        props = {"cmap": cmap, "limits": (0, 3), "aspect": "equal"}
        kinds = Map(matrix, "kinds", most=(TOKENS, TOKENS), **props)
        thin = {"color": "C6", "linewidth": rc["axes.linewidth"], "animated": True}  # over the map
        for border in np.arange(BLOCK, TOKENS, BLOCK) - 0.5:
            matrix.axhline(border, **thin)
            matrix.axvline(border, **thin)
        # A hairline, or it would hide the row that it marks.
        row = Curve(matrix, "-", "row", color=rc["text.color"], stroke=0.5)
        causal = Curve(counts, "C1:", "counts[1]", "plain causal")
        seen = Curve(counts, "C0-", "counts[0]", "blockwise")
        dashes = {"color": "C6", "linestyle": "--", "linewidth": rc["lines.linewidth"] / 1.5}
        most = counts.axvline(2 * BLOCK, label="2 × block", **dashes)
        mark = Curve(counts, "C0o", "mark")
        matrix.set(xlabel="key (position)", ylabel="query (position)")
        counts.set(xlabel="keys seen", xlim=(0, 1.05 * TOKENS))
        whole(matrix.xaxis, matrix.yaxis, counts.xaxis)
        names = {3: "own block", 2: "block before", 1: "cut off"}
        patches = [Patch(color=cmap(kind), label=name) for kind, name in names.items()]
        close = {"columnspacing": 1.1, "handlelength": 1.4}
        legend_above(figure, [*patches, seen, causal, most], narrow=2, **close)
        return [kinds, row, causal, seen, mark]

    def caption(self, arrays: Arrays) -> str:
        return (
            f"The query at {arrays.query} sees {arrays.seen[arrays.query]} of {arrays.query + 1} "
            f"keys, and no query looks farther back than {arrays.seen.max() - 1} tokens."
        )
