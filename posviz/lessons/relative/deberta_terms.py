"""DeBERTa's terms, and what their number has to do with the scale of the scores."""

import functools

import numpy as np
from matplotlib.figure import Figure

from posviz.encodings.deberta import P2C, TERMS, DeBERTa
from posviz.encodings.doors import NoPosition
from posviz.lessons.relative.four_relative_terms import LENGTH, LIMIT, draw_score_bar
from posviz.pictures.knobs import choice, even, integer, switch
from posviz.pictures.parts import Curve, Term, Text
from posviz.pictures.picture import Arrays, Picture

WIDEST_CLIP = 8
DRAWS = 100_000
EDGES = np.linspace(-5, 5, 51)  # of the bins
MIDDLES = (EDGES[1:] + EDGES[:-1]) / 2


class DebertaTerms(Picture):
    """DeBERTa's three terms, and why their sum is divided by √(3d)."""

    size = (8.0, 4.3)
    paper_size = (3.3, 2.6)

    c2p = switch(True, label="c2p on")
    p2c = switch(True, label="p2c on")
    reading = choice("code", options=P2C, label="p2c as in the")
    clip = integer(4, low=2, high=WIDEST_CLIP, play=True, label="clip k (tokens)")
    head_dim = even(64, low=4, high=128)
    seed = integer(0, low=0, high=99)

    def compute(self) -> Arrays:
        """Return the terms [len, len] after 1/√head_dim, and the spread of sums of many draws."""
        on = (True, self.c2p, self.p2c)
        scale = _encoding(self.head_dim, self.seed, self.clip, self.reading, on).scale(
            self.head_dim
        )
        terms = _terms(self.head_dim, self.seed, self.clip, self.reading) * self.head_dim**-0.5
        deviations, densities = _spread(self.head_dim, on, scale)
        return self.arrays(
            on=on,
            maps=np.clip(terms, -LIMIT, LIMIT),  # none is grey for being low
            clips=_clips(self.clip, self.reading),
            deviations=deviations,
            densities=densities,
        )

    def draw(self, figure: Figure) -> list:
        """The terms as maps; below them the spread of many sums, scaled and not."""
        axes = figure.subplot_mosaic("abc\nsss", height_ratios=(1.5, 1))
        maps = [axes[name] for name in "abc"]
        colours = {"most": (LENGTH, LENGTH), "limits": (-LIMIT, LIMIT)}
        terms = [
            Term(panel, lambda a, at=at: a.maps[at], lambda a, at=at: a.on[at], **colours)
            for at, panel in enumerate(maps)
        ]
        dotted = {"color": "black", "stroke": 1 / 1.5}  # on colours, in both themes
        clips = [
            Curve(maps[1], ":", lambda a: a.clips[0], **dotted),
            Curve(maps[2], ":", lambda a: a.clips[1], **dotted),
        ]
        for panel, name in zip(maps, ("q·k", *TERMS), strict=True):
            panel.set(title=name, xlabel="key", xticks=(), yticks=())
        maps[0].set_ylabel("query")
        draw_score_bar(figure, terms[0].image, maps, "score", aspect=15)
        return [*terms, *clips, *_draw_spreads(axes["s"])]

    def caption(self, arrays: Arrays) -> str:
        """The spread of the sum before and after DeBERTa's scale, and what is clipped."""
        count = sum(arrays.on)
        clipped = f"clipped to −{arrays.clip} … {arrays.clip - 1} (dotted)"
        plain, scaled = arrays.deviations
        sums = f"{count} terms" if count > 1 else "q·k alone"
        told = (
            f"Over {DRAWS:,} draws the standard deviation of {sums} is {plain:.2f} after "
            f"1/√{arrays.head_dim} and {scaled:.2f} after 1/√({count} · {arrays.head_dim})"
        )
        if count == 1:
            return f"{told}, and no term reads an offset, so neither reading nor clip matters."
        if not arrays.on[2]:
            return f"{told}; c2p reads δ(i, j), {clipped}, and p2c is off in either reading."
        reads = (
            "δ(i, j), as in the released code"
            if arrays.reading == "code"
            else "δ(j, i), as in the paper"
        )
        return f"{told}; p2c reads {reads}, {clipped}."


@functools.lru_cache(maxsize=8)
def _vectors(head_dim, seed):
    """Queries and keys [len, head_dim], and both tables for the widest clip [2k, head_dim]."""
    random = np.random.default_rng(seed)
    tokens = random.standard_normal((2, LENGTH, head_dim))
    return *tokens, *random.standard_normal((2, 2 * WIDEST_CLIP, head_dim))


def _encoding(head_dim, seed, clip, reading, on):
    """DeBERTa with the terms that are on; a narrower clip reads the middle rows of the tables."""
    names = tuple(name for name, is_on in zip(TERMS, on[1:], strict=True) if is_on)
    if not names:
        return NoPosition()
    rows = slice(WIDEST_CLIP - clip, WIDEST_CLIP + clip)
    position_key, position_query = (table[None, rows] for table in _vectors(head_dim, seed)[2:])
    return DeBERTa(position_key, position_query, terms=names, p2c=reading)


@functools.lru_cache(maxsize=8)
def _terms(head_dim, seed, clip, reading):
    """q·k, c2p and p2c [3, len, len], unscaled."""
    q, k = (x[None, None] for x in _vectors(head_dim, seed)[:2])
    terms, positions = [(q @ k.swapaxes(-1, -2))[0, 0]], np.arange(LENGTH)
    for on in ((True, True, False), (True, False, True)):
        encoding, blank = (
            _encoding(head_dim, seed, clip, reading, on),
            np.zeros((1, 1, LENGTH, LENGTH)),
        )
        added = encoding.at_scores(blank, q, k, positions, positions)
        terms.append(added[0, 0] / encoding.scale(head_dim))
    return np.stack(terms)


def _clips(clip, reading):
    """Points x, y of the lines beyond which δ is clipped, in c2p and in p2c."""
    edges = np.array([-0.5, LENGTH - 0.5, np.nan])
    behind, ahead = clip - 1.5, 0.5 - clip  # offsets beyond which rows of the table repeat
    sides = [(behind, ahead), (behind, ahead) if reading == "code" else (-behind, -ahead)]
    query = np.tile(edges, 2)
    return [(query - np.repeat(side, 3), query) for side in sides]


@functools.lru_cache(maxsize=8)
def _draws(head_dim):
    """Many draws of q·k, q·r and k·s [3, draws], of normal vectors.

    Their dot products need no vectors: q lies along an axis, which is no loss; k has one component
    along it and a length across; and what a normal vector makes with another is normal, times the
    length of the other.
    """
    random = np.random.default_rng(1)
    along, with_q, with_k = random.standard_normal((3, DRAWS))
    q = np.sqrt(random.chisquare(head_dim, DRAWS))
    k = np.sqrt(along**2 + random.chisquare(head_dim - 1, DRAWS))
    return np.stack([q * along, q * with_q, k * with_k])


@functools.lru_cache(maxsize=32)
def _spread(head_dim, on, scale):
    """Standard deviations and densities [bins] of many sums, after 1/√head_dim and after scale."""
    sums = np.sum(_draws(head_dim)[list(on)], axis=0)
    both = [sums * factor for factor in (head_dim**-0.5, scale)]
    deviations = [values.std() for values in both]
    width = EDGES[1] - EDGES[0]
    return deviations, [np.histogram(x, EDGES)[0] / (DRAWS * width) for x in both]


def _draw_spreads(axes):
    """The densities of the sum after both scales, over that of a standard normal."""
    normal = np.exp(-(MIDDLES**2) / 2) / np.sqrt(2 * np.pi)
    axes.fill_between(MIDDLES, normal, color="C6", alpha=0.4, lw=0)
    axes.set(xlabel="sum of the terms (grey: standard normal)", ylabel="density")
    axes.set(xlim=(-5, 5), ylim=(0, 0.52), xticks=(-4, -2, 0, 2, 4))
    axes.set_title(" ")  # room for the numbers
    above = {"size": "large", "transform": axes.transAxes}
    right = {"color": "C0", "ha": "right", **above}
    return [
        Curve(axes, "C1--", lambda a: (MIDDLES, a.densities[0]), stroke=1.5),
        Curve(axes, "C0-", lambda a: (MIDDLES, a.densities[1]), stroke=1.5),
        Text(axes, 0, 1.04, lambda a: _scaled("√d", a.deviations[0]), color="C1", **above),
        Text(axes, 1, 1.04, lambda a: _scaled(f"√({sum(a.on)}d)", a.deviations[1]), **right),
    ]


def _scaled(scale, deviation):
    return f"/ {scale}: σ = {deviation:.2f}"
