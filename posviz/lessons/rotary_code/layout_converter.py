"""Weights trained in one pairing of dimensions, run by code that turns the other."""

import functools

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure

from posviz.encodings.frequencies import rotary_angles, rotary_frequencies
from posviz.encodings.rotary import LAYOUTS, apply_rotary, change_layout, change_projection_layout
from posviz.pictures.knobs import choice, even, integer, switch
from posviz.pictures.parts import Curve, Limits, Map, Other, Ring, broken, legend_above, whole, wide
from posviz.pictures.picture import Arrays, Picture

TRAINED = "interleaved"
LENGTH, D_MODEL = 24, 32
LIMIT = 3.0  # of the colours
ROWS = (1, 0)  # of query and key
SAME, RELATIVE = 1e-12, 1e-9  # rounding leaves less


class LayoutConverter(Picture):
    """Weights trained with interleaved pairs, run in either layout."""

    size = (8.0, 3.7)
    paper_size = (3.3, 3.7)
    combined = (("query_layout", "key_layout", "query_reordered", "key_reordered"),)

    query_layout = choice("interleaved", options=LAYOUTS, label="query turned as")
    key_layout = choice("half_split", options=LAYOUTS, label="key turned as")
    query_reordered = switch(False, label="query reordered")
    key_reordered = switch(False, label="key reordered")
    shift = integer(0, low=0, high=100, play=True, label="shift (tokens)")
    head_dim = even(8, low=4, high=16)
    seed = integer(4, low=0, high=99)

    def compute(self) -> Arrays:
        """Return the scores [len, len] as trained and as run, and the columns turned together."""
        positions = self.shift + np.arange(LENGTH)
        angles = rotary_angles(positions, rotary_frequencies(self.head_dim))
        query, key = self._sides()
        x, w_q, w_k = _weights(self.head_dim, self.seed)
        trained = _scores(_turned(x, w_q, angles), _turned(x, w_k, angles))
        run = _scores(_turned(x, w_q, angles, *query), _turned(x, w_k, angles, *key))
        return self.arrays(
            trained=trained,
            run=run,
            pairings=[_pairing(self.head_dim, *side) for side in (query, key)],
            difference=np.abs(run - trained).max(),
            spread=max(np.ptp(run.diagonal(k)) for k in range(1 - LENGTH, LENGTH)),
            sides=(query, key),
        )

    def _sides(self):
        """The layout in which the query's and the key's columns are stored, and are turned."""
        stored = [
            "half_split" if reordered else TRAINED
            for reordered in (self.query_reordered, self.key_reordered)
        ]
        return list(zip(stored, (self.query_layout, self.key_layout), strict=True))

    def draw(self, figure: Figure) -> list:
        """What is turned together, the map of scores as trained, and that of those as run."""
        # Of the pairs, the scores as trained, and those as run.
        table, widths = ("ptr", (1.2, 1, 1)) if wide(figure) else ("pp\ntr", (1, 1))
        panels = figure.subplot_mosaic(table, width_ratios=widths)
        pairs = _draw_pairs(panels["p"])
        maps = _draw_maps(figure, [panels["t"], panels["r"]])
        legend_above(figure, pairs[:4], narrow=2, columnspacing=1.2, handlelength=1.4)
        return [*pairs, *maps]

    def caption(self, arrays: Arrays) -> str:
        """Which of the outcomes this is, by its numbers."""
        query, key = (
            ("reordered, " if stored != TRAINED else "") + f"turned {turned}"
            for stored, turned in arrays.sides
        )
        if arrays.difference < SAME:
            outcome = f"the trained scores come back, to within {SAME:.0e}"
        elif arrays.spread < RELATIVE:
            outcome = f"relative, but other scores, off by up to {arrays.difference:.2f}"
        else:
            each = all(stored == turned for stored, turned in arrays.sides)
            why = "each turned rightly, but stored in different orders, so " if each else ""
            outcome = (
                f"{why}not even relative, as scores at one offset differ by up to "
                f"{arrays.spread:.2f} (from the trained ones by up to {arrays.difference:.2f})"
            )
        return f"Trained {TRAINED}; query {query}; key {key}: {outcome}."


@functools.lru_cache(maxsize=8)
def _weights(head_dim, seed):
    """One token [1, d_model], repeated everywhere, and w_q and w_k, each [d_model, head_dim].

    They are scaled until q and k are as long as a normalised vector is, √head_dim: scores of every
    seed and width then fit the same colours.
    """
    random = np.random.default_rng(seed)
    x = random.standard_normal((1, D_MODEL))
    projections = random.standard_normal((2, D_MODEL, head_dim))
    return x, *(w * head_dim**0.5 / np.linalg.norm(x @ w) for w in projections)


def _turned(x, w, angles, stored=TRAINED, turned=TRAINED):
    """The token at every position [len, head_dim]: projected by reordered weights, then turned."""
    w = change_projection_layout(w, num_heads=1, source=TRAINED, target=stored)
    repeated = np.broadcast_to(x @ w, (LENGTH, w.shape[1]))
    return apply_rotary(repeated, angles, layout=turned)


def _scores(q, k):
    return q @ k.T / q.shape[1] ** 0.5


def _pairing(head_dim, stored, turned):
    """Which member of its trained pair each column is, [columns]; the columns turned together.

    The latter [pairs, 2] in two parts: those that were a pair when trained, and the others.
    """
    columns = np.arange(head_dim)
    column = change_layout(columns, source=TRAINED, target=stored)  # where it was when trained
    together = change_layout(columns, source=turned, target="interleaved").reshape(-1, 2)
    right = np.ptp(column[together] // 2, axis=1) == 0
    return column % 2, together[right], together[~right]


def _draw_pairs(axes):
    """The columns of query and key, and arcs over those that are turned together."""
    size = 1.4 * rcParams["lines.markersize"]
    dots = [
        Curve(axes, "C0o", lambda a: _columns(a, 0), "first of pair"),
        Ring(axes, "C1s", lambda a: _columns(a, 1), "second of pair", edge=1 / 5),
    ]
    arcs = [
        Curve(axes, "C6-", lambda a: _arcs(a, 1), "turned together"),
        Curve(axes, "C1--", lambda a: _arcs(a, 2), "wrong partners"),
    ]
    sizes = [  # of many columns they would cover each other
        Other(part.line, lambda a: {"markersize": size * min(1, 8 / a.head_dim) ** 0.6})
        for part in dots
    ]
    axes.set(
        ylim=(-0.4, 1.9), yticks=ROWS, yticklabels=("query", "key"), xlabel="column, as stored"
    )
    axes.tick_params(left=False)
    axes.spines["left"].set_visible(False)
    whole(axes.xaxis, fewest=2, steps=None)
    return [*dots, *arcs, *sizes, Limits(axes, _ends)]


def _ends(arrays):
    """Room around so many columns."""
    return {"xlim": (-0.07 * arrays.head_dim, 1.07 * arrays.head_dim - 1)}


def _columns(arrays, member):
    """The columns that were first or second of their pair, in the rows of query and key."""
    columns = [np.flatnonzero(side[0] == member) for side in arrays.pairings]
    return np.concatenate(columns), np.repeat(ROWS, len(columns[0]))


def _arcs(arrays, kind):
    """An arc over each two columns turned together, the higher the farther they are apart."""
    along, arcs = np.linspace(0, 1, 17), []
    for row, side in zip(ROWS, arrays.pairings, strict=True):
        first, second = side[kind].T[..., None]
        height = 0.7 * np.sqrt((second - first) * 2 / arrays.head_dim)
        x, y = first + (second - first) * along, row + height * np.sin(np.pi * along)
        arcs.append(np.stack([x, y], axis=-1))
    return broken(np.concatenate(arcs))


def _draw_maps(figure, panels):
    """The maps of both scores, and their colours."""
    look = {"most": (LENGTH, LENGTH), "limits": (-LIMIT, LIMIT), "aspect": "equal"}
    maps = [
        Map(panels[0], lambda a: a.trained, **look),
        Map(panels[1], lambda a: a.run, **look),
    ]
    for axes, title in zip(panels, ("as trained", "as run"), strict=True):
        axes.set(title=title, xlabel="key (place)", xticks=(0, 10, 20), yticks=(0, 10, 20))
    panels[0].set_ylabel("query (place)")
    panels[1].tick_params(labelleft=False)
    below = {"location": "bottom", "shrink": 0.6, "aspect": 30, "extend": "both"}
    bar = figure.colorbar(maps[0].image, ax=panels, ticks=(-LIMIT, 0, LIMIT), **below)
    beside = {"rotation": 0, "ha": "right", "va": "center"}  # below, it would take a row
    bar.ax.set_ylabel("score", labelpad=rcParams["font.size"], **beside)
    return maps
