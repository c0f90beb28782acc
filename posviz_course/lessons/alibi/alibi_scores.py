"""ALiBi on top of scores that depend on contents: what a key that fits wins from afar."""

import functools

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure

from posviz.attention import softmax
from posviz.encodings.alibi import alibi_bias, alibi_slopes
from posviz.encodings.relative import offsets
from posviz.pictures.knobs import Integer, LogInteger
from posviz.pictures.layouts import maps_and_curves
from posviz.pictures.parts import Curve, Map, PointName, greyed, whole, wide, with_room
from posviz.pictures.picture import Arrays, Picture
from posviz.pictures.style import SIGNED
from posviz.wording import number
from posviz_course.lessons.alibi.alibi_slopes import slope_words
from posviz_course.lessons.alibi.weight_by_distance import LOWEST, draw_weight_axis

TOKENS, HEADS, HEAD_DIM = 64, 8, 64
FIT = 8.0  # score of the planted key with the last query, where other keys have a deviation of 1
LIMIT = FIT  # of the colours
COLOURS = {"without ALiBi": "C6", "with ALiBi": "C0"}


class AlibiScores(Picture):
    """ALiBi lowers the weight of the best key when it is far."""

    size = (9.0, 3.9)
    paper_size = (3.3, 3.1)

    head = Integer(2, low=1, high=HEADS, play=True)
    distance = LogInteger(30, low=1, high=TOKENS - 1, label="planted back")

    def compute(self) -> Arrays:
        """Return scores [len, len] and the last query's weights, without ALiBi and with it."""
        places, slopes = np.arange(TOKENS), alibi_slopes(HEADS)
        q, k = vectors(self.distance)
        without = q @ k.T / HEAD_DIM**0.5
        bias = alibi_bias(slopes[[self.head - 1]], offsets(places, places))[0]
        both = without, without + bias
        rows = [softmax(scores[-1])[::-1] for scores in both]
        ahead, last = np.triu(np.ones(without.shape, bool), 1), TOKENS - 1
        clipped = (np.clip(scores, -LIMIT, LIMIT) for scores in both)
        planted = [row[self.distance] for row in rows]
        return self.arrays(
            maps=[np.where(ahead, np.nan, scores) for scores in clipped],
            ring=([last - self.distance], [last]),
            curves=[(places, np.maximum(row, LOWEST)) for row in rows],
            planted=planted,
            marks=[([self.distance], [weight]) for weight in planted],
            slope=slopes[self.head - 1],
        )

    def draw(self, figure: Figure) -> list:
        """Both maps, and the last query's weights: beside them where there is room."""
        *maps, row = maps_and_curves(figure, 0.95, 2.2)
        props = {"cmap": greyed(SIGNED), "limits": (-LIMIT, LIMIT), "aspect": "equal"}
        ring = {"markerfacecolor": "none", "markeredgewidth": rcParams["lines.linewidth"]}
        ring |= {"clip_on": False, "in_layout": False}  # it is placed later
        size = (TOKENS, TOKENS)
        shown = [Map(axes, f"maps[{i}]", most=size, **props) for i, axes in enumerate(maps)]
        rings = [Curve(axes, "C3o", "ring", marks=2.5, **ring) for axes in maps]
        for axes, (title, color) in zip(maps, COLOURS.items(), strict=True):
            axes.set_title(title, color=color)
            axes.set_xlabel("key (ring: planted)")
        side, aspect = ("bottom", 30) if wide(figure) else ("right", 20)
        bar = figure.colorbar(shown[0].image, ax=maps, location=side, aspect=aspect, extend="both")
        bar.set_label("score (grey: future key)")
        bar.set_ticks((-LIMIT, 0, LIMIT))
        curves = []
        for i, (color, line, mark) in enumerate((("C6", "--", "s"), ("C0", "-", "o"))):
            curves += [
                Curve(row, color + line, f"curves[{i}]", stroke=1 / 1.5),
                Curve(row, color + mark, f"marks[{i}]", marks=1.5),
                PointName(row, color, _name(i), weight="bold", size="large"),
            ]
        draw_weight_axis(row)
        row.set(title="last query’s weights", xlim=with_room(0, TOKENS - 1), ylim=(5e-7, 30))
        whole(row.xaxis, most=3)
        return [*shown, *rings, *curves]

    def caption(self, arrays: Arrays) -> str:
        without, kept = arrays.planted
        return (
            f"Head {arrays.head}, with the slope {slope_words(arrays.slope)}, leaves the planted "
            f"key a weight of {number(kept)}, and without ALiBi it has {number(without)}."
        )


def _name(i):
    """The planted key's weight, above its mark without ALiBi, and below it with ALiBi."""
    return lambda arrays: (*arrays.marks[i], number(arrays.planted[i], 2), i == 0)


@functools.cache
def _drawn():
    """Queries and keys at each distance from the last token [2, tokens, head_dim]."""
    return np.random.default_rng(0).standard_normal((TOKENS, 2, HEAD_DIM)).swapaxes(0, 1)


def vectors(distance):
    """Queries and keys [tokens, head_dim]; the key at the distance points as the last query."""
    q, k = _drawn()[:, ::-1].copy()
    k[-1 - distance] = q[-1] * FIT * HEAD_DIM**0.5 / (q[-1] @ q[-1])
    return q, k
