"""What turns a pair when a patch has a row and a column: two hands, or one with two shares."""

from types import SimpleNamespace

import numpy as np
from matplotlib import rcParams

from posviz.encodings.frequencies import rotary_frequencies
from posviz.encodings.rotary2d import axial_angles, mixed_angles, raster
from posviz.engine.knobs import choice, integer, log
from posviz.engine.looks import SIGNED
from posviz.engine.picture import Picture

SIDE = 16  # patches along a side of the image
HEAD_DIM = 64
PAIRS = HEAD_DIM // 4  # on each axis, when axial
BEYOND = 2 * SIDE  # lines run this far both ways, out of the image


class TwoHands(Picture):
    """One pair at (row, column): two hands when axial, one hand when mixed."""

    size = (8.0, 4.2)
    paper_size = (3.3, 2.1)
    film = ("row", "column")

    row = integer(4, low=0, high=SIDE - 1, play=True)
    column = integer(6, low=0, high=SIDE - 1, play=True)
    kind = choice("axial", options=("axial", "mixed", "mixed, equal"))
    pair = integer(2, low=0, high=PAIRS - 1)
    direction = integer(30, low=0, high=180, step=5, label="direction (°)")
    base = log(100, low=10, high=10_000)

    def compute(self):
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
        scores = np.cos(angles - angles[self.row * SIDE + self.column]).mean(axis=-1)
        return SimpleNamespace(
            here=(self.row, self.column),
            kind=self.kind,
            pair=self.pair,
            frequencies=frequencies,
            shares=frequencies * (self.column, self.row),
            scores=scores.reshape(SIDE, SIDE),
        )

    def _frequencies(self, speed):
        if self.kind == "axial":
            return speed * np.eye(2)
        if self.kind == "mixed, equal":
            return speed * np.ones((1, 2))
        towards = np.deg2rad(self.direction)
        return speed * np.array([[np.cos(towards), np.sin(towards)]])

    def draw(self, figure):
        """The dial at left; at right the image, with lines along which a hand stands the same."""
        dial, image = figure.subplots(1, 2, width_ratios=(1, 1.15))
        turn = np.linspace(0, 2 * np.pi, 181)
        dial.plot(np.cos(turn), np.sin(turn), color="C6", linewidth=rcParams["axes.linewidth"])
        dial.set(xlim=(-1.15, 1.15), ylim=(-1.15, 1.15), aspect="equal", title="hands")
        dial.set(xticks=(-1, 0, 1), yticks=(-1, 0, 1))
        looks = (("-", "C0", "by the column"), ("--", "C1", "by the row"), ("-", "C2", "by both"))
        hands = [
            dial.plot([], [], style, marker="o", markevery=[1], color=color, label=label)[0]
            for style, color, label in looks
        ]
        arcs = [dial.plot([], [], style, color=color)[0] for style, color, _ in looks[:2]]
        for line in (*hands, *arcs):
            line.set_animated(True)
        scores = image.imshow(
            np.zeros((2, 2)), cmap=SIGNED, vmin=-1, vmax=1, aspect="equal", animated=True
        )
        scores.set_extent((-0.5, SIDE - 0.5, SIDE - 0.5, -0.5))
        figure.colorbar(scores, ax=image, ticks=(-1, 0, 1), shrink=0.8)
        # Black on white lies on the map's own colours, so it is the same in both themes.
        width = rcParams["lines.linewidth"]
        families = [
            [
                image.plot([], [], shape, color=color, linewidth=times * width, animated=True)[0]
                for shape, color, times in (("-", "white", 1.3), (style, "black", 0.6))
            ]
            for style in ("-", "--")
        ]
        mark = image.plot([], [], "o", color="black", markeredgecolor="white", animated=True)[0]
        image.set(xlim=(-0.5, SIDE - 0.5), ylim=(SIDE - 0.5, -0.5), title="score of these hands")
        image.set(xlabel="column (patches)", ylabel="row (patches)")
        image.set(xticks=(0, 5, 10, 15), yticks=(0, 5, 10, 15))
        figure.legend(handles=hands, loc="outside upper center", ncols=3)
        return SimpleNamespace(hands=hands, arcs=arcs, scores=scores, families=families, mark=mark)

    def update(self, artists, arrays):
        """Hands and arcs on the dial; the scores and the lines of equal angle on the image."""
        angles = arrays.shares.sum(axis=1)
        shown = [*angles, None] if len(angles) == 2 else [None, None, *angles]
        for hand, angle in zip(artists.hands, shown, strict=True):
            hand.set_data(*_hand(angle))
        starts = (0, 0) if len(angles) == 2 else (0, arrays.shares[0, 0])
        shares = arrays.shares.sum(axis=0)
        for arc, start, share, radius in zip(
            artists.arcs, starts, shares, (0.45, 0.65), strict=True
        ):
            # Whole turns change nothing.
            along = start + np.linspace(0, np.fmod(share, 2 * np.pi), 60)
            arc.set_data(radius * np.cos(along), radius * np.sin(along))
        artists.scores.set_data(arrays.scores)
        for i, family in enumerate(artists.families):
            drawn = i < len(angles)
            points = _lines(arrays.here, arrays.frequencies[i]) if drawn else ([], [])
            for line in family:
                line.set_data(*points)
        artists.mark.set_data(arrays.here[1:], arrays.here[:1])

    def caption(self, arrays):
        """The angles, share by share."""
        row, column = arrays.here
        across, down = arrays.shares[0, 0], arrays.shares[-1, 1]
        f0, f1 = arrays.frequencies[0, 0], arrays.frequencies[-1, 1]
        by_column, by_row = f"{column} × {_signed(f0)}", f"{row} × {_signed(f1)}"
        where = f"{arrays.kind.capitalize()} at row {row}, column {column}: pair {arrays.pair}"
        if arrays.kind == "axial":
            return (
                f"{where} is turned by the column, {by_column} = {_signed(across)} radians, and "
                f"pair {PAIRS + arrays.pair} by the row, {by_row} = {_signed(down)} radians."
            )
        same = "; patches with the same row + column turn it alike" if np.isclose(f0, f1) else ""
        return (
            f"{where} is turned by {by_column} + {by_row} = {_signed(across + down)} radians{same}."
        )


def _signed(number):
    """Four digits, with a true minus; of cos 90° rounding would leave a little."""
    return f"{number if abs(number) > 1e-12 else 0:.4g}".replace("-", "−")


def _hand(angle):
    """From the centre to the rim, or nothing."""
    return ([], []) if angle is None else ([0, np.cos(angle)], [0, np.sin(angle)])


def _lines(here, frequencies):
    """Lines through the image on which column · f₀ + row · f₁ is as here, up to whole turns."""
    speed = np.linalg.norm(frequencies)
    across = frequencies / speed  # one wavelength apart in this direction
    count = int(BEYOND * speed / (2 * np.pi)) + 1
    turns = np.arange(-count, count + 1)[:, None] * 2 * np.pi / speed
    middles = np.array(here[::-1]) + turns * across
    along = BEYOND * np.array([-across[1], across[0]])
    gap = np.full_like(middles, np.nan)
    return np.stack([middles - along, middles + along, gap], axis=1).reshape(-1, 2).T
