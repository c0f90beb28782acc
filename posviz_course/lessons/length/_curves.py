"""What the curves of runs share: positions in bins, medians, and how they are drawn."""

from typing import NamedTuple

import numpy as np
from matplotlib import rcParams
from matplotlib.ticker import NullLocator

from posviz.pictures.parts import Curve, EndName, broken, with_room
from posviz_course.lab.tables import Table
from posviz_course.lessons._hues import Coloured, hues

LOOKS = {"arm": "-o", "beside": "--s"}


class Curves(NamedTuple):
    """Of one task: x [points], and every run of each arm [runs, points]."""

    x: np.ndarray
    runs: dict[str, np.ndarray]

    def of(self, arm: str) -> np.ndarray:
        """Return the runs of an arm [runs, points]; none where it has none."""
        return self.runs.get(arm, np.empty((0, len(self.x))))

    def median(self, arm: str) -> tuple[np.ndarray, np.ndarray]:
        """Return x, and the median of the runs of an arm [points], NaN where it has none."""
        runs = self.of(arm)
        return self.x, np.median(runs, axis=0) if len(runs) else np.full(len(self.x), np.nan)


def by_position(table: Table) -> Curves:
    """Return the mean of each bin of positions, from the fourth token on, at its middle.

    Bins of a quarter of an octave grow with the position; one begins where the training ends.
    """
    first, last = (int(4 * np.log2(end / table.trained)) for end in (4, table.lengths[-1]))
    edges = np.unique((table.trained * 2 ** (np.arange(first, last + 1) / 4)).round().astype(int))
    runs = {
        arm: np.add.reduceat(runs, edges[:-1], axis=1) / np.diff(edges)
        for arm, runs in table.by_place.items()
    }
    return Curves(np.sqrt(edges[:-1] * edges[1:]), runs)


def in_one_line(x: np.ndarray, curves: np.ndarray) -> np.ndarray:
    """Return x and y of one line through all curves [curves, points], with a gap after each."""
    return broken(np.stack([np.broadcast_to(x, curves.shape), curves], axis=-1))


def arm_and_beside(axes, curves: Curves, has_names: bool = True) -> list:
    """The arm and the one beside it: each run thin, the medians with marks, and their names."""
    thin = [
        Curve(
            axes,
            "-",
            lambda a, n=name: in_one_line(curves.x, curves.of(getattr(a, n))),
            stroke=0.4,
            alpha=0.55,
        )
        for name in LOOKS
    ]
    medians = [
        Curve(axes, fmt, lambda a, n=name: curves.median(getattr(a, n)), marks=0.7)
        for name, fmt in LOOKS.items()
    ]

    def named(arrays, name):
        (x, arm), (_, beside) = (curves.median(getattr(arrays, each)) for each in LOOKS)
        is_arm = name == "arm"
        above = (arm[-1] >= beside[-1]) == is_arm
        return x, arm if is_arm else beside, getattr(arrays, name), above

    names = [EndName(axes, "k", lambda a, n=name: named(a, n), fontweight="bold") for name in LOOKS]
    colours = [
        Coloured(
            (thin[at].line, medians[at].line, names[at].text),
            lambda a, at=at: hues(a.arm, a.beside)[at],
        )
        for at in (0, 1)
    ]
    return [*thin, *medians, *(names if has_names else ()), *colours]


def legend_of_runs(axes) -> list:
    """What thin lines and marks are, of whatever colour."""
    grey: dict = {"color": "C6", "animated": True}
    return [
        *axes.plot(
            [], [], "-", label="one run", linewidth=0.4 * rcParams["lines.linewidth"], **grey
        ),
        *axes.plot([], [], "-o", label="median", **grey),
    ]


def guessing(axes, share: float) -> None:
    """What guessing finds: a level line and its name."""
    axes.axhline(share, color="C6", linestyle=":")
    left = axes.get_yaxis_transform()
    axes.text(0.06, share, "guessing", transform=left, va="bottom", color="C6")


def in_tokens(axes, x, base: int, room: float, ticks=()) -> None:
    """A logarithmic axis of numbers of tokens."""
    axes.set_xscale("log", base=base)
    if len(ticks):
        axes.set_xticks(ticks)
    axes.set_xlim(x[0] / room, max([x[-1], *ticks]) * room)
    axes.xaxis.set_minor_locator(NullLocator())


def ends_of(curves: Curves) -> tuple[float, float]:
    """The ends of an axis for all runs, with a little room."""
    values = np.concatenate([runs.ravel() for runs in curves.runs.values()] or [np.arange(2.0)])
    return with_room(np.nanmin(values), np.nanmax(values), 0.1)
