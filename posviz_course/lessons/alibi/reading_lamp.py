"""How far back a head reads, in words: each as dark as its weight, if all contents are equal."""

import textwrap

import numpy as np
from matplotlib import rcParams
from matplotlib.colors import ListedColormap, to_rgb
from matplotlib.figure import Figure

from posviz.encodings.alibi import alibi_slopes
from posviz.pictures.knobs import Choice, Integer
from posviz.pictures.parts import Curve, Map, inches, legend_above
from posviz.pictures.picture import Arrays, Picture
from posviz_course.lessons.alibi.alibi_slopes import slope_words
from posviz_course.lessons.xpos.forgetting import XPOS_S, scores_by_distance

# The first words of Alice's Adventures in Wonderland, by Lewis Carroll (1865).
PAGE = """Alice was beginning to get very tired of sitting by her sister on the bank, and of having
nothing to do: once or twice she had peeped into the book her sister was reading, but it had no
pictures or conversations in it, “and what is the use of a book,” thought Alice “without pictures
or conversations?” So she was considering in her own mind (as well as she could, for the hot day
made her feel very sleepy and stupid), whether the pleasure of making a daisy-chain would be worth
the trouble of getting up and picking the daisies, when suddenly a White Rabbit with pink eyes ran
close by her. There was nothing so very remarkable in that; nor did Alice think it so very much out
of the way to hear the Rabbit say to itself, “Oh dear! Oh dear! I shall be late!”"""
WORDS, ACROSS = PAGE.split(), 51  # letters in a line
LINES = textwrap.wrap(" ".join(WORDS), ACROSS, break_on_hyphens=False)
INKED = np.array([list(line.ljust(ACROSS)) for line in LINES]) != " "
FIRST = np.diff(INKED, axis=1, prepend=False) & INKED  # letters of their words
# The word at each place of the page [lines, letters]; the room after it counts as the word's own.
CELLS = FIRST.cumsum().reshape(INKED.shape) - 1
SLOPES, LEAST = alibi_slopes(8), 1e-3  # a factor below ends the effective span
HIGH, WIDE_BY = 1.9, 0.602  # a line by a letter, in such a font; a letter by the font's size
FAINT = 0.06  # of a word that is not read, which leaves a trace of the page


class ReadingLamp(Picture):
    """A page of words, as dark as the weights that one of them gives to the others."""

    size = (7.0, 4.4)
    paper_size = (3.3, 2.5)

    head = Integer(4, low=1, high=len(SLOPES), play=True, when={"encoding": ("ALiBi",)})
    query = Integer(len(WORDS) - 1, low=0, high=len(WORDS) - 1, play=True, label="query (word)")
    encoding = Choice("ALiBi", options=("ALiBi", "RoPE", "xPos"))

    def compute(self) -> Arrays:
        """Return each word's weight by that of the query's own word [words]; 0 for future words.

        span: how many words back the factor of ALiBi is `LEAST`.
        """
        distances, slope = self.query - np.arange(len(WORDS)), SLOPES[self.head - 1]
        if self.encoding == "ALiBi":
            scores = -slope * np.arange(len(WORDS))
        else:
            scores = scores_by_distance("identical", XPOS_S)[int(self.encoding == "xPos")]
        factors = np.where(distances < 0, 0, np.exp(scores[abs(distances)] - scores[0]))
        read = np.flatnonzero(factors >= LEAST)
        ends = self.encoding == "ALiBi" and read[0] > 0
        return self.arrays(
            factors=factors,
            read=len(read),
            slope=slope,
            page=factors[CELLS],
            frame=_frame(self.query),
            last=_frame(read[0]) if ends else ([], []),
        )

    def draw(self, figure: Figure) -> list:
        """The page, and over it a veil in the colour of the paper, which hides what is not read."""
        axes, room = figure.subplots(), inches(figure) * 72 * (0.97, 0.87)
        letter = min(room / (ACROSS, HIGH * len(LINES)))
        font = {"family": "DejaVu Sans Mono", "size": 0.96 * letter / WIDE_BY}
        for i, word in enumerate(WORDS):
            line, start = np.argwhere(i == CELLS)[0]
            axes.text(start - 0.4, line, word, va="center", zorder=1, **font)
        steps = np.linspace(1 - FAINT, 0, 256)
        veil = ListedColormap([(*to_rgb(rcParams["axes.facecolor"]), alpha) for alpha in steps])
        size = CELLS.shape
        page = Map(axes, "page", most=size, cmap=veil, limits=(0, 1), aspect=HIGH, zorder=2)
        axes.set_axis_off()
        query = Curve(axes, "C1-", "frame", "query", clip_on=False)
        last = Curve(axes, "C0-", "last", "end of its effective span", clip_on=False)
        legend_above(figure, [query, last])
        return [page, query, last]

    def dragged(self, x: float, y: float) -> dict:
        """The word under the pointer is the query."""
        line, letter = np.clip(np.round([y, x]), 0, np.array(CELLS.shape) - 1).astype(int)
        return {"query": int(CELLS[line, letter])}

    def caption(self, arrays: Arrays) -> str:
        who = f"Head {arrays.head}, with the slope {slope_words(arrays.slope)},"
        who = who if arrays.encoding == "ALiBi" else arrays.encoding
        return (
            f"{who} leaves {arrays.read} of {arrays.query + 1} words at least a thousandth of the "
            f"weight of the query itself."
        )


def _frame(word):
    """The outline of a word, x and y."""
    line, letters = np.nonzero((word == CELLS) & INKED)
    left, right = letters[0] - 0.5, letters[-1] + 0.5
    return [left, right, right, left, left], line[0] + np.array([-0.5, -0.5, 0.5, 0.5, -0.5])
