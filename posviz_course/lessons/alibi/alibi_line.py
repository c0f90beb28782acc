"""A straight line subtracted from equal scores, and the weights that follow from it."""

import numpy as np
from matplotlib.figure import Figure

from posviz.attention import softmax
from posviz.encodings.alibi import alibi_bias
from posviz.encodings.relative import offsets
from posviz.pictures.knobs import Real, TypedText
from posviz.pictures.layouts import beside
from posviz.pictures.parts import Curve, broken, zero
from posviz.pictures.picture import Arrays, Picture
from posviz_course.lessons._sentences import words_of, write_along

MOST_WORDS = 12
LOWEST = -4.0  # score that is shown at least: a short sentence's line is not too steep


class AlibiLine(Picture):
    """A straight line in the scores, and the weights that it makes."""

    size = (8.0, 3.7)
    paper_size = (3.3, 4.0)

    slope = Real(0.5, low=0.0, high=1.0, step=0.05, play=True, label="slope m")
    sentence = TypedText("the dog bites the man", max_length=60, redraw=True)

    @property
    def words(self) -> list[str]:
        """The words that are shown."""
        return words_of(self.sentence, MOST_WORDS)

    def compute(self) -> Arrays:
        """Return scores and weights of the last word, where all words have the same content."""
        places = np.arange(len(self.words))
        scores = alibi_bias(np.array([self.slope]), offsets(places[-1:], places))[0, 0]
        weights = softmax(scores)
        return self.arrays(
            scores=(places, scores),
            drops=broken(np.stack([[places, 0 * scores], [places, scores]]).transpose(2, 0, 1)),
            weights=(places, weights),
            bars=broken(np.stack([[places, 0 * weights], [places, weights]]).transpose(2, 0, 1)),
            equal=([-0.5, len(places) - 0.5], [1 / len(places)] * 2),
            factor=np.exp(-self.slope),
            own=weights[-1],
            first=weights[0],
        )

    def draw(self, figure: Figure) -> list:
        """The scores of all keys, and beside them, or below, their weights."""
        words = self.words
        lowest = min(LOWEST, 1.0 - len(words))
        left, right = beside(figure)
        for axes in (left, right):
            write_along(axes.xaxis, words, 26)
            axes.set(xlim=(-0.5, len(words) - 0.5), xlabel="key")
        left.set(title="scores of the last word", ylabel="score", ylim=(lowest - 0.4, 0.6))
        right.set(title="its attention weights", ylabel="weight", ylim=(0, 1.05))
        right.set(yticks=(0, 0.5, 1))
        zero(left)
        flat = {"solid_capstyle": "butt"}
        parts = [
            Curve(left, "C6-", "drops", stroke=1.2),
            Curve(left, "C0o-", "scores", stroke=1.5, marks=1.3),
            Curve(right, "C0-", "bars", stroke=8, **flat),
            Curve(right, "C1--", "equal", "without a line"),
        ]
        right.legend(loc="upper left")
        return parts

    def dragged(self, x: float, y: float) -> dict:
        """The line goes through the pointer."""
        back = max(len(self.words) - 1 - x, 0.5)
        return {"slope": round(max(-y, 0) / back, 2)}

    def caption(self, arrays: Arrays) -> str:
        if len(arrays.scores[0]) == 1:
            return "A single word gets the whole weight, whatever the slope is."
        if not arrays.slope:
            return f"Without a slope, every word gets the same weight, {arrays.own:.2f}."
        return (
            f"Each token back multiplies the weight by {arrays.factor:.2f}, so it falls from "
            f"{arrays.own:.2f} to {arrays.first:.2f}."
        )
