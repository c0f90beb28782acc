"""Two answers past the training length: the loss, and what is found again."""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from posviz.pictures.knobs import Choice, Integer
from posviz.pictures.parts import Curve, Other, Text, broken, wide
from posviz.pictures.picture import Arrays, Picture
from posviz.wording import signed
from posviz_course.choosing.length import ARMS, FLAT, KNOWS, TRAINED, growth, median
from posviz_course.choosing.rows import HYBRID, NONE
from posviz_course.lessons._hues import Coloured, hue

NAMES = {row: row for row in ARMS} | {NONE: "NoPE", "stretched RoPE": "YaRN at test"}
ROWS_OF = {name: row for row, name in NAMES.items()}
LEFT, RIGHT, LOWEST, HIGHEST = -0.25, 2.45, 0.35, 1.16
LETTERS, LINE = (0.06, 0.032), 0.055  # the width of a letter in nats, narrow and wide; a line
RISES = (0.055, -0.055, 0.11, -0.11)  # of a name above or below its dot


class LossAndRecall(Picture):
    """On longer texts few encodings keep both the loss and recall."""

    size = (8.0, 3.7)
    paper_size = (3.3, 4.0)

    doublings = Integer(3, low=0, high=3, play=True)
    encoding = Choice("RoPE", options=tuple(ROWS_OF))

    def compute(self) -> Arrays:
        """Return where each row is [rows, 2]: how much its loss grew, and its recall.

        path: of the chosen row, from 64 tokens up to this length, x and y; labels: where the names
        that have room begin, narrow and wide; both: the rows that keep both.
        """
        paths = {row: _path(row)[: self.doublings + 1] for row in ARMS}
        every = {row: path[-1] for row, path in paths.items()}
        row = ROWS_OF[self.encoding]
        return self.arrays(
            every=np.array(list(every.values())),
            path=paths[row].T,
            labels=[
                _with_room(every, [row, HYBRID, "RoPE"], letter) if self.doublings else {}
                for letter in LETTERS
            ],
            length=TRAINED * 2**self.doublings,
            both=[name for name, (grew, share) in every.items() if grew < FLAT and share >= KNOWS],
        )

    def draw(self, figure: Figure) -> list:
        """The plane of both answers, with the corner that keeps both."""
        axes = figure.subplots()
        axes.set(xlim=(LEFT, RIGHT), xlabel="growth of the loss since 64 tokens (nats)")
        axes.set(ylim=(LOWEST, HIGHEST), yticks=(0.4, 0.6, 0.8, 1), ylabel="recall (share found)")
        green = (LEFT, KNOWS), FLAT - LEFT, HIGHEST - KNOWS
        axes.add_patch(Rectangle(*green, facecolor="C2", alpha=0.2, linewidth=0, zorder=0))
        axes.text(LEFT + 0.02, HIGHEST - 0.01, "keeps both", va="top", color="C2")
        corner = {"transform": axes.transAxes, "ha": "right", "va": "bottom"}
        texts = Text(axes, 0.99, 0.02, lambda a: f"from texts of 64 to {a.length} tokens", **corner)
        dots = Curve(axes, "C6o", lambda a: a.every.T)
        path = Curve(axes, "-", "path")
        here = Curve(axes, "o", lambda a: a.path[:, -1:], marks=1.5)
        is_wide = wide(figure)
        leaders = Curve(axes, "C6-", lambda a: _leaders(a, 1 if is_wide else 0), stroke=0.4)
        names = [
            Other(
                axes.text(0, 0, "", va="center", fontsize="small", animated=True, in_layout=False),
                lambda a, row=row: _label(a.labels[1 if is_wide else 0], row),
            )
            for row in ARMS
        ]
        colour = Coloured([path.line, here.line], lambda a: hue(a.encoding))
        return [texts, leaders, path, dots, here, *names, colour]

    def caption(self, arrays: Arrays) -> str:
        grew, recall = arrays.path[:, -1]
        return (
            f"At {arrays.length} tokens {len(arrays.both)} of {len(ARMS)} encodings keep both; "
            f"the loss of {arrays.encoding} grew by {signed(grew, 'z.2f')} nats, and it finds "
            f"{recall:.0%}."
        )


def _path(row):
    """The growth of the loss and the recall at each length [lengths, 2], medians over runs."""
    arm, lengths = ARMS[row], [TRAINED * 2**doublings for doublings in range(4)]
    return np.array([(growth(arm, n), median(arm, "recall", n)) for n in lengths])


def _with_room(places, first, letter):
    """Where names lie on no dot and no other name: the rows of `first` before all others.

    Returns {row: (x, y)}, the left ends; a name is right of its dot, or above or below it.
    """
    every = np.array(list(places.values()))
    kept: dict = {}
    for row in dict.fromkeys([*first, *places]):
        width = letter * len(NAMES[row])
        for x, y in places[row] + np.array([(0.05, 0), *((-0.02, rise) for rise in RISES)]):
            on_dot = (x - 0.03 < every[:, 0]) & (every[:, 0] < x + width)
            on_dot &= abs(every[:, 1] - y) < LINE * 0.75
            on_name = any(
                abs(y - below) < LINE
                and x < left + letter * len(NAMES[other]) + 0.03
                and left < x + width + 0.03
                for other, (left, below) in kept.items()
            )
            on_corner = y > HIGHEST - 2 * LINE and x < LEFT + 0.45
            if not (on_dot.any() or on_name or on_corner):
                kept[row] = x, y
                break
    return kept


def _leaders(arrays, width):
    """From each dot to its name above or below it, as x and y of one line."""
    dots = dict(zip(ARMS, arrays.every, strict=True))
    names = arrays.labels[width].items()
    ends = [(dots[row], (x + 0.03, y)) for row, (x, y) in names if y != dots[row][1]]
    return broken(np.reshape(ends, (-1, 2, 2)))


def _label(labels, row):
    x, y = labels.get(row, (0, 0))
    return {"x": x, "y": y, "text": NAMES[row] if row in labels else ""}
