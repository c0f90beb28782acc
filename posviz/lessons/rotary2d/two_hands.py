"""What turns a pair when a patch has a row and a column: two hands, or one with two shares."""

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure

from posviz.encodings.frequencies import rotary_frequencies
from posviz.encodings.rotary2d import axial_angles, mixed_angles, raster
from posviz.pictures.knobs import choice, integer, log
from posviz.pictures.parts import Curve, Map, broken, circle, legend_above, on_colours
from posviz.pictures.picture import Arrays, Picture
from posviz.wording import signed

SIDE = 16  # patches along a side of the image
HEAD_DIM = 64
PAIRS = HEAD_DIM // 4  # on each axis, when axial
BEYOND = 2 * SIDE  # lines run this far both ways, out of the image


class TwoHands(Picture):
    """One pair at (row, column): two hands when axial, one hand when mixed."""

    size = (8.0, 4.2)
    paper_size = (3.3, 2.1)
    combined = (("row", "column"), ("column", "kind"), ("kind", "pair"))

    row = integer(4, low=0, high=SIDE - 1, play=True)
    column = integer(6, low=0, high=SIDE - 1, play=True)
    kind = choice("axial", options=("axial", "mixed", "mixed, equal"))
    pair = integer(2, low=0, high=PAIRS - 1)
    direction = integer(
        30, low=0, high=180, step=5, when={"kind": ("mixed",)}, label="direction (°)"
    )
    base = log(100, low=10, high=10_000)

    def compute(self) -> Arrays:
        """Return the shares of column and row in each hand's angle, and what the pairs score.

        `frequencies` is [hands, 2], index 0 for columns; `shares` alike, times the coordinates.
        """
        speed = rotary_frequencies(HEAD_DIM // 2, self.base)[self.pair]
        frequencies = self._frequencies(speed)
        rows, columns = raster(SIDE, SIDE).T
        if self.kind == "axial":
            every = axial_angles(rows, columns, HEAD_DIM, base=self.base)
            angles = every[:, [self.pair, PAIRS + self.pair]]
        else:
            angles = mixed_angles(rows, columns, frequencies.T)
        here, shares = (self.row, self.column), frequencies * (self.column, self.row)
        scores = np.cos(angles - angles[self.row * SIDE + self.column]).mean(axis=-1)
        return self.arrays(
            here=here,
            frequencies=frequencies,
            shares=shares,
            hands=_hands(shares.sum(axis=1)),
            arcs=_arcs(shares),
            lines=[*(_lines(here, each) for each in frequencies), ([], [])][:2],
            scores=scores.reshape(SIDE, SIDE),
        )

    def _frequencies(self, speed):
        if self.kind == "axial":
            return speed * np.eye(2)
        if self.kind == "mixed, equal":
            return speed * np.ones((1, 2))
        towards = np.deg2rad(self.direction)
        return speed * np.array([[np.cos(towards), np.sin(towards)]])

    def draw(self, figure: Figure) -> list:
        """The dial at left; at right the image, with lines along which a hand stands the same."""
        dial, image = figure.subplots(1, 2, width_ratios=(1, 1.15))
        circle(dial)
        dial.set(xlim=(-1.15, 1.15), ylim=(-1.15, 1.15), aspect="equal", title="hands")
        dial.set(xticks=(-1, 0, 1), yticks=(-1, 0, 1))
        looks = (("C0o-", "by the column"), ("C1o--", "by the row"), ("C2o-", "by both"))
        hands = [
            Curve(dial, look, lambda a, i=i: a.hands[i], label, markevery=[1])
            for i, (look, label) in enumerate(looks)
        ]
        arcs = [
            Curve(dial, look, lambda a, i=i: a.arcs[i]) for i, look in enumerate(("C0-", "C1--"))
        ]
        scores = Map(image, lambda a: a.scores, most=(SIDE, SIDE), aspect="equal")
        figure.colorbar(scores.image, ax=image, ticks=(-1, 0, 1), shrink=0.8)
        thin = {"stroke": 1.3 / 0.6, "linewidth": 0.6 * rcParams["lines.linewidth"]}
        first = on_colours(image, lambda a: a.lines[0], "k-", **thin)
        last = on_colours(image, lambda a: a.lines[1], "k--", **thin)
        mark = Curve(image, "ko", lambda a: (a.here[1:], a.here[:1]), markeredgecolor="white")
        image.set(title="score of these hands", xlabel="column (patches)", ylabel="row (patches)")
        image.set(xticks=(0, 5, 10, 15), yticks=(0, 5, 10, 15))
        legend_above(figure, hands)
        return [*hands, *arcs, scores, *first, *last, mark]

    def caption(self, arrays: Arrays) -> str:
        """The angles, share by share."""
        row, column = arrays.here
        across, down = arrays.shares[0, 0], arrays.shares[-1, 1]
        f0, f1 = arrays.frequencies[0, 0], arrays.frequencies[-1, 1]
        by_column, by_row = f"{column} × {_digits(f0)}", f"{row} × {_digits(f1)}"
        where = f"{arrays.kind.capitalize()} at row {row}, column {column}: pair {arrays.pair}"
        if arrays.kind == "axial":
            return (
                f"{where} is turned by the column, {by_column} = {_digits(across)} radians, and "
                f"pair {PAIRS + arrays.pair} by the row, {by_row} = {_digits(down)} radians."
            )
        same = "; patches with the same row + column turn it alike" if np.isclose(f0, f1) else ""
        return (
            f"{where} is turned by {by_column} + {by_row} = {_digits(across + down)} radians{same}."
        )


def _digits(number):
    """Four digits, with a true minus; of cos 90° rounding would leave a little."""
    return signed(number if abs(number) > 1e-12 else 0, ".4g")


def _hands(angles):
    """From the centre to the rim: two for column and row, or a third one for both."""
    rims = [([0, np.cos(angle)], [0, np.sin(angle)]) for angle in angles]
    none: tuple = ([], [])
    return [*rims, none] if len(angles) == 2 else [none, none, *rims]


def _arcs(shares):
    """By how much column and row turn: the same hand first by the one and then by the other."""
    starts = (0, 0) if len(shares) == 2 else (0, shares[0, 0])
    arcs = []
    for start, share, radius in zip(starts, shares.sum(axis=0), (0.45, 0.65), strict=True):
        turn = np.fmod(share, 2 * np.pi)  # whole turns change nothing
        # A browser shows an arc without length as a dot, Agg does not.
        along = start + np.linspace(0, turn, 60 if abs(turn) > 0.01 else 0)
        arcs.append((radius * np.cos(along), radius * np.sin(along)))
    return arcs


def _lines(here, frequencies):
    """Lines through the image on which column · f₀ + row · f₁ is as here, up to whole turns."""
    speed = np.linalg.norm(frequencies)
    across = frequencies / speed  # one wavelength apart in this direction
    count = int(BEYOND * speed / (2 * np.pi)) + 1
    turns = np.arange(-count, count + 1)[:, None] * 2 * np.pi / speed
    middles = np.array(here[::-1]) + turns * across
    along = BEYOND * np.array([-across[1], across[0]])
    return broken(np.stack([middles - along, middles + along], axis=1))
