"""The four terms of a Transformer-XL score, one by one, and a fifth that changes no weight."""

import functools

import numpy as np
from matplotlib.figure import Figure

from posviz.attention import softmax
from posviz.attention.masks import causal_mask
from posviz.encodings.transformer_xl import TransformerXL
from posviz.pictures.knobs import integer, real, switch
from posviz.pictures.parts import Curve, Limits, Term, Text, wide
from posviz.pictures.picture import Arrays, Picture

LENGTH = 16  # of the text: queries and keys
LIMIT = 2.0  # of the colours
D_MODEL, HEAD_DIM = 64, 32
BLANK = -10 * LIMIT  # below every colour: a key ahead
ROUNDING = 1e-14
TERMS = ("(a) q·k", "(b) q·r", "(c) u·k", "(d) v·r")  # lettered as in Dai et al., section 3.3
TITLES = (*TERMS, "query alone")
KEYS = np.arange(LENGTH)
SEEN = causal_mask(KEYS, KEYS)


class FourRelativeTerms(Picture):
    """The four terms of a Transformer-XL score, and one that the softmax drops."""

    size = (8.0, 4.3)
    paper_size = (3.3, 3.8)

    content_content = switch(True, label=TERMS[0])
    content_offset = switch(True, label=TERMS[1])
    key_alone = switch(True, label=TERMS[2])
    offset_alone = switch(True, label=TERMS[3])
    query_alone = switch(True, label=TITLES[4])
    offset_scale = real(1.0, low=0.0, high=2.0, step=0.1, play=True, label="(b), (d) ×")
    seed = integer(71, low=0, high=99)

    def compute(self) -> Arrays:
        """Return five terms [len, len], and the last query's weights with and without some.

        Without a term that is off, weights change; where none is, (d) is the one left out.
        """
        scale = np.array([1, self.offset_scale, 1, self.offset_scale, 1])[:, None, None]
        terms = scale * _terms(self.seed)
        on = self._switches()
        scores = np.einsum("t,tij->ij", on, terms)
        weights, true = _weights(scores), _weights(terms[:4].sum(axis=0))
        lacking = weights if not on[:4].all() else _weights(terms[:3].sum(axis=0))
        others = _weights(scores - on[4] * terms[4])
        return self.arrays(
            on=on,
            terms=[_filled(term) for term in terms],
            rows=(true[-1], lacking[-1]),
            last_change=np.abs(lacking - true)[-1].max(),
            change=np.abs(lacking - true).max(),
            query_change=np.abs(weights - others).max(),
        )

    def _switches(self):
        """Which of the five terms are on."""
        four = (self.content_content, self.content_offset, self.key_alone, self.offset_alone)
        return np.array([*four, self.query_alone])

    def draw(self, figure: Figure) -> list:
        """The five terms; below them the last query's weights, with and without some of them."""
        table = ["abcde", "wwwww"] if wide(figure) else ["abc", "de.", "www"]
        heights = (1, 1) if wide(figure) else (1, 1, 1.2)
        axes = figure.subplot_mosaic("\n".join(table), height_ratios=heights)
        maps = [axes[name] for name in "abcde"]
        look = {"most": (LENGTH, LENGTH), "limits": (-LIMIT, LIMIT)}
        terms = [
            Term(panel, lambda a, at=at: a.terms[at], lambda a, at=at: a.on[at], **look)
            for at, panel in enumerate(maps)
        ]
        for panel, title in zip(maps, TITLES, strict=True):
            panel.set(title=title, xlabel="key", xticks=(), yticks=())
        axes["a"].set_ylabel("query")
        draw_score_bar(figure, terms[0].image, maps, "score", aspect=12)
        return [*terms, *_draw_rows(axes["w"])]

    def caption(self, arrays: Arrays) -> str:
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
            return f"{told}; query alone is off."
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
    """The last query's weights with all four terms, and without those that are off."""
    axes.set(xlabel="key (tokens)", ylabel="weight, last query")
    axes.set(xticks=(0, 5, 10, 15), yticks=(0, 0.5, 1), xlim=(-0.5, LENGTH - 0.5))
    above = {"size": "large", "transform": axes.transAxes}
    axes.text(0, 1.04, "● all four", color="C0", **above)
    return [
        Limits(
            axes, lambda a: {"ylim": (-0.05, 1.05) if np.max(a.rows) > 0.5 else (-0.025, 0.525)}
        ),
        Curve(axes, "C0o-", lambda a: (KEYS, a.rows[0]), stroke=1.5, marks=1.5),
        Curve(axes, "C1s--", lambda a: (KEYS, a.rows[1]), stroke=1.5),
        Text(axes, 0.35, 1.04, lambda a: f"■ without {_letters(a)}", color="C1", **above),
    ]


def _letters(arrays):
    """The letters of the terms that the second curve lacks."""
    off = [name[:3] for name, on in zip(TERMS, arrays.on, strict=False) if not on]
    return ", ".join(off or [TERMS[3][:3]])


def draw_score_bar(figure, image, maps, label, aspect, location="right"):
    """The colours of scores beside their maps."""
    place = {"ax": maps, "aspect": aspect, "fraction": 0.06, "location": location}
    bar = figure.colorbar(image, ticks=(-LIMIT, 0, LIMIT), label=label, **place)
    bar.set_ticklabels((f"≤ −{LIMIT:g}", "0", f"≥ {LIMIT:g}"))
