"""What the curves of runs share: positions in bins, medians, and how they are drawn."""

from typing import Any, NamedTuple

import numpy as np

from posviz.lab.results import Result, committed
from posviz.lab.tables import ALL_ARMS, Table
from posviz.pictures.parts import Curve, Text, broken

NOTHING = "nothing"  # beside the arm
BESIDE = (NOTHING, *ALL_ARMS)
LOOKS = ("C0-o", "C1--s")  # of an arm, and of the one beside it
EVERY = 4  # positions are bins of a quarter of an octave


class Curves(NamedTuple):
    """Of one task: x [points], and every run of each arm [runs, points]."""

    x: np.ndarray
    runs: dict[str, np.ndarray]

    def of(self, arm: str) -> np.ndarray:
        """Return the runs of an arm [runs, points]; none where it has none."""
        return self.runs.get(arm, np.empty((0, len(self.x))))

    def median(self, arm: str) -> np.ndarray:
        """Return the median of the runs of an arm [points], NaN where it has none."""
        runs = self.of(arm)
        return np.median(runs, axis=0) if len(runs) else np.full(len(self.x), np.nan)


def results_of(given) -> tuple[Result, ...]:
    """Return the results that a reader has given, or those that come with the package."""
    return committed() if given is None else tuple(given)


def by_length(found: Table) -> Curves:
    """Return what is read at each length."""
    return Curves(found.lengths, found.by_length)


def by_position(found: Table) -> Curves:
    """Return the mean of each bin of positions, from the fourth token on, at its middle.

    Bins grow with the position, and one begins where the training ends.
    """
    octaves = np.log2(found.lengths[-1] / found.trained)
    below = np.log2(found.trained / 4)
    steps = np.arange(-np.floor(EVERY * below), EVERY * octaves + 1) / EVERY
    edges = np.unique((found.trained * 2**steps).round().astype(int))
    runs = {
        arm: np.add.reduceat(runs, edges[:-1], axis=1) / np.diff(edges)
        for arm, runs in found.by_place.items()
    }
    return Curves(np.sqrt(edges[:-1] * edges[1:]), runs)


def through_all(curves: Curves, arm: str) -> tuple[np.ndarray, np.ndarray]:
    """Return one line through all runs of an arm, with a gap after each."""
    runs = curves.of(arm)
    x = np.broadcast_to(curves.x, runs.shape)
    return tuple(broken(np.stack([x, runs], axis=-1)))


def lit(axes, curves: Curves) -> list[Curve]:
    """The arm and the one beside it: each run thin, the median with marks."""
    parts, medians = [], []
    for look, name in zip(LOOKS, ("arm", "beside"), strict=True):
        colour = look[:2]
        thin: dict[str, Any] = {"alpha": 0.55}
        parts.append(
            Curve(
                axes,
                f"{colour}-",
                lambda a, n=name: through_all(curves, getattr(a, n)),
                stroke=0.4,
                **thin,
            )
        )
        label = {"arm": "the arm (thin: every run)", "beside": "beside it"}[name]
        medians.append(
            Curve(
                axes,
                look,
                lambda a, n=name: (curves.x, curves.median(getattr(a, n))),
                label,
                marks=0.7,
            )
        )
    return [*parts, *medians]


def names(axes, *places: tuple[float, float, str]) -> list[Text]:
    """The names of both arms in their colours, each at its place in the axes: x, y, alignment."""
    look: dict[str, Any] = {"transform": axes.transAxes, "va": "bottom", "fontweight": "bold"}
    return [
        Text(axes, x, y, lambda a, n=name: _called(getattr(a, n)), color=colour[:2], ha=ha, **look)
        for (x, y, ha), name, colour in zip(places, ("arm", "beside"), LOOKS, strict=True)
    ]


def _called(arm: str) -> str:
    return "" if arm == NOTHING else arm
