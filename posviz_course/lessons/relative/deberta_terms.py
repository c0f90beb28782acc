"""DeBERTa's terms, and what their number has to do with the scale of the scores."""

import functools

import numpy as np
from matplotlib.figure import Figure

from posviz.encodings.deberta import P2C, TERMS, deberta_scores
from posviz.pictures.knobs import Choice, Integer, Switch
from posviz.pictures.parts import Curve, Text, on_colours, wide
from posviz.pictures.picture import Arrays, Picture
from posviz_course.lessons.relative.four_relative_terms import APART, LIMIT, draw_terms

WIDEST_CLIP, HEAD_DIM = 8, 64
DRAWS = 100_000
EDGES = np.linspace(-5, 5, 51)  # of the bins
MIDDLES = (EDGES[1:] + EDGES[:-1]) / 2


class DebertaTerms(Picture):
    """DeBERTa's three terms, and why their sum is divided by √(3d)."""

    size = (8.0, 4.5)
    paper_size = (3.3, 2.6)

    p2c = Switch(True, label="p2c on")
    reading = Choice("code", options=P2C, label="p2c as in the")
    clip = Integer(4, low=2, high=WIDEST_CLIP, play=True, label="clip k (tokens)")

    def compute(self) -> Arrays:
        """Return the terms [len, len] after 1/√head_dim, and the spread of sums of many draws."""
        on = (True, True, self.p2c)
        terms = _terms(self.clip, self.reading) / 8
        deviations, densities = _spread(sum(on))
        return self.arrays(
            on=on,
            terms=np.clip(terms, -LIMIT, LIMIT),  # none is grey for being low
            clips=_clips(self.clip, self.reading),
            deviations=deviations,
            densities=[(MIDDLES, density) for density in densities],
        )

    def draw(self, figure: Figure) -> list:
        """The terms as maps; below them the spread of many sums, scaled and not."""
        *maps, spread = figure.subplot_mosaic("abc\nsss", height_ratios=(2, 1)).values()
        terms = draw_terms(figure, maps, ("q·k (content)", "c2p (q · offset)", "p2c (k · offset)"))
        for panel in maps[1:]:
            panel.set_xlabel("key (dotted: clip)")
        normal = np.exp(-(MIDDLES**2) / 2) / np.sqrt(2 * np.pi)
        spread.fill_between(MIDDLES, normal, color="C6", alpha=0.4, lw=0)
        spread.set(xlabel="sum of the terms (grey: normal, σ = 1)", ylabel="density")
        spread.set(xlim=(-5, 5), ylim=(0, 0.52), xticks=(-4, -2, 0, 2, 4))
        spread.set_title(" ")  # room for the numbers
        above = {"size": "large" if wide(figure) else "medium", "transform": spread.transAxes}
        plain = Text(
            spread, 0, 1.04, lambda a: f"sum / √d: σ = {a.deviations[0]:.2f}", color="C1", **above
        )
        above |= {"color": "C0", "ha": "right"}
        return [
            *terms,
            *(part for i in (0, 1) for part in on_colours(maps[1 + i], f"clips[{i}]", "k:")),
            Curve(spread, "C1--", "densities[0]", stroke=1.5),
            Curve(spread, "C0-", "densities[1]", stroke=1.5),
            plain,
            Text(
                spread,
                1,
                1.04,
                lambda a: f"sum / √({sum(a.on)}d): σ = {a.deviations[1]:.2f}",
                **above,
            ),
        ]

    def caption(self, arrays: Arrays) -> str:
        count, (plain, scaled) = sum(arrays.on), arrays.deviations
        return (
            f"The sum of the terms that are on, {count} of 3, has standard deviation {plain:.2f} "
            f"after division by √{HEAD_DIM}, and {scaled:.2f} by √({count} · {HEAD_DIM})."
        )


@functools.lru_cache(maxsize=8)
def _terms(clip, reading):
    """q·k, c2p and p2c [3, len, len], unscaled; a narrower clip reads the middle of the tables."""
    random = np.random.default_rng(0)
    q, k = random.standard_normal((2, 1, 1, len(APART), HEAD_DIM))
    tables = random.standard_normal((2, 1, 2 * WIDEST_CLIP, HEAD_DIM))
    keys, queries = tables[:, :, WIDEST_CLIP - clip : WIDEST_CLIP + clip]
    content = q @ k.mT
    sums = [
        deberta_scores(q, k, keys, queries, APART, terms=(term,), p2c=reading) for term in TERMS
    ]
    return np.stack([content, *(term - content for term in sums)])[:, 0, 0]


def _clips(clip, reading):
    """Points x, y of the lines beyond which δ is clipped, in c2p and in p2c."""
    query = np.tile([-0.5, len(APART) - 0.5, np.nan], 2)
    offset = np.repeat([clip - 1.5, 0.5 - clip], 3)  # beyond it rows of the table repeat
    return [(query - offset, query), (query - offset * (1 if reading == "code" else -1), query)]


@functools.cache
def _spread(count):
    """Standard deviations and densities [bins] of many sums of the first terms, scaled two ways.

    Dot products of normal vectors need no vectors: q lies along an axis, which is no loss; k has
    one component along it and a length across; and what a normal vector makes with another is
    normal, times the length of the other.
    """
    random = np.random.default_rng(1)
    along, with_q, with_k = random.standard_normal((3, DRAWS))
    q = np.sqrt(random.chisquare(HEAD_DIM, DRAWS))
    k = np.sqrt(along**2 + random.chisquare(HEAD_DIM - 1, DRAWS))
    sums = np.sum([q * along, q * with_q, k * with_k][:count], axis=0)
    both = [sums / np.sqrt(terms * HEAD_DIM) for terms in (1, count)]
    width = EDGES[1] - EDGES[0]
    bins: dict = {"bins": len(MIDDLES), "range": (EDGES[0], EDGES[-1])}  # so nothing is sorted
    densities = [np.histogram(values, **bins)[0] / (DRAWS * width) for values in both]
    return [values.std() for values in both], densities
