"""The four terms of a Transformer-XL score, one by one, and a fifth that changes no weight."""

import functools
from types import SimpleNamespace

import numpy as np
from matplotlib import colormaps, rcParams

from posviz.attention import softmax
from posviz.encodings.transformer_xl import TransformerXL
from posviz.engine.knobs import choice, integer, real, switch
from posviz.engine.looks import PLAIN, SIGNED
from posviz.engine.picture import Picture
from posviz.masks import causal_mask

LENGTH, D_MODEL, HEAD_DIM = 16, 64, 32
LIMIT = 3.0  # of the colours
BLANK = -10 * LIMIT  # below every colour: a key ahead
ROUNDING = 1e-14
TERMS = {  # as Dai et al. name them in section 3.3
    "(a) q·k": "content meets content (a)",
    "(b) q·r": "content meets offset (b)",
    "(c) u·k": "key alone (c)",
    "(d) v·r": "offset alone (d)",
}
SEEN = causal_mask(np.arange(LENGTH), np.arange(LENGTH))


class FourRelativeTerms(Picture):
    """The four terms of a Transformer-XL score, and one that the softmax drops."""

    size = (9.0, 4.2)
    paper_size = (3.3, 2.3)

    content_content = switch(True, label="(a) q·k")
    content_offset = switch(True, label="(b) q·r")
    key_alone = switch(True, label="(c) u·k")
    offset_alone = switch(True, label="(d) v·r")
    query_alone = switch(True, label="query alone")
    show = choice("scores", options=("scores", "weights"), redraw=True)
    offset_scale = real(1.0, low=0.0, high=2.0, step=0.1, play=True, label="offsets count ×")
    seed = integer(10, low=0, high=99)

    def compute(self):
        """Return five terms, their sum as shown, all [len, len], and the last query's weights."""
        scale = np.array([1, self.offset_scale, 1, self.offset_scale, 1])[:, None, None]
        terms = scale * _terms(self.seed)
        on = self._switches()
        scores = np.einsum("t,tij->ij", on, terms)
        weights, true = _weights(scores), _weights(terms[:4].sum(axis=0))
        others = _weights(scores - on[4] * terms[4])
        lacking = _weights(terms[:3].sum(axis=0))
        return SimpleNamespace(
            on=on,
            terms=[_filled(term) for term in terms],
            total=_filled(scores) if self.show == "scores" else np.where(SEEN, weights, BLANK),
            rows=(true[-1], weights[-1]),
            change=np.abs(weights - true).max(),
            without_offset=np.abs(lacking - true).max(),
            shift=np.abs(terms[4]).max(),
            row_change=np.abs(weights - others).max(),
        )

    def _switches(self):
        """Which of the five terms are on."""
        four = (self.content_content, self.content_offset, self.key_alone, self.offset_alone)
        return np.array([*four, self.query_alone])

    def draw(self, figure):
        """The four terms and the fifth, the weights of the last query, and the sum at right."""
        axes = figure.subplot_mosaic(
            [["a", "b", "query", "sum"], ["c", "d", "row", "sum"]], width_ratios=(1, 1, 1, 2.1)
        )
        small = [axes[name] for name in ("a", "b", "c", "d", "query")]
        terms = [_draw_map(panel, SIGNED, -LIMIT, LIMIT) for panel in small]
        for panel, title in zip(small, [*TERMS, "query alone"], strict=True):
            panel.set(title=title, xticks=(), yticks=())
        low, colours = (-LIMIT, SIGNED) if self.show == "scores" else (0, PLAIN)
        total = _draw_map(axes["sum"], colours, low, LIMIT if self.show == "scores" else 1)
        axes["sum"].set(title=f"their sum: {self.show}", xlabel="key (tokens)")
        axes["sum"].set(ylabel="query (tokens)", xticks=(0, 5, 10, 15), yticks=(0, 5, 10, 15))
        below = {"location": "bottom", "aspect": 30, "extend": "min", "format": "%g"}
        left = [*small, axes["row"]]
        figure.colorbar(terms[0], ax=left, label="score (grey: ahead)", ticks=(-3, 0, 3), **below)
        name = self.show.removesuffix("s")
        ticks = (-3, 0, 3) if self.show == "scores" else (0, 0.5, 1)
        figure.colorbar(total, ax=axes["sum"], label=name, ticks=ticks, **below)
        rows = _draw_rows(axes["row"])
        figure.legend(handles=rows, loc="outside upper right", ncols=2, columnspacing=1)
        return SimpleNamespace(
            terms=terms,
            crosses=[draw_cross(panel) for panel in small],
            total=total,
            rows=rows,
        )

    def update(self, artists, arrays):
        """Colour the maps, cross out what is off, and set both rows of weights."""
        for image, term in zip(artists.terms, arrays.terms, strict=True):
            image.set_data(term)
        for image, cross, on in zip(artists.terms, artists.crosses, arrays.on, strict=True):
            cross_out(image, cross, on)
        artists.total.set_data(arrays.total)
        for line, weights in zip(artists.rows, arrays.rows, strict=True):
            line.set_ydata(weights)

    def caption(self, arrays):
        """What is on, how far the weights are from those of all four, and what the fifth does."""
        on = [name for name, is_on in zip(TERMS.values(), arrays.on[:4], strict=True) if is_on]
        told = f"On: {', '.join(on) or 'none of the four'}; "
        if len(on) == 4:
            told += f"without the last, weights would change by up to {arrays.without_offset:.2f}"
        else:
            told += f"weights are off by up to {arrays.change:.2f}"
        if not arrays.on[4]:
            return f"{told}; query alone is off, and would change no weight."
        bound = f"less than {ROUNDING:.0e}" if arrays.row_change < ROUNDING else "more"
        return (
            f"{told}; query alone moves the scores of each row together, by up to "
            f"{arrays.shift:.2f}, and changes the weights by {bound}."
        )


def draw_cross(axes):
    """A cross from corner to corner, for what is off."""
    ends = {"transform": axes.transAxes, "color": rcParams["text.color"], "animated": True}
    cross = axes.plot([], [], **ends)[0]
    cross.set_linewidth(cross.get_linewidth() / 1.5)
    return cross


def cross_out(image, cross, on):
    """Show a map as it is when it is on, and otherwise pale and crossed."""
    image.set_alpha(1.0 if on else 0.25)
    cross.set_data(*(([], []) if on else ([0, 1, np.nan, 0, 1], [0, 1, np.nan, 1, 0])))


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


def _draw_map(axes, colours, low, high):
    grey, edges = rcParams["grid.color"], (-0.5, LENGTH - 0.5)
    return axes.imshow(
        np.zeros((1, 1)),
        cmap=colormaps[colours].with_extremes(under=grey),
        vmin=low,
        vmax=high,
        extent=(*edges, *edges[::-1]),
        aspect="equal",
        animated=True,
    )


def _draw_rows(axes):
    """The last query's weights with all four terms, and as the switches stand."""
    keys = np.arange(LENGTH)
    rows = [
        axes.plot(keys, 0 * keys, style, label=label, animated=True)[0]
        for style, label in (("C0o-", "last query, all four"), ("C1s--", "as switched"))
    ]
    for line, size in zip(rows, (1.4, 3), strict=True):  # where both agree, both are seen
        line.set(linewidth=line.get_linewidth() / 1.5, markersize=line.get_markersize() / size)
    axes.set(title="weights", xticks=(0, 15), yticks=(0, 1), ylim=(-0.08, 1.08))
    axes.set_box_aspect(1)
    return rows
