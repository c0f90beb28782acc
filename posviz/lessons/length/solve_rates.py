"""Which runs solve a task inside the trained length, and which of them go on beyond it."""

from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure

from posviz.lab.tables import ALL_ARMS, GUESSED, SOLVED, Table, table
from posviz.lessons.length._curves import results_of
from posviz.pictures.knobs import choice, real
from posviz.pictures.parts import Curve, Ring, legend_above, wide
from posviz.pictures.picture import Arrays, Picture

TIMES = 3  # inside, and at twice and four times the trained length
GAP = 0.5  # between the columns of two tasks
TASKS = tuple(GUESSED)  # all that have right answers


class SolveRates(Picture):
    """Who did not learn a task cannot fail to generalise: every run, inside first.

    `given` are results of a sweep, as `posviz.lab.results.results("runs")` returns them; they stand
    in for those of the package.
    """

    size = (8.0, 4.5)
    paper_size = (3.3, 5.2)

    share = real(SOLVED, low=0.5, high=1, step=0.01, play=True, label="share right")
    arm = choice("RoPE", options=ALL_ARMS)

    def __init__(self, given=None, **knobs):
        super().__init__(**knobs)
        self._data = () if given is None else ("given",)
        found = results_of(given)
        self._tables = [table(found, task) for task in TASKS]
        self._dots = _dots(self._tables)

    def compute(self) -> Arrays:
        """Return {kind: x, y of its dots}; counts {task: runs of the arm, and how many solve it}.

        Of counts the last are at 1, 2 and 4 times the trained length, each inside as well.
        """
        dots = self._dots
        learned = dots.inside >= self.share
        solved = learned & (dots.value >= self.share)
        kinds = {"solved": solved, "learned": learned & ~solved, "missed": ~learned}
        return self.arrays(
            dots={kind: (dots.x[these], dots.y[these]) for kind, these in kinds.items()},
            counts={each.task: _count(each, self.arm, self.share) for each in self._tables},
        )

    def draw(self, figure: Figure) -> list:
        """A row for each arm; for each task three columns, with a dot for each run."""
        axes = figure.subplots()
        right, rows = len(TASKS) * (TIMES + GAP) - GAP - 0.5, len(ALL_ARMS)
        axes.set(xlim=(-0.6, right + 0.1), ylim=(rows - 0.4, -0.6))
        axes.set_yticks(range(rows), labels=ALL_ARMS)
        times = [f"{2**at}" for at in range(TIMES)]
        at = [place * (TIMES + GAP) for place in range(len(TASKS))]
        axes.set_xticks(np.add.outer(at, range(TIMES)).ravel(), labels=times * len(TASKS))
        axes.tick_params(length=0)
        above = axes.secondary_xaxis("top")
        names = [task.replace(" ", "\n") for task in TASKS]
        above.set_xticks(np.array(at) + (TIMES - 1) / 2, labels=names)
        for side in (above, axes):
            side.tick_params(length=0)
            side.spines[:].set_visible(False)
        tested = "tested at so many " if wide(figure) else ""
        axes.set_xlabel(f"{tested}times the trained length")
        looks: dict[str, tuple[Any, str, dict]] = {
            "solved": (Curve, "C0o", {}),
            "learned": (Ring, "C1o", {"edge": 0.25}),
            "missed": (Curve, "C6x", {}),
        }
        labels = {
            "solved": "solved here and at 1×",
            "learned": "solved at 1× alone",
            "missed": "not even at 1×",
        }
        parts = [
            made(axes, look, lambda a, kind=kind: a.dots[kind], labels[kind], marks=0.55, **edge)
            for kind, (made, look, edge) in looks.items()
        ]
        row = Curve(axes, "C6-", lambda a: _outline(ALL_ARMS.index(a.arm), right), stroke=0.6)
        legend_above(figure, parts, narrow=2)
        return [row, *parts]

    def caption(self, arrays: Arrays) -> str:
        """How many runs of the arm solve each task, inside and beyond."""
        told = [
            f"{task} {inside} of {runs}, then {twice} and {four}"
            for task, (runs, inside, twice, four) in arrays.counts.items()
            if runs
        ]
        return (
            f"{arrays.arm}: so many runs have {arrays.share:.0%} of the answers right at the "
            f"trained length, and still at 2× and 4×: {'; '.join(told) or 'it has no run'}."
        )


class _Dots(NamedTuple):
    """Of each run at each length where it stands, what it reads there, and inside."""

    x: np.ndarray
    y: np.ndarray
    value: np.ndarray
    inside: np.ndarray


def _dots(tables: list[Table]) -> _Dots:
    found: list[tuple] = []
    for column, each in enumerate(tables):
        for arm, runs in each.by_length.items():
            down, right = np.divmod(np.arange(len(runs)), in_a_row := -(-len(runs) // 2))
            across = (right + 0.5) / in_a_row - 0.5
            for at in range(TIMES):
                x = column * (TIMES + GAP) + at + 0.8 * across
                y = ALL_ARMS.index(arm) + 0.36 * down - 0.18
                found.append((x, y, runs[:, at], runs[:, 0]))
    return _Dots(*(np.concatenate(parts) for parts in zip(*found, strict=True)))


def _count(found: Table, arm: str, share: float) -> list[int]:
    if arm not in found.by_length:
        return [0] * (TIMES + 1)
    solved = found.solved(arm, share)[:, :TIMES]
    return [len(solved), *(solved & solved[:, :1]).sum(axis=0).tolist()]


def _outline(row: int, right: float) -> tuple[list[float], list[float]]:
    left, top, bottom = -0.5, row - 0.45, row + 0.45
    return [left, right, right, left, left], [top, top, bottom, bottom, top]
