"""Weights trained in one pairing of dimensions, run by code that rotates the other."""

import functools

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure

from posviz.encodings.frequencies import rotary_angles, rotary_frequencies
from posviz.encodings.rotary import LAYOUTS, apply_rotary, change_layout, change_projection_layout
from posviz.lessons.rotary_code.layout_arcs import ROWS, arcs_over
from posviz.pictures.knobs import choice, switch
from posviz.pictures.parts import Curve, Map, Ring, legend_above, whole, wide
from posviz.pictures.picture import Arrays, Picture

TRAINED = "interleaved"
LENGTH, D_MODEL, HEAD_DIM = 24, 32, 8
LIMIT = 3.0  # of the colours


class LayoutConverter(Picture):
    """Weights trained with interleaved pairs, run in either layout."""

    size = (8.0, 3.7)
    paper_size = (3.3, 3.7)

    query_layout = choice("interleaved", options=LAYOUTS, label="query rotated as")
    key_layout = choice("half_split", options=LAYOUTS, label="key rotated as")
    query_reordered = switch(False, label="W_Q converted")
    key_reordered = switch(False, label="W_K converted")

    def compute(self) -> Arrays:
        """Return the scores [len, len] as trained and as run, and the columns turned together."""
        angles = rotary_angles(np.arange(LENGTH), rotary_frequencies(HEAD_DIM))
        x, w_q, w_k = _weights()
        query = ("half_split" if self.query_reordered else TRAINED), self.query_layout
        key = ("half_split" if self.key_reordered else TRAINED), self.key_layout
        trained = _scores(_turned(x, w_q, angles), _turned(x, w_k, angles))
        run = _scores(_turned(x, w_q, angles, *query), _turned(x, w_k, angles, *key))
        pairings = [_pairing(*side) for side in (query, key)]
        columns, rows = np.tile(np.arange(HEAD_DIM), 2), np.repeat(ROWS, HEAD_DIM)
        is_second = np.concatenate([member for member, _, _ in pairings]).astype(bool)
        return self.arrays(
            trained=trained,
            run=run,
            first=(columns[~is_second], rows[~is_second]),
            second=(columns[is_second], rows[is_second]),
            together=arcs_over([pairs for _, pairs, _ in pairings], HEAD_DIM),
            wrong=arcs_over([pairs for _, _, pairs in pairings], HEAD_DIM),
            difference=np.abs(run - trained).max(),
            spread=max(np.ptp(run.diagonal(k)) for k in range(1 - LENGTH, LENGTH)),
        )

    def draw(self, figure: Figure) -> list:
        """What is turned together, the map of scores as trained, and that of those as run."""
        # Of the pairs, the scores as trained, and those as run.
        table, widths = ("ptr", (1.2, 1, 1)) if wide(figure) else ("pp\ntr", (1, 1))
        panels = figure.subplot_mosaic(table, width_ratios=widths)
        pairs = [
            Curve(panels["p"], "C0o", "first", "first of pair"),
            Ring(panels["p"], "C1s", "second", "second of pair", edge=1 / 5),
            Curve(panels["p"], "C6-", "together", "rotated together"),
            Curve(panels["p"], "C1--", "wrong", "wrong partners"),
        ]
        panels["p"].set(ylim=(-0.4, 1.9), yticks=ROWS, yticklabels=("query", "key"))
        panels["p"].set_xlabel("column, as stored")
        panels["p"].tick_params(left=False)
        panels["p"].spines["left"].set_visible(False)
        panels["p"].set_xlim(-0.07 * HEAD_DIM, 1.07 * HEAD_DIM - 1)
        whole(panels["p"].xaxis, fewest=2, steps=None)
        look = {"most": (LENGTH, LENGTH), "limits": (-LIMIT, LIMIT), "aspect": "equal"}
        maps = [Map(panels["t"], "trained", **look), Map(panels["r"], "run", **look)]
        for name, title in (("t", "as trained"), ("r", "as run")):
            panels[name].set(title=title, xlabel="key (tokens)", xticks=(0, 10, 20))
            panels[name].set_yticks((0, 10, 20))
        panels["t"].set_ylabel("query (tokens)")
        panels["r"].tick_params(labelleft=False)
        below = {"location": "bottom", "shrink": 0.6, "aspect": 30, "extend": "both"}
        both, ticks = [panels["t"], panels["r"]], (-LIMIT, 0, LIMIT)
        bar = figure.colorbar(maps[0].image, ax=both, ticks=ticks, **below)
        beside = {"rotation": 0, "ha": "right", "va": "center"}  # below, it would take a row
        bar.ax.set_ylabel("score", labelpad=rcParams["font.size"], **beside)
        legend_above(figure, pairs, narrow=2, columnspacing=1.2, handlelength=1.4)
        return [*pairs, *maps]

    def caption(self, arrays: Arrays) -> str:
        if arrays.difference < 1e-12:
            return "The scores are those of training, because each side rotates its trained pairs."
        if arrays.query_reordered != arrays.key_reordered:
            why = f"Only {'W_Q' if arrays.query_reordered else 'W_K'} is converted"
        elif arrays.query_layout != arrays.key_layout:
            why = "Query and key rotate different pairs"
        else:
            why = "Query and key rotate the same wrong pairs"
        if arrays.spread < 1e-9:
            return (
                f"{why}: the scores depend on the offset alone, but are off by up to "
                f"{arrays.difference:.2f}."
            )
        return (
            f"{why}: the scores are not relative, and differ at one offset by up to "
            f"{arrays.spread:.2f}."
        )


@functools.cache
def _weights():
    """One token [1, d_model], repeated everywhere, and w_q and w_k, each [d_model, head_dim].

    They are scaled until q and k are as long as a normalised vector is, √head_dim.
    """
    random = np.random.default_rng(4)
    x = random.standard_normal((1, D_MODEL))
    projections = random.standard_normal((2, D_MODEL, HEAD_DIM))
    return x, *(w * HEAD_DIM**0.5 / np.linalg.norm(x @ w) for w in projections)


def _turned(x, w, angles, stored=TRAINED, turned=TRAINED):
    """The token at every position [len, head_dim]: projected by reordered weights, then turned."""
    w = change_projection_layout(w, num_heads=1, source=TRAINED, target=stored)
    return apply_rotary(np.broadcast_to(x @ w, (LENGTH, w.shape[1])), angles, layout=turned)


def _scores(q, k):
    return q @ k.T / q.shape[1] ** 0.5


def _pairing(stored, turned):
    """Which member of its trained pair each column is, [columns]; the columns turned together.

    The latter [pairs, 2] in two parts: those that were a pair when trained, and the others.
    """
    columns = np.arange(HEAD_DIM)
    column = change_layout(columns, source=TRAINED, target=stored)  # where it was when trained
    together = change_layout(columns, source=turned, target="interleaved").reshape(-1, 2)
    right = np.ptp(column[together] // 2, axis=1) == 0
    return column % 2, together[right], together[~right]
