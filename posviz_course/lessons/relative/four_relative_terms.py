"""The four terms of a Transformer-XL score, one by one, and a fifth that changes no weight."""

import functools
from typing import Any

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure

from posviz.attention import softmax
from posviz.encodings.relative import offsets
from posviz.encodings.sinusoidal import sinusoidal
from posviz.pictures.knobs import Choice, Switch
from posviz.pictures.parts import Background, Curve, Limits, Map, Text, greyed, wide
from posviz.pictures.picture import Arrays, Picture
from posviz.pictures.style import SIGNED

LIMIT = 2.0  # of the colours
D_MODEL, HEAD_DIM = 64, 32
TERMS = ("(a) q·k", "(b) q·r", "(c) u·k", "(d) v·r")  # lettered as in Dai et al., section 3.3
KEYS = np.arange(16)
APART = offsets(KEYS, KEYS)
CROSS = (0, 1, np.nan, 0, 1), (0, 1, np.nan, 1, 0)  # from corner to corner


class FourRelativeTerms(Picture):
    """A Transformer-XL score has four terms, and each changes the weights."""

    size = (8.0, 4.8)
    paper_size = (3.3, 4.2)

    without = Choice(TERMS[3], options=("none", *TERMS), label="leave out")
    query_alone = Switch(True, label="query alone")

    def compute(self) -> Arrays:
        """Return five terms [len, len], and the last query's weights with all four and as chosen.

        change: the largest change of a weight of the last query.
        """
        terms = _terms()
        on = [*(name != self.without for name in TERMS), self.query_alone]
        last = [softmax(scores.sum(axis=0)[-1]) for scores in (terms[:4], terms[on])]
        return self.arrays(
            on=on,
            terms=np.where(APART < 0, -10 * LIMIT, np.clip(terms, -LIMIT, LIMIT)),
            rows=[(KEYS, weights) for weights in last],
            change=np.abs(last[0] - last[1]).max(),
            top=0.525 if np.max(last) < 0.5 else 1.05,
        )

    def draw(self, figure: Figure) -> list:
        """The five terms; below them the last query's weights, with all four and as chosen."""
        if wide(figure):
            axes = figure.subplot_mosaic("abcde\nwwwww", height_ratios=(1.9, 1))
        else:
            axes = figure.subplot_mosaic("abc\nde.\nwww", height_ratios=(1.2, 1.2, 1))
        *maps, row = axes.values()
        terms = draw_terms(figure, maps, (*TERMS, ""))
        maps[4].set_title("query alone", loc="right")  # wider than a map on a slide
        maps[4].set_xlabel("(no effect)")
        row.set(xlabel="key (position), last query", ylabel="weight")
        row.set(xticks=(0, 5, 10, 15), yticks=(0, 0.5, 1), xlim=(-0.5, 15.5), ylim=(0, 1.05))
        above: dict[str, Any] = {"size": "large", "transform": row.transAxes}
        row.text(0, 1.04, "● all four", color="C0", **above)
        above |= {"color": "C1", "ha": "right"}
        return [
            *terms,
            Limits(row, lambda a: {"ylim": (-0.05 * a.top, a.top)}),
            Curve(row, "C0o-", "rows[0]", stroke=1.5, marks=1.5),
            Curve(row, "C1s--", "rows[1]", stroke=1.5),
            Text(row, 1, 1.04, _left_out, **above),
        ]

    def caption(self, arrays: Arrays) -> str:
        if arrays.without == "none" and not arrays.query_alone:
            return "All four terms are on: other settings are compared with these weights."
        four = "all four terms on" if arrays.without == "none" else f"{arrays.without} off"
        fifth = "on" if arrays.query_alone else "off"
        change = f"weights of the last query change by up to {arrays.change:.2f}"
        if arrays.change < 1e-12:  # what rounding leaves
            change = "no weight of the last query changes"
        return f"With {four} and query alone {fifth}, {change}."


def _left_out(arrays):
    """The letter of the term that is left out, and what changes."""
    return f"■ {arrays.without.split()[0]} left out: change {arrays.change:.2f}"


@functools.cache
def _terms():
    """The four terms and the fifth [5, len, len], each after 1/√head_dim."""
    random, length = np.random.default_rng(71), len(KEYS)
    x = random.standard_normal((length, D_MODEL))
    w_q, w_k, w_r = random.standard_normal((3, D_MODEL, HEAD_DIM)) / D_MODEL**0.5
    w_r *= 2**0.5  # a sinusoid has half the square of x: offsets then weigh as much as contents
    u, v = random.standard_normal((2, HEAD_DIM))
    q, k, r = x @ w_q, x @ w_k, sinusoidal(KEYS, D_MODEL, layout="concatenated") @ w_r
    row = np.maximum(APART, 0)  # of r, by its offset
    by_query = np.take_along_axis(q @ r.T, row, axis=1)
    alone = np.tile(k @ u, (length, 1)), (r @ v)[row], np.tile(q @ u, (length, 1)).T
    return np.stack([q @ k.T, by_query, *alone]) / HEAD_DIM**0.5


def draw_terms(figure, maps, titles):
    """A map for each of the arrays `terms`, pale where `on` says so, and their colours' bar."""
    props = {"most": APART.shape, "limits": (-LIMIT, LIMIT), "cmap": greyed(SIGNED, "under")}
    terms = [Map(panel, f"terms[{i}]", aspect="equal", **props) for i, panel in enumerate(maps)]
    for panel, title in zip(maps, titles, strict=True):
        panel.set(title=title, xlabel="key (position)", xticks=(0, 10), yticks=())
    maps[0].set(ylabel="query (position)", yticks=(0, 10))
    below: dict = {"location": "bottom", "aspect": 50, "shrink": 0.6, "label": "score"}
    bar = figure.colorbar(terms[0].image, ax=maps, ticks=(-LIMIT, 0, LIMIT), **below)
    bar.set_ticklabels((f"≤ −{LIMIT:g}", "0", f"≥ {LIMIT:g}"))
    return [*terms, *(part for i, term in enumerate(terms) for part in _switched(term, i))]


def _switched(term, number):
    """Parts that let a map that is off be pale and crossed out."""
    props = {"color": rcParams["text.color"], "transform": term.axes.transAxes}
    return [
        Background(term.image.set_alpha, lambda a: 1.0 if a.on[number] else 0.25),
        Curve(term.axes, "-", lambda a: ([], []) if a.on[number] else CROSS, stroke=2 / 3, **props),
    ]
