"""Two sentences of the same words, and what one attention layer makes of each."""

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure

from posviz.encodings.sinusoidal import sinusoidal
from posviz.pictures.knobs import Real, TypedText
from posviz.pictures.layouts import beside
from posviz.pictures.parts import Curve, Ring, broken, inches, legend_over, zero
from posviz.pictures.picture import Arrays, Picture
from posviz_course.lessons._sentences import short, words_of
from posviz_course.lessons.order.shuffled_sentence import D_MODEL, attended, word_vector

MOST_WORDS = 5  # for which there is room beside each other
NUMBERS = 8  # of each summary
ROUNDING = 1e-12


class SameWords(Picture):
    """Two sentences of the same words, with and without positions."""

    size = (8.0, 3.2)
    paper_size = (3.3, 3.2)

    sentence = TypedText("dog bites man", max_length=40, redraw=True, label="first 5 words")
    strength = Real(0.0, low=0.0, high=2.0, play=True, label="position added")

    def compute(self) -> Arrays:
        """Return the summaries [2, NUMBERS] of the sentence and of its mirror image."""
        words = words_of(self.sentence, MOST_WORDS)
        both = [summary(order, self.strength) for order in (words, words[::-1])]
        places = np.arange(1, NUMBERS + 1)
        strokes = [[(x, a), (x, b)] for x, a, b in zip(places, *both, strict=True)]
        return self.arrays(
            summaries=[(places, numbers) for numbers in both],
            apart=broken(np.array(strokes)),
            mirrored=words == words[::-1],
            difference=abs(both[0] - both[1]).max(),
        )

    def draw(self, figure: Figure) -> list:
        """The two sentences with their words joined, and eight numbers for each of them."""
        written, panel = beside(figure, (1, 1.15), (1, 2))
        _write(written, words_of(self.sentence, MOST_WORDS))
        apart = Curve(panel, "C6-", "apart")
        upper = Curve(panel, "C0s", "summaries[0]", "upper sentence", marks=0.8)
        lower = Ring(panel, "C1o", "summaries[1]", "lower sentence", edge=0.3, marks=1.7)
        zero(panel)
        panel.set(xlim=(0.4, NUMBERS + 0.6), xticks=range(1, NUMBERS + 1), ylim=(-2.9, 2.9))
        panel.set(xlabel="which of the eight numbers", ylabel="value", yticks=(-2, 0, 2))
        legend_over(panel, ncols=2)
        return [apart, upper, lower]

    def caption(self, arrays: Arrays) -> str:
        if arrays.mirrored:
            return "Both sentences are the same, word for word, so all eight numbers are equal."
        if arrays.difference < ROUNDING:
            return "All eight numbers are equal, so the layer cannot tell the two sentences apart."
        size = f"up to {arrays.difference:.2f}" if arrays.difference > 0.01 else "less than 0.01"
        return f"The eight numbers differ by {size}, so the layer can tell the two sentences apart."


def summary(words, strength=0.0, mask="none"):
    """The mean of all outputs of one attention layer, its first NUMBERS entries.

    strength: how much of a sinusoidal table is added to the embeddings.
    """
    x = np.stack([word_vector(word) for word in words])
    x = x + strength * sinusoidal(np.arange(len(words)), D_MODEL)
    return attended(x, mask).mean(axis=0)[:NUMBERS]


def _write(axes, words):
    """Both sentences, one below the other, each word joined to itself."""
    last = len(words) - 1
    axes.set(xlim=(-0.6, max(last, 1) + 0.6), ylim=(-0.35, 1.35))
    axes.axis("off")
    middle = max(1 - last, 0) / 2  # one word is centred
    letters = max(2, len(words)) * max(len(short(word)) for word in words)
    room = 72 * inches(axes.figure)[0] / rcParams["font.size"]
    size = rcParams["font.size"] * max(1, min(1.8, 0.5 * room / letters))
    for i, word in enumerate(words):
        axes.plot([i + middle, last - i + middle], [0.86, 0.14], "C6-", zorder=1)
        props = {
            "ha": "center",
            "va": "center",
            "weight": "bold",
            "parse_math": False,
            "size": size,
        }
        axes.text(i + middle, 1, short(word), color="C0", **props)
        axes.text(last - i + middle, 0, short(word), color="C1", **props)
