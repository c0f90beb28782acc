"""What rotates a pair when a patch has a row and a column: two hands, or one with two shares."""

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure

from posviz.encodings.frequencies import rotary_frequencies
from posviz.encodings.rotary2d import mixed_angles, raster
from posviz.pictures.knobs import Choice, Integer, Log
from posviz.pictures.layouts import beside
from posviz.pictures.parts import Curve, Map, Other, Text, broken, circle, on_colours
from posviz.pictures.picture import Arrays, Picture
from posviz.wording import number

SIDE = 14  # patches along a side of the image
HEAD_DIM, PAIR = 64, 2
PAIRS = HEAD_DIM // 4  # on each axis, when axial
ARC, WIDER = 150, 0.08  # points of an arc; what a full rotation adds to its radius
ARROW = 3.5  # patches, whatever the frequencies are


class TwoHands(Picture):
    """Row and column of a patch rotate RoPE's hands, which set the score."""

    size = (7.5, 3.4)
    paper_size = (3.3, 4.6)

    row = Integer(4, low=0, high=SIDE - 1, play=True)
    column = Integer(6, low=0, high=SIDE - 1, play=True)
    kind = Choice("axial", options=("axial", "mixed"))
    direction = Integer(
        30, low=0, high=180, step=5, when={"kind": ("mixed",)}, label="direction (°)"
    )
    base = Log(100, low=10, high=10_000, more=True)

    def compute(self) -> Arrays:
        """Return the shares of column and row in each hand's angle, and what the pairs score.

        `frequencies` is [hands, 2], index 0 for columns; `shares` alike, times the coordinates.
        """
        towards = np.deg2rad(self.direction)
        mixed = [[np.cos(towards), np.sin(towards)]]
        speed = rotary_frequencies(HEAD_DIM // 2, self.base)[PAIR]
        frequencies = speed * np.array(np.eye(2) if self.kind == "axial" else mixed)
        here = self.column, self.row
        rows, columns = raster(SIDE, SIDE).T
        angles = mixed_angles(rows, columns, frequencies.T)
        shares = frequencies * here
        scores = np.cos(angles - angles[self.row * SIDE + self.column]).mean(axis=-1)
        is_axial = self.kind == "axial"
        return self.arrays(
            place=([self.column], [self.row]),
            frequencies=frequencies,
            shares=shares,
            hands=_by_kind(_rim(angle) for angle in shares.sum(axis=1)),
            names=["column", "row", "" if is_axial else "both"],
            arcs=_arcs(shares),
            arrows=_by_kind(_arrow(here, frequency) for frequency in frequencies),
            title={"text": "axial: a hand for each" if is_axial else "mixed: one hand for both"},
            lines=[*(_lines(here, frequency) for frequency in frequencies), ([], [])][:2],
            scores=scores.reshape(SIDE, SIDE),
        )

    def draw(self, figure: Figure) -> list:
        """The dial at left; at right the image, with lines along which a hand's angle stays."""
        dial, image = beside(figure, (1, 1.15))
        circle(dial)
        dial.set(xlim=(-1.2, 1.2), ylim=(-1.45, 1.15), aspect="equal", xticks=(), yticks=())
        dial.spines[:].set_visible(False)
        image.set_title("score with each patch")
        image.set_xlabel("column (patches)", color="C0")  # as what rotates by it
        image.set_ylabel("row (patches)", color="C1")
        scores = Map(image, "scores", most=(SIDE, SIDE), aspect="equal")
        figure.colorbar(scores.image, ax=image, ticks=(-1, 0, 1), shrink=0.8)
        image.set(xticks=(0, 5, 10), yticks=(0, 5, 10))
        thin = {"stroke": 1.3 / 0.6, "linewidth": 0.6 * rcParams["lines.linewidth"]}
        first = on_colours(image, "lines[0]", "k-", **thin)
        last = on_colours(image, "lines[1]", "k--", **thin)
        title = dial.set_title("mixed: one hand for both", animated=True)
        parts = [Other(title, "title"), scores, *first, *last]
        for i, fmt in enumerate(("C0o-", "C1o--", "C2o-")):
            parts += on_colours(image, f"arrows[{i}]", fmt.replace("o", ""), stroke=2.2)
            parts.append(Curve(dial, fmt, f"hands[{i}]", markevery=[1]))
            middle = {"ha": "center", "va": "center", "color": fmt[:2]}
            parts.append(Text(dial, (-0.8, 0.8, 0)[i], -1.3, f"names[{i}]", **middle))
        arcs = [Curve(dial, "C0-", "arcs[0]"), Curve(dial, "C1--", "arcs[1]")]
        return [*parts, *arcs, Curve(image, "ko", "place", markeredgecolor="white")]

    def caption(self, arrays: Arrays) -> str:
        across, down = arrays.shares[0, 0], arrays.shares[-1, 1]
        f0, f1 = arrays.frequencies[0, 0], arrays.frequencies[-1, 1]
        columns, rows = f"{arrays.column} × {_digits(f0)}", f"{arrays.row} × {_digits(f1)}"
        if arrays.kind == "axial":
            return (
                f"The column rotates pair {PAIR} by {columns} = {_digits(across)} radians, "
                f"and the row rotates pair {PAIRS + PAIR} by {rows} = {_digits(down)}."
            )
        return (
            f"Column and row rotate pair {PAIR} together, by {columns} + {rows} = "
            f"{_digits(across + down)} radians."
        )


def _digits(value):
    """Three digits; of cos 90° rounding would leave a little."""
    return number(round(value, 9))


def _by_kind(paths):
    """Paths of the column, the row and both: two are there when axial, and one when mixed."""
    none: tuple = ([], [])
    paths = list(paths)
    return [*paths, none] if len(paths) == 2 else [none, none, *paths]


def _rim(angle):
    """From the centre to the rim."""
    return [0, np.cos(angle)], [0, np.sin(angle)]


def _arcs(shares):
    """By how much column and row rotate: the same hand first by the one and then by the other."""
    starts = (0, 0) if len(shares) == 2 else (0, shares[0, 0])
    arcs = []
    for start, share, radius in zip(starts, shares.sum(axis=0), (0.3, 0.6), strict=True):
        # A browser shows an arc without length as a dot, Agg does not.
        along = np.linspace(0, share, ARC if abs(share) > 0.01 else 0)
        outwards = radius + WIDER * abs(along) / (2 * np.pi)  # full rotations make a spiral
        arcs.append((outwards * np.cos(start + along), outwards * np.sin(start + along)))
    return arcs


def _arrow(here, frequency):
    """From the query in the direction of a hand's frequencies, the row's downwards."""
    along = ARROW * frequency / np.linalg.norm(frequency)
    across = along[::-1] * (-1, 1)
    tip, barbs = here + along, here + 0.75 * along
    return np.transpose([here, tip, barbs + 0.15 * across, tip, barbs - 0.15 * across])


def _lines(here, frequencies):
    """Lines through the image on which column · f₀ + row · f₁ is as here, up to full rotations."""
    speed, far = np.linalg.norm(frequencies), 2 * SIDE  # beyond the image both ways
    across = frequencies / speed  # one wavelength apart in this direction
    count = int(far * speed / (2 * np.pi)) + 1
    middles = here + np.arange(-count, count + 1)[:, None] * 2 * np.pi / speed * across
    along = far * np.array([-across[1], across[0]])
    return broken(np.stack([middles - along, middles + along], axis=1))
