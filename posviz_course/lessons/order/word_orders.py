"""All orders of five words, each of them one point, and what positions do to them."""

import functools
from itertools import permutations

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure

from posviz.pictures.knobs import Choice, Real, TypedText
from posviz.pictures.parts import Curve, Other, Ring, broken, inches, legend_over
from posviz.pictures.picture import Arrays, Picture
from posviz.pictures.style import PLAIN
from posviz_course.lessons._sentences import short, words_of
from posviz_course.lessons.learned.learned_table import principal_plane
from posviz_course.lessons.order.shuffled_sentence import ENCODINGS, attended, word_vector

MOST_WORDS, APART = 5, 1e-12  # what is nearer differs by rounding alone
POSITIONS = tuple(ENCODINGS)[1:]


class WordOrders(Picture):
    """Positions pull the orders of the same words apart."""

    size = (8.0, 4.4)
    paper_size = (3.3, 2.9)

    sentence = TypedText(
        "old dog bites young man", max_length=40, redraw=True, label="first 5 words"
    )
    step = Real(1.0, low=0, high=1, play=True, label="position step", when={"encoding": POSITIONS})
    encoding = Choice("sinusoidal", options=tuple(ENCODINGS))
    mask = Choice("none", options=("none", "causal"))

    def compute(self) -> Arrays:
        """Return a point for each order, [orders, 2], at step 0 and now."""
        words, how = tuple(words_of(self.sentence, MOST_WORDS)), (self.encoding, self.mask)
        first, now, last = (order_means(words, step, *how) for step in (0, self.step, 1))
        plane, centre = principal_plane(last), first.mean(axis=0)
        starts, points, ends = ((means - centre) @ plane for means in (first, now, last))
        room = (1.2, 1.4) * np.abs([starts, points, ends]).max(axis=(0, 1)) + APART
        starts, points = starts / room, points / room
        return self.arrays(
            points=points,
            starts=starts.T,
            rays=broken(np.stack([starts, points], axis=1)),
            marked=points[[orders_of(words).index(order) for order in _marked(words)]],
            different=1 + int(np.sum(np.diff(np.sort(now @ plane[:, 0])) > APART)),
        )

    def draw(self, figure: Figure) -> list:
        """A dot for each order, joined to its place at step 0; two of them have names."""
        words = words_of(self.sentence, MOST_WORDS)
        middle, axes = words[len(words) // 2], figure.subplots()
        axes.set(xlim=(-1, 1), ylim=(-1, 1), xlabel="component 1", ylabel="component 2")
        axes.set(xticks=(), yticks=())
        places = [order.index(middle) + 1 for order in orders_of(words)]
        # The ends of the colours, which fade on a white or a dark page, are left out.
        props: dict = {"cmap": PLAIN, "vmin": 0.2, "vmax": len(words) + 0.8, "animated": True}
        props |= {"c": places, "s": rcParams["lines.markersize"] ** 2}
        nowhere = np.zeros(len(places))
        dots = axes.scatter(nowhere, nowhere, **props)
        ends, ticks = np.arange(len(words) + 1) + 0.5, range(1, len(words) + 1)
        bar = figure.colorbar(dots, ax=axes, boundaries=ends, ticks=ticks, aspect=30)
        bar.set_label(f"place of “{short(middle)}”", parse_math=False)
        ink = rcParams["text.color"]
        parts = [
            Curve(axes, "C6-", "rays", stroke=1 / 3, alpha=0.5),
            Curve(axes, "x", "starts", "without positions (step 0)", color=ink, marks=1.5),
            Other(dots, lambda arrays: {"offsets": arrays.points}),
        ]
        legend_over(axes)
        for number, order in enumerate(_marked(words)):
            parts += _named(axes, number, " ".join(map(short, order)))
        return parts

    def caption(self, arrays: Arrays) -> str:
        when = "Without an encoding" if arrays.encoding == "none" else f"At step {arrays.step:.2f}"
        masked = " and with a causal mask" if arrays.mask == "causal" else ""
        where = f"{arrays.different} different points" if arrays.different > 1 else "one point"
        count = len(arrays.points)
        return f"{when}{masked}, the orders of these words, {count} in all, lie on {where}."


def _named(axes, number, words):
    """A ring around a marked order, and its words above or below it, within the axes."""
    look = {"color": f"C{number}", "weight": "bold", "ha": "center", "parse_math": False}
    paper = {"facecolor": rcParams["axes.facecolor"], "edgecolor": "none", "alpha": 0.8, "pad": 1}
    text = axes.text(0, 0, words, animated=True, in_layout=False, bbox=paper, **look)
    width, height = inches(axes.figure) * 72 / rcParams["font.size"]  # in letters
    share, gap = min(1, 0.9 * len(words) / width), 2.5 / height

    def show(arrays):
        (x, y), (_, other) = arrays.marked[number], arrays.marked[1 - number]
        up, va = (gap, "bottom") if (y, number) > (other, 1 - number) else (-gap, "top")
        return {"position": ((1 - share) * x, y + up), "va": va}

    ring = {"edge": 1 / 3, "marks": 2}
    marked = Ring(axes, f"C{number}o", lambda a: a.marked[number][:, None], **ring)
    return [marked, Other(text, show)]


def orders_of(words):
    """All orders of the words, the given one first; equal words make fewer of them."""
    return list(dict.fromkeys(permutations(words)))


def _marked(words):
    """The words as they are, and with both halves exchanged around the middle one."""
    half = len(words) // 2
    return tuple(words), (*words[-half:], *words[half:-half], *words[:half])


@functools.lru_cache(maxsize=128)  # both ends stay while the step moves, and Play comes back
def order_means(words, step=1, encoding="none", mask="none"):
    """Return for each order the mean of a layer's outputs, [orders, d_model]."""
    vectors = np.array([[word_vector(word) for word in order] for order in orders_of(words)])
    return attended(vectors, mask, encoding, step).mean(axis=1)
