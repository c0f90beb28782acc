"""One text through one layer, once with each encoding."""

import functools
import textwrap

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure

from posviz.attention import attention
from posviz.attention.masks import causal_mask
from posviz.encodings.doors import NoPosition
from posviz.pictures.knobs import Integer, Real, Switch
from posviz.pictures.parts import Background, Map, greyed, inches, wide
from posviz.pictures.picture import Arrays, Picture
from posviz.pictures.style import PLAIN
from posviz_course.choosing.columns import PROJECTIONS, made
from posviz_course.choosing.rows import D_MODEL, HEAD_DIM, HEADS, NONE, ROWS

PLACES = np.arange(16)
OWN = np.random.default_rng(0).normal(size=(1, len(PLACES), D_MODEL))
SHARED = np.random.default_rng(1).normal(size=D_MODEL)


class SameX(Picture):
    """One head, one input: its weights depend on the encoding."""

    size = (9.0, 4.0)
    paper_size = (3.3, 4.2)

    content = Real(0.0, low=0.0, high=1.0, play=True)
    head = Integer(1, low=1, high=HEADS)
    first = Integer(0, low=0, high=1000, label="first position")
    causal = Switch(True)

    def compute(self) -> Arrays:
        """Return the weights [len, len] of each encoding, and the share that it moves.

        A token is what all share, and content times what it has of its own. Hidden keys have NaN.
        moved: what part of a query's weight is on other keys than without positions, on average.
        changed: the rows whose weights are others than with the first token at position 0.
        """
        every = _weights(self.content, self.first, self.causal)
        weights = {row: heads[self.head - 1] for row, heads in every.items()}
        moved = {
            row: np.nansum(abs(own - weights[NONE])) / 2 / len(PLACES)
            for row, own in weights.items()
        }
        there = _weights(self.content, 0, self.causal)
        changed = [
            row for row in ROWS if np.nanmax(abs(weights[row] - there[row][self.head - 1])) > 1e-9
        ]
        return self.arrays(weights=weights, moved=moved, changed=changed)

    def draw(self, figure: Figure) -> list:
        """A map for each encoding: rows are queries, columns keys; changed maps are framed."""
        rows, columns = (3, 7) if wide(figure) else (5, 4)
        panels = figure.subplots(rows, columns).ravel()
        letters = int(72 * inches(figure)[0] / columns / (0.57 * rcParams["font.size"]))
        props = {"cmap": greyed(PLAIN), "limits": (0, 1), "most": (len(PLACES),) * 2}
        parts: list = []
        for axes, row in zip(panels, ROWS, strict=False):
            axes.set(xticks=[], yticks=[])
            axes.set_title(textwrap.fill(row, letters, break_long_words=False), fontsize="small")
            parts.append(Map(axes, lambda a, row=row: _of_brightest(a.weights[row]), **props))
            parts.append(Background(_frame(axes), lambda a, row=row: row in a.changed))
        panels[columns * (rows - 1)].set(xlabel="key", ylabel="query")
        for axes in panels[len(ROWS) :]:  # one, where there is room for it
            axes.set_axis_off()
            ends: dict = {
                "ticks": (0, 1),
                "format": lambda end, _: "most of\nits row" if end else "0",
            }
            bar = figure.colorbar(parts[0].image, ax=axes, fraction=0.15, **ends)
            bar.ax.tick_params(labelsize="small")
        return parts

    def caption(self, arrays: Arrays) -> str:
        if arrays.first:
            return (
                f"{len(arrays.changed)} of {len(ROWS)} maps have changed since the text began at "
                f"position 0: {', '.join(arrays.changed) or 'none'}."
            )
        most, *_, least, _ = sorted(arrays.moved, key=arrays.moved.get, reverse=True)
        return (
            f"In head {arrays.head} {most} moves {arrays.moved[most]:.0%} of the weight to other "
            f"keys than a layer without position, and {least} {arrays.moved[least]:.0%}."
        )


def _of_brightest(weights):
    """Each query's weights as shares of its largest, so that a long row is not dark."""
    return weights / np.nanmax(weights, axis=1, keepdims=True)


def _frame(axes):
    """What frames the axes in orange, or no longer."""
    at_rest = {"color": rcParams["axes.edgecolor"], "linewidth": rcParams["axes.linewidth"]}
    framed = {"color": "C1", "linewidth": 2 * rcParams["lines.linewidth"]}

    def frame(on):
        axes.spines[:].set(**(framed if on else at_rest))
        axes.spines[["top", "right"]].set_visible(on)

    return frame


@functools.lru_cache(maxsize=4)
def _weights(content, first, causal):
    """The weights of all heads [heads, len, len] with each encoding."""
    tokens, places = SHARED + content * (OWN - SHARED), PLACES + first
    mask = causal_mask(places, places) if causal else np.ones((len(PLACES),) * 2, bool)
    more = {"q_positions": places, "k_positions": places, "mask": mask, "return_weights": True}
    shared = _queries_and_keys(tokens)  # projections take longer than all the rest
    by_row = {}
    for row in ROWS:
        encoding = made(row, len(PLACES))
        x = encoding.at_input(tokens, places)
        if x is tokens:
            (q, k), (encoding, _) = shared, encoding.for_input(x, places, None)
        else:
            (q, k), encoding = _queries_and_keys(x), NoPosition()
        _, weights = attention(q, k, k, encoding=encoding, **more)  # no value is shown
        by_row[row] = np.where(mask, weights[0], np.nan)
    return by_row


def _queries_and_keys(x):
    """Queries and keys of all heads, each [1, heads, len, head_dim]."""
    return [(x @ w).reshape(1, -1, HEADS, HEAD_DIM).swapaxes(1, 2) for w in PROJECTIONS[:2]]
