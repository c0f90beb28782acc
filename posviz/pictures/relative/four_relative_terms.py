"""The four terms of a Transformer-XL score, one by one, and a fifth that changes no weight."""

import functools
from types import SimpleNamespace

import numpy as np

from posviz.attention import softmax
from posviz.encodings.transformer_xl import TransformerXL
from posviz.engine.knobs import integer, real, switch
from posviz.engine.picture import Picture
from posviz.engine.style import PLAIN
from posviz.masks import causal_mask
from posviz.pictures.parts import Curve, Map, Term, greyed, wide

LENGTH = 16  # of the text: queries and keys
LIMIT = 3.0  # of the colours
D_MODEL, HEAD_DIM = 64, 32
BLANK = -10 * LIMIT  # below every colour: a key ahead
ROUNDING = 1e-14
TERMS = ("(a) q·k", "(b) q·r", "(c) u·k", "(d) v·r")  # lettered as in Dai et al., section 3.3
TITLES = (*TERMS, "query alone")
KEYS = np.arange(LENGTH)
SEEN = causal_mask(KEYS, KEYS)


class FourRelativeTerms(Picture):
    """The four terms of a Transformer-XL score, and one that the softmax drops."""

    size = (9.0, 4.3)
    paper_size = (3.3, 3.6)
    moves = ("offset_scale", "offset_alone")

    content_content = switch(True, label=TERMS[0])
    content_offset = switch(True, label=TERMS[1])
    key_alone = switch(True, label=TERMS[2])
    offset_alone = switch(True, label=TERMS[3])
    query_alone = switch(True, label=TITLES[4])
    offset_scale = real(1.0, low=0.0, high=2.0, step=0.1, play=True, label="(b), (d) ×")
    seed = integer(71, low=0, high=99)

    def compute(self):
        """Return five terms, their sum, its weights, all [len, len], and the last query's weights.

        Without a term that is off, weights change; where none is, (d) is the one left out.
        """
        scale = np.array([1, self.offset_scale, 1, self.offset_scale, 1])[:, None, None]
        terms = scale * _terms(self.seed)
        on = self._switches()
        scores = np.einsum("t,tij->ij", on, terms)
        weights, true = _weights(scores), _weights(terms[:4].sum(axis=0))
        lacking = weights if not on[:4].all() else _weights(terms[:3].sum(axis=0))
        others = _weights(scores - on[4] * terms[4])
        return SimpleNamespace(
            on=on,
            terms=[_filled(term) for term in terms],
            total=_filled(scores),
            weights=np.where(SEEN, weights, BLANK),
            rows=(true[-1], weights[-1]),
            last_change=np.abs(lacking - true)[-1].max(),
            change=np.abs(lacking - true).max(),
            query_change=np.abs(weights - others).max(),
        )

    def _switches(self):
        """Which of the five terms are on."""
        four = (self.content_content, self.content_offset, self.key_alone, self.offset_alone)
        return np.array([*four, self.query_alone])

    def draw(self, figure):
        """The five terms and their sum; beside them, or below, its weights and the last query's."""
        if wide(figure):
            left, right = figure.subfigures(1, 2, width_ratios=(2, 1))
            middle, last = right.subplots(2, 1)
        else:
            left, right = figure.subfigures(2, 1, height_ratios=(1.9, 1))
            middle, last = right.subplots(1, 2, width_ratios=(1, 1.6))
        panels = left.subplots(2, 3, sharex=True, sharey=True)
        size, colours = {"most": (LENGTH, LENGTH)}, {"limits": (-LIMIT, LIMIT)}
        terms = [
            Term(panel, lambda a, at=at: a.terms[at], lambda a, at=at: a.on[at], **size, **colours)
            for at, panel in enumerate(panels.flat[:5])
        ]
        total = Term(panels[1, 2], lambda a: a.total, lambda _: True, **size, **colours)
        for panel, title in zip(panels.flat, (*TITLES, "sum"), strict=True):
            panel.set(title=title, xticks=(0, 15), yticks=(0, 15))
        for panel in panels[:, 0]:
            panel.set_ylabel("query")
        for panel in panels[1]:
            panel.set_xlabel("key")
        side = "bottom" if wide(figure) else "right"
        draw_score_bar(left, total.image, panels, "score", aspect=25, location=side)
        grey = {"cmap": greyed(PLAIN, "under"), "limits": (0, 1), "aspect": "equal"}
        weights = Map(middle, lambda a: a.weights, **size, **grey)
        middle.set(title="softmax", xlabel="key", ylabel="query", xticks=(0, 15), yticks=(0, 15))
        bar = middle.inset_axes((1.05, 0, 0.06, 1))  # as tall as the map
        right.colorbar(weights.image, cax=bar, ticks=(0, 1), format="%g")
        return [*terms, total, weights, *_draw_rows(last)]

    def caption(self, arrays):
        """What is off, how far the weights are from those of all four, and what the fifth does."""
        off = [name for name, on in zip(TERMS, arrays.on[:4], strict=True) if not on]
        told = (
            f"Off: {', '.join(off)}; weights" if off else f"All four on; without {TERMS[3]} weights"
        )
        change = (
            f"change by up to {arrays.last_change:.2f}, of any query by up to {arrays.change:.2f}"
        )
        told += f" of the last query {'' if off else 'would '}{change}"
        if not arrays.on[4]:
            return f"{told}; query alone is off, and would change no weight."
        bound = f"less than {ROUNDING:.0e}" if arrays.query_change < ROUNDING else "more"
        return f"{told}; query alone changes the weights by {bound}."


@functools.lru_cache(maxsize=8)
def _terms(seed):
    """The four terms and the fifth [5, len, len], each after 1/√head_dim."""
    random = np.random.default_rng(seed)
    x = random.standard_normal((LENGTH, D_MODEL))
    w_q, w_k, w_r = random.standard_normal((3, D_MODEL, HEAD_DIM)) / D_MODEL**0.5
    w_r *= 2**0.5  # a sinusoid has half the square of x: offsets then weigh as much as contents
    u, v = random.standard_normal((2, 1, HEAD_DIM))
    q, k, none = x @ w_q, x @ w_k, np.zeros((1, HEAD_DIM))

    def added(q, u, v):
        positions, shape = np.arange(LENGTH), (1, 1, LENGTH, -1)
        blank = np.zeros((1, 1, LENGTH, LENGTH))
        encoding = TransformerXL(w_r, u, v)
        return encoding.at_scores(blank, q.reshape(shape), k.reshape(shape), positions, positions)

    terms = [q @ k.T / HEAD_DIM**0.5]
    terms += [term[0, 0] for term in (added(q, none, none), added(0 * q, u, none))]
    terms.append(added(0 * q, none, v)[0, 0])
    terms.append(np.repeat(q @ u.T / HEAD_DIM**0.5, LENGTH, axis=1))  # a row is a query
    return np.stack(terms)


def _weights(scores):
    return softmax(np.where(SEEN, scores, -np.inf))


def _filled(scores):
    """What exceeds the colours takes the last one, and keys ahead are grey."""
    return np.where(SEEN, np.clip(scores, -LIMIT, LIMIT), BLANK)


def _draw_rows(axes):
    """The last query's weights with all four terms, and as the switches stand."""
    thin = {"stroke": 1 / 1.5}
    rows = [  # where both agree, both are seen
        Curve(axes, "C0o-", lambda a: (KEYS, a.rows[0]), "all four", marks=1 / 1.4, **thin),
        Curve(axes, "C1s--", lambda a: (KEYS, a.rows[1]), "as switched", marks=1 / 3, **thin),
    ]
    axes.set(xlabel="key (tokens)", ylabel="weights,\nlast query", ylim=(-0.05, 1.05))
    axes.set(xticks=(0, 5, 10, 15), yticks=(0, 0.5, 1), xlim=(-0.75, 15.75))
    above = {"loc": "lower right", "bbox_to_anchor": (1, 1), "borderaxespad": 0}
    axes.legend(ncols=2, columnspacing=1, **above)
    return rows


def draw_score_bar(figure, image, maps, label, aspect, location="right"):
    """The colours of scores beside their maps."""
    place = {"ax": maps, "aspect": aspect, "location": location}
    bar = figure.colorbar(image, ticks=(-LIMIT, 0, LIMIT), label=label, **place)
    bar.set_ticklabels((f"≤ −{LIMIT:g}", "0", f"≥ {LIMIT:g}"))
