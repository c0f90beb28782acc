"""Weights trained in one pairing of dimensions, run by code that turns the other."""

import functools
from types import SimpleNamespace

import numpy as np
from matplotlib import rcParams

from posviz.encodings.frequencies import rotary_angles, rotary_frequencies
from posviz.encodings.relative import offsets
from posviz.encodings.rotary import LAYOUTS, apply_rotary, change_layout, change_projection_layout
from posviz.engine.knobs import choice, even, integer, switch
from posviz.engine.picture import Picture
from posviz.pictures.parts import Curve, Limits, Map, Other, Ring, broken, legend_above, whole

TRAINED = "interleaved"
LENGTH, D_MODEL = 24, 32
LIMIT = 3.0  # of the colours
SAME, RELATIVE = 1e-12, 1e-9  # rounding leaves less


class LayoutConverter(Picture):
    """Weights trained with interleaved pairs, run in either layout."""

    size = (9.0, 4.6)
    paper_size = (3.3, 3.7)

    query_layout = choice("interleaved", options=LAYOUTS, label="query turned as")
    key_layout = choice("half_split", options=LAYOUTS, label="key turned as")
    query_reordered = switch(False, label="query reordered")
    key_reordered = switch(False, label="key reordered")
    shift = integer(0, low=0, high=100, play=True, label="shift (tokens)")
    head_dim = even(8, low=4, high=64)
    seed = integer(4, low=0, high=99)

    def compute(self):
        """Return the scores [len, len] as trained and as run, and the columns turned together."""
        positions = self.shift + np.arange(LENGTH)
        angles = rotary_angles(positions, rotary_frequencies(self.head_dim))
        query, key = self._sides()
        x, w_q, w_k = _weights(self.head_dim, self.seed)
        trained = _scores(_turned(x, w_q, angles), _turned(x, w_k, angles))
        run = _scores(_turned(x, w_q, angles, *query), _turned(x, w_k, angles, *key))
        return SimpleNamespace(
            head_dim=self.head_dim,
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

    def draw(self, figure):
        """Two index diagrams at left; at right both maps, and below them score against offset."""
        left, right = figure.subfigures(1, 2, width_ratios=(1, 1.6))
        sides = left.subplots(2, 1, sharex=True)
        axes = right.subplot_mosaic(
            [["trained", "run"], ["curve", "curve"]], height_ratios=(1.7, 1)
        )
        query, key = (_draw_pairs(panel, side) for side, panel in enumerate(sides))
        sides[0].set(title="query", ylabel="pair, as trained")
        sides[1].set(title="key", ylabel="pair, as trained", xlabel="column, as stored")
        maps = _draw_maps(right, [axes["trained"], axes["run"]])
        cloud, curve = _draw_curve(axes["curve"])
        handles = [*query[:4], curve, cloud]
        legend_above(figure, handles, ncols=3, columnspacing=1.2, handlelength=1.4)
        return [*query, *key, *maps, cloud, curve]

    def caption(self, arrays):
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
    """Points (column, pair it was trained in): the first of each pair, the second, the links."""
    columns = np.arange(head_dim)
    column = change_layout(columns, source=TRAINED, target=stored)  # where it was when trained
    points = np.stack([columns, column // 2], axis=-1)
    together = change_layout(columns, source=turned, target="interleaved").reshape(-1, 2)
    return points[column % 2 == 0], points[column % 2 == 1], points[together]


def _bowed(links):
    """Bend each link upwards: straight ones would cover each other."""
    along = np.linspace(0, 1, 9)[:, None]
    curves = links[:, :1] * (1 - along) + links[:, 1:] * along
    curves[..., 1] -= 1.6 * (along * (1 - along))[:, 0]
    return broken(curves)


def _draw_pairs(axes, side):
    """The first and the second columns of the trained pairs, and links of both kinds."""
    size = rcParams["lines.markersize"]
    dots = [
        Curve(axes, "C0o", lambda a: a.pairings[side][0].T, "first of pair"),
        Ring(axes, "C1s", lambda a: a.pairings[side][1].T, "second of pair", edge=1 / 5),
    ]
    links = [  # at head_dim 64 there are so many that they would cover each other
        Curve(axes, "C6-", lambda a: _links(a, side, True), "turned together", stroke=1 / 1.8),
        Curve(axes, "C1--", lambda a: _links(a, side, False), "wrong partners", stroke=1 / 1.8),
    ]
    sizes = [
        Other(part.line, lambda a: {"markersize": size * min(1, 8 / a.head_dim) ** 0.4})
        for part in dots
    ]
    axes.set(**_limits(64))
    whole(axes.xaxis, axes.yaxis, fewest=2, steps=None)
    return [*dots, *links, *sizes, Limits(axes, lambda a: _limits(a.head_dim))]


def _links(arrays, side, right):
    """The links of columns that belong together, or of wrong partners."""
    links = arrays.pairings[side][2]
    return _bowed(links[(links[:, 0, 1] == links[:, 1, 1]) == right])


def _limits(head_dim):
    """Room around so many columns and their pairs."""
    room = 0.03 * head_dim
    down = head_dim / 2 - 0.5 + room / 2, -0.5 - room / 2
    return {"xlim": (-0.5 - room, head_dim - 0.5 + room), "ylim": down}


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


def _draw_curve(axes):
    """Every score as run over its offset, and the curve that they followed when trained."""
    apart = offsets(np.arange(LENGTH), np.arange(LENGTH)).ravel()
    cloud = Curve(axes, "C1.", lambda a: (apart, a.run.ravel()), "as run", marks=1 / 1.5)
    along = np.arange(1 - LENGTH, LENGTH)
    # The first row of the map holds the offsets below 0, its first column the others.
    trained = Curve(
        axes,
        "C0-",
        lambda a: (along, [*a.trained[0, :0:-1], *a.trained[:, 0]]),
        "as trained",
        stroke=1 / 1.5,  # dots upon it still show
    )
    axes.set(xlabel="offset, query − key (tokens)", ylabel="score")
    axes.set(xlim=(-1.1 * LENGTH + 1.1, 1.1 * LENGTH - 1.1), ylim=(-4, 4))
    axes.set_yticks((-LIMIT, 0, LIMIT))
    return cloud, trained
