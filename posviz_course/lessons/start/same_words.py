"""Two sentences of the same words, and what one attention layer makes of each."""

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure

from posviz.encodings.sinusoidal import sinusoidal
from posviz.pictures.knobs import Real, TypedText
from posviz.pictures.layouts import beside
from posviz.pictures.parts import Other, Text, inches
from posviz.pictures.picture import Arrays, Picture
from posviz.pictures.style import SIGNED
from posviz.wording import signed
from posviz_course.lessons._sentences import short, words_of
from posviz_course.lessons.order.shuffled_sentence import D_MODEL, attended, word_vector

MOST_WORDS = 5  # for which there is room beside each other
NUMBERS = 8  # of each summary
ROUNDING = 1e-12
EQUAL = "=  equal"
LIMIT = 3.0  # of the colours, on which text can be read
CENTRED: dict = {"ha": "center", "va": "center"}


class SameWords(Picture):
    """Without positions, an attention layer makes the same numbers of both sentences."""

    size = (8.0, 3.2)
    paper_size = (3.3, 3.2)

    sentence = TypedText("dog bites man", max_length=40, redraw=True, label="first 5 words")
    strength = Real(0.0, low=0.0, high=2.0, play=True, label="position added")

    def compute(self) -> Arrays:
        """Return the summaries [2, NUMBERS] of the sentence and of its mirror image."""
        words = words_of(self.sentence, MOST_WORDS)
        both = [summary(order, self.strength) for order in (words, words[::-1])]
        difference = abs(both[0] - both[1]).max()
        size = f"up to {difference:.2f}" if difference >= 0.01 else "less than 0.01"
        return self.arrays(
            summaries=both,
            verdict=EQUAL if difference < ROUNDING else f"differ by {size}",
            mirrored=words == words[::-1],
        )

    def draw(self, figure: Figure) -> list:
        """The two sentences with their words joined, and beside each the numbers made of it."""
        written, panel = beside(figure, (1, 1.15), (1, 1))
        _write(written, words_of(self.sentence, MOST_WORDS))
        panel.set(xlim=(0.4, NUMBERS + 0.6), ylim=written.get_ylim(), yticks=())
        panel.set(xlabel="eight numbers of each sentence", xticks=())
        panel.spines[:].set_visible(False)
        verdict = Text(panel, NUMBERS / 2 + 0.5, 0.5, "verdict", size="x-large", **CENTRED)
        return [*_row(panel, 0, 1), *_row(panel, 1, 0), verdict]

    def caption(self, arrays: Arrays) -> str:
        if arrays.mirrored:
            return "Both sentences are the same, word for word, so all eight numbers are equal."
        if arrays.verdict == EQUAL:
            return "All eight numbers are equal, so the layer cannot tell the two sentences apart."
        return f"The eight numbers {arrays.verdict}, so the layer can tell the two sentences apart."


def summary(words, strength=0.0, mask="none"):
    """The mean of all outputs of one attention layer, its first NUMBERS entries.

    strength: how much of a sinusoidal table is added to the embeddings.
    """
    x = np.stack([word_vector(word) for word in words])
    x = x + strength * sinusoidal(np.arange(len(words)), D_MODEL)
    return attended(x, mask).mean(axis=0)[:NUMBERS]


def _row(axes, sentence, y):
    """A cell for each number of a sentence, in a frame of the sentence's colour."""
    left, right, low, high = extent = 0.5, NUMBERS + 0.5, y - 0.2, y + 0.2
    props = {"cmap": SIGNED, "vmin": -LIMIT, "vmax": LIMIT, "aspect": "auto", "extent": extent}
    cells = axes.imshow([[0]], animated=True, **props)
    frame = [left, right, right, left, left], [low, low, high, high, low]
    axes.plot(*frame, f"C{sentence}-", clip_on=False, zorder=3)
    numbers = [
        Text(axes, i + 1, y, lambda a, i=i: signed(a.summaries[sentence][i], "z.1f"), **CENTRED)
        for i in range(NUMBERS)
    ]
    return [Other(cells, lambda a: {"data": a.summaries[sentence][None]}), *numbers]


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
        props = CENTRED | {"weight": "bold", "parse_math": False, "size": size}
        axes.text(i + middle, 1, short(word), color="C0", **props)
        axes.text(last - i + middle, 0, short(word), color="C1", **props)
