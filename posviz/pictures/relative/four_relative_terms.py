"""The four terms of a Transformer-XL score, one by one, and a fifth that changes no weight."""

import functools
from types import SimpleNamespace

import numpy as np

from posviz.attention import softmax
from posviz.encodings.transformer_xl import TransformerXL
from posviz.engine.knobs import integer, real, switch
from posviz.engine.looks import PLAIN, SIGNED
from posviz.engine.picture import Picture
from posviz.masks import causal_mask
from posviz.pictures.relative._maps import (
    LENGTH,
    LIMIT,
    cross_out,
    draw_cross,
    draw_map,
    draw_score_bar,
)

D_MODEL, HEAD_DIM = 64, 32
BLANK = -10 * LIMIT  # below every colour: a key ahead
ROUNDING = 1e-14
TERMS = ("(a) q·k", "(b) q·r", "(c) u·k", "(d) v·r")  # lettered as in Dai et al., section 3.3
TITLES = (*TERMS, "query alone")
SEEN = causal_mask(np.arange(LENGTH), np.arange(LENGTH))


class FourRelativeTerms(Picture):
    """The four terms of a Transformer-XL score, and one that the softmax drops."""

    size = (9.0, 4.3)
    paper_size = (3.3, 3.6)
    film = ("offset_scale", "offset_alone")

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
        wide = figure.get_size_inches()[0] > 5
        if wide:
            left, right = figure.subfigures(1, 2, width_ratios=(2, 1))
            middle, last = right.subplots(2, 1)
        else:
            left, right = figure.subfigures(2, 1, height_ratios=(1.9, 1))
            middle, last = right.subplots(1, 2, width_ratios=(1, 1.6))
        panels = left.subplots(2, 3, sharex=True, sharey=True)
        maps = [draw_map(panel, SIGNED, -LIMIT, LIMIT) for panel in panels.flat]
        for panel, title in zip(panels.flat, (*TITLES, "sum"), strict=True):
            panel.set(title=title, xticks=(0, 15), yticks=(0, 15))
        for panel in panels[:, 0]:
            panel.set_ylabel("query")
        for panel in panels[1]:
            panel.set_xlabel("key")
        place = "bottom" if wide else "right"
        draw_score_bar(left, maps[0], panels, "score", aspect=25, location=place)
        weights = draw_map(middle, PLAIN, 0, 1)
        middle.set(title="softmax", xlabel="key", ylabel="query", xticks=(0, 15), yticks=(0, 15))
        bar = middle.inset_axes((1.05, 0, 0.06, 1))  # as tall as the map
        right.colorbar(weights, cax=bar, ticks=(0, 1), format="%g")
        return SimpleNamespace(
            terms=maps[:5],
            crosses=[draw_cross(panel) for panel in panels.flat[:5]],
            total=maps[5],
            weights=weights,
            rows=_draw_rows(last),
        )

    def update(self, artists, arrays):
        """Colour the maps, cross out what is off, and set both rows of weights."""
        for image, term in zip(artists.terms, arrays.terms, strict=True):
            image.set_data(term)
        for image, cross, on in zip(artists.terms, artists.crosses, arrays.on, strict=True):
            cross_out(image, cross, on)
        artists.total.set_data(arrays.total)
        artists.weights.set_data(arrays.weights)
        for line, weights in zip(artists.rows, arrays.rows, strict=True):
            line.set_ydata(weights)

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
    keys = np.arange(LENGTH)
    rows = [
        axes.plot(keys, 0 * keys, style, label=label, animated=True)[0]
        for style, label in (("C0o-", "all four"), ("C1s--", "as switched"))
    ]
    for line, size in zip(rows, (1.4, 3), strict=True):  # where both agree, both are seen
        line.set(linewidth=line.get_linewidth() / 1.5, markersize=line.get_markersize() / size)
    axes.set(xlabel="key (tokens)", ylabel="weights,\nlast query", ylim=(-0.05, 1.05))
    axes.set(xticks=(0, 5, 10, 15), yticks=(0, 0.5, 1))
    above = {"loc": "lower right", "bbox_to_anchor": (1, 1), "borderaxespad": 0}
    axes.legend(handles=rows, ncols=2, columnspacing=1, **above)
    return rows
