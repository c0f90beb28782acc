"""Phases that training has seen, pair by pair, and those that only the longer text reaches."""

from typing import Any

import numpy as np
from matplotlib import rcParams
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from posviz.encodings.frequencies import rotary_frequencies
from posviz.lessons.stretching._methods import METHODS, stretched, title
from posviz.pictures.knobs import choice, log, log_integer
from posviz.pictures.parts import Curve, Other, Text, broken, legend_above
from posviz.pictures.picture import Arrays, Picture

ROTARY_DIM = 128
DISCS, ACROSS = 8, 4
PITCH = (3.0, 2.85)  # between centres; a disc has radius 1
TURN = 2 * np.pi
DISC = np.arange(DISCS)
CENTRES = np.stack([DISC % ACROSS * PITCH[0], -(DISC // ACROSS) * PITCH[1]], axis=-1)


class PhasesSeen(Picture):
    """Which phases a longer text shows a pair for the first time."""

    size = (8.0, 4.0)
    paper_size = (3.3, 2.3)

    method = choice("NTK", options=METHODS)
    factor = log(4, low=1, high=64, play=True, label="factor s")
    length = log_integer(4096, low=256, high=128_000, label="trained length L")
    base = log(10_000, low=100, high=1_000_000)

    def compute(self) -> Arrays:
        """Return how far each pair turns in training and in the longer text, [pairs], in turns.

        shown: the pairs that have a disc: the last to finish a turn, and seven after it.
        """
        setting = ROTARY_DIM, self.base, self.length, self.factor
        trained = rotary_frequencies(ROTARY_DIM, self.base) * self.length / TURN
        used = stretched(self.method, *setting).inv_freq * self.factor * self.length / TURN
        unfinished = trained < 1
        # An arc that ends where the trained one does is a quotient of floats away from it.
        new = unfinished & (used > trained * (1 + 1e-9))
        first = np.clip((~unfinished).sum() - 1, 0, len(trained) - DISCS)
        after = np.linspace(first + 1, len(trained) - 1, DISCS - 1).round().astype(int)
        return self.arrays(
            trained=trained,
            used=used,
            unfinished=unfinished,
            new=new,
            shown=np.array([first, *after]),
        )

    def draw(self, figure: Figure) -> list:
        """Eight discs: the trained arc grey, the new one coloured, a hand where the text ends."""
        axes = figure.subplots()
        axes.set(xlim=(-1.1, PITCH[0] * (ACROSS - 1) + 1.1), ylim=(-PITCH[1] - 1.6, 1.05))
        axes.set_aspect("equal")
        axes.set_axis_off()
        rims = np.stack([np.cos(np.linspace(0, TURN, 73)), np.sin(np.linspace(0, TURN, 73))], -1)
        thin = {"color": "C6", "linewidth": rcParams["axes.linewidth"]}
        axes.plot(*broken(CENTRES[:, None] + rims), **thin)
        grey: dict[str, Any] = {"facecolor": rcParams["grid.color"]}
        colour: dict[str, Any] = {"facecolor": "C1"}
        seen, new = (PolyCollection([], **look, animated=True) for look in (grey, colour))
        for sectors in (seen, new):
            axes.add_collection(sectors, autolim=False)
        hand = Curve(axes, "C0-", _hands, "end of the longer text", stroke=1.2)
        look = {"ha": "center", "va": "top"}
        labels = [
            Text(axes, x, y - 1.1, lambda a, at=at: f"pair {a.shown[at]}", **look)
            for at, (x, y) in enumerate(CENTRES)
        ]
        patches = [
            Patch(**grey, label="seen in training"),
            Patch(**colour, label="never seen"),
        ]
        legend_above(figure, [*patches, hand], narrow=2)
        return [
            Other(seen, lambda a: {"verts": _sectors(0 * a.shown, a.trained[a.shown])}),
            Other(new, lambda a: {"verts": _new_sectors(a)}),
            hand,
            *labels,
        ]

    def caption(self, arrays: Arrays) -> str:
        """How many pairs did not finish a turn, and how many of them meet new phases."""
        setting = ROTARY_DIM, arrays.base, arrays.length, arrays.factor
        count, pairs = int(arrays.unfinished.sum()), len(arrays.trained)
        longer = f"{round(arrays.factor * arrays.length):,}"
        start = f"{title(arrays.method, *setting)} at factor {arrays.factor:g}: "
        if not count:
            return f"{start}all {pairs} pairs finish a turn in {arrays.length:,} tokens."
        ratios = np.where(arrays.new, arrays.used / arrays.trained, 0)
        found = f"{arrays.new.sum()} of these enter"
        reach = f", up to {ratios.max():.2f} times the trained arc (pair {ratios.argmax()})"
        if not arrays.new.any():
            found, reach = "none of these enters", ""
        return (
            f"{start}{count} of {pairs} pairs do not finish a turn in {arrays.length:,} tokens, "
            f"and {found} an arc never seen by token {longer}{reach}."
        )


def _sectors(starts, ends):
    """Sectors of the discs [discs, points, 2], from start to end in turns, one turn at most."""
    turns = np.linspace(np.minimum(starts, 1), np.minimum(ends, 1), 61, axis=-1) * TURN
    arcs = np.stack([np.cos(turns), np.sin(turns)], axis=-1)
    return np.concatenate([np.zeros((DISCS, 1, 2)), arcs], axis=1) + CENTRES[:, None]


def _new_sectors(arrays):
    trained, used = arrays.trained[arrays.shown], arrays.used[arrays.shown]
    return _sectors(trained, np.where(arrays.new[arrays.shown], used, trained))


def _hands(arrays):
    """A hand at each pair's last phase, unless it has gone around."""
    turns = arrays.used[arrays.shown]
    tips = CENTRES + np.stack([np.cos(turns * TURN), np.sin(turns * TURN)], axis=-1)
    return broken(np.stack([CENTRES, tips], axis=1)[turns < 1])
