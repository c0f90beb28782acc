"""A bias at one offset, and the weights of identical words that follow from it."""

import numpy as np
from matplotlib.figure import Figure

from posviz.attention import softmax
from posviz.encodings.relative import offsets
from posviz.pictures.knobs import Integer, Real, TypedText
from posviz.pictures.layouts import beside
from posviz.pictures.parts import Curve, Map, broken, on_colours, wide, zero
from posviz.pictures.picture import Arrays, Picture
from posviz.pictures.style import PLAIN
from posviz.wording import signed
from posviz_course.lessons._own import own_numbers
from posviz_course.lessons._sentences import words_of, write_along

MOST, FARTHEST, STRONGEST = 7, 4, 6.0  # words; tokens; what is added to a score
OFFSETS = np.arange(-FARTHEST, FARTHEST + 1)


class OffsetBias(Picture):
    """One number added at one offset, and where each word looks.

    `bias` is a reader's function of lesson 04, (numbers, length) -> [length, length].
    """

    size = (8.0, 3.1)
    paper_size = (3.3, 4.4)

    offset = Integer(1, low=-FARTHEST, high=FARTHEST, label="offset i − j")
    bonus = Real(3.0, low=-STRONGEST, high=STRONGEST, step=0.5, play=True, label="bias there")
    sentence = TypedText("the dog bites the man", max_length=60, redraw=True)

    def __init__(self, bias=None, **knobs):
        super().__init__(**knobs)
        self.given_data = () if bias is None else ("bias",)
        self._bias = bias

    def compute(self) -> Arrays:
        """Return the weights [len, len] of words with equal scores, and the bias of each offset."""
        positions = np.arange(len(words_of(self.sentence, MOST)))
        apart = offsets(positions, positions)
        bias = self._added(apart)
        weights = softmax(np.zeros(apart.shape) if bias is None else bias)
        chosen = weights[apart == self.offset]
        return self.arrays(
            weights=weights,
            all_biases=(OFFSETS, np.where(self.offset == OFFSETS, self.bonus, 0.0)),
            stem=([self.offset] * 2, [0, self.bonus]),
            mark=([self.offset], [self.bonus]),
            diagonal=_squares(apart, self.offset),
            ends=(chosen.min(), chosen.max()) if chosen.size else (),
            written=bias is not None,
        )

    def _added(self, apart):
        """What is added to the scores, [len, len]; None while the reader's function has no body."""
        if self._bias is None:
            return np.where(apart == self.offset, self.bonus, 0.0)
        length = len(apart)
        numbers = np.where(np.arange(1 - length, length) == self.offset, self.bonus, 0.0)
        return own_numbers(self._bias(numbers, length), apart.shape)

    def draw(self, figure: Figure) -> list:
        """The bias by offset, and beside it, or below, the weights of all words."""
        left, heat = beside(figure, (1, 1.15), (1, 1.5))
        zero(left)
        left.set(title="added to the score", xlabel="offset, query − key", ylabel="bias")
        left.set(xlim=(-4.6, 4.6), ylim=(-6.6, 6.6), xticks=OFFSETS[::2], yticks=(-6, -3, 0, 3, 6))
        left.set_xticklabels(map(signed, OFFSETS[::2]))
        words = words_of(self.sentence, MOST)
        size = (len(words), len(words))
        colours = Map(heat, "weights", most=size, cmap=PLAIN, limits=(0, 1), aspect="equal")
        whose = "with your bias" if self.given_data else "attention weights"
        heat.set(title=whose, xlabel="key", ylabel="query")
        write_along(heat.xaxis, words, 26 if wide(figure) else 20)
        write_along(heat.yaxis, words, 26)
        figure.colorbar(colours.image, ax=heat, ticks=(0, 0.5, 1), format="%g", label="weight")
        return [
            Curve(left, "C6o", "all_biases"),
            Curve(left, "C1-", "stem", stroke=2.5),
            Curve(left, "C1o", "mark", marks=1.8),
            colours,
            *on_colours(heat, "diagonal", "C1-"),
        ]

    def dragged(self, x: float, y: float) -> dict:
        """The offset and its bias go with the pointer."""
        return {"offset": round(x), "bonus": round(2 * y) / 2}

    def caption(self, arrays: Arrays) -> str:
        apart, bonus = signed(arrays.offset, "+"), signed(arrays.bonus, "+g")
        if not arrays.written:
            return "Your function returns no bias yet, so each word looks at all words equally."
        if not arrays.ends:
            return f"No two of these words are at offset {apart}, so the bias changes no weight."
        low, high = (f"{end:.2f}" for end in arrays.ends)
        share = low if low == high else f"between {low} and {high}"
        return f"With a bias of {bonus}, each key at offset {apart} gets {share} of the weight."


def _squares(apart, offset):
    """The outlines of the cells at an offset, as x and y with gaps."""
    corners = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5), (-0.5, -0.5)])
    cells = np.argwhere(apart == offset)[:, ::-1]
    return broken(cells[:, None] + corners) if len(cells) else ([], [])
