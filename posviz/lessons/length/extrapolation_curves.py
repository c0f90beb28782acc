"""What models that were trained on short texts make of long ones: every run, and the medians."""

from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullLocator

from posviz.lab.configs import TASKS
from posviz.lab.results import Result
from posviz.lab.tables import ALL_ARMS, GUESSED, table
from posviz.lessons.length._curves import (
    BESIDE,
    NOTHING,
    Curves,
    by_length,
    by_position,
    lit,
    names,
    results_of,
)
from posviz.pictures.knobs import choice
from posviz.pictures.parts import Curve, broken, legend_above, with_room
from posviz.pictures.picture import Arrays, Picture

LOSS = "bytes"  # whose loss is drawn at every position; of other tasks, the accuracy by length


class ExtrapolationCurves(Picture):
    """Trained short, tested long: which arms go on past the trained length, in every run?

    `given` are results of a sweep, as `posviz.lab.results.results("runs")` returns them; they stand
    in for those of the package. `mine` is one result more, laid over those of its task.
    """

    size = (8.0, 4.3)
    paper_size = (3.3, 2.9)

    task = choice(LOSS, options=TASKS, redraw=True)
    arm = choice("ALiBi", options=ALL_ARMS)
    beside = choice("RoPE", options=BESIDE)

    def __init__(self, given=None, *, mine: Result | None = None, **knobs):
        super().__init__(**knobs)
        self._data = ("given",) * (given is not None) + ("mine",) * (mine is not None)
        found = results_of(given)
        self._tables = {task: table(found, task) for task in TASKS}
        self._curves = {task: _curves(self._tables[task]) for task in TASKS}
        self._mine = None if mine is None else (mine.config, table([mine], mine.config.task))

    def _own(self):
        """The reader's run, where it is of this task."""
        return self._mine if self._mine and self._mine[0].task == self.task else None

    def compute(self) -> Arrays:
        """Return of the arm and the one beside it all runs at each length, by_length."""
        found = self._tables[self.task]
        both = (self.arm, self.beside)
        mine = {}
        if mine_here := self._own():
            config, own = mine_here
            mine = {config.arm: own.by_length[config.arm][0]}
        return self.arrays(
            lengths=found.lengths,
            by_length={name: found.by_length.get(name, ()) for name in both if name != NOTHING},
            mine=mine,
        )

    def draw(self, figure: Figure) -> list:
        """Every run of two arms over the medians of all others."""
        found, curves = self._tables[self.task], self._curves[self.task]
        axes = figure.subplots()
        grey: dict[str, Any] = {"color": "C6", "alpha": 0.45, "linewidth": 0.8}
        medians = np.stack([curves.median(arm) for arm in curves.runs] or [curves.median("none")])
        x = np.broadcast_to(curves.x, medians.shape)
        (others,) = axes.plot(*broken(np.stack([x, medians], axis=-1)), **grey, label="all others")
        end = axes.axvline(found.trained, color="C6", linestyle="--", label="trained length")
        if self.task in GUESSED:
            axes.axhline(GUESSED[self.task], color="C6", linestyle=":")
        parts: list = lit(axes, curves)
        handles = [*parts[2:], others, end]
        if mine_here := self._own():
            config, own = mine_here
            line = _curves(own)
            mine = Curve(axes, "C2-D", lambda a: (line.x, line.median(config.arm)), "your run")
            parts, handles = [*parts, mine], [*handles[:2], mine, *handles[2:]]
        _label(axes, self.task, curves, found.lengths)
        legend_above(figure, handles, narrow=2)
        axes.set_title(" ")
        return [*parts, *names(axes, (0, 1.015, "left"), (1, 1.015, "right"))]

    def caption(self, arrays: Arrays) -> str:
        """The medians of both at the trained and at the longest length, and between what runs."""
        short, long = arrays.lengths[0], arrays.lengths[-1]
        unit = "nats over the second half of" if arrays.task == LOSS else "of answers right in"
        told = [
            _told(name, np.asarray(runs), arrays.task) for name, runs in arrays.by_length.items()
        ]
        told += [
            f"your run of {name} " + " and ".join(_number(runs[at], arrays.task) for at in (0, -1))
            for name, runs in arrays.mine.items()
        ]
        return f"{arrays.task}, {unit} {short:,} and of {long:,} tokens: {'; '.join(told)}."


def _curves(found) -> Curves:
    return by_position(found) if found.task == LOSS else by_length(found)


def _number(value: float, task: str) -> str:
    return f"{value:.2f}" if task == LOSS else f"{value:.0%}"


def _told(name: str, runs: np.ndarray, task: str) -> str:
    if not len(runs):
        return f"{name} has no run"
    first, last = runs[:, 0], runs[:, -1]
    short, long, low, high = (
        _number(x, task) for x in (np.median(first), np.median(last), last.min(), last.max())
    )
    return f"{name} {short} and {long} (median of {len(runs)} runs, {low} to {high})"


def _label(axes, task, curves, lengths):
    axes.set_xscale("log", base=2)
    ticks = lengths if task != LOSS else [*(lengths[0] // np.array([8, 4, 2])), *lengths]
    axes.set_xticks(ticks)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.0f}"))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlim(curves.x[0] / 1.05, curves.x[-1] * 1.05)
    if task == LOSS:
        values = np.concatenate([runs.ravel() for runs in curves.runs.values()] or [np.arange(2.0)])
        ends = with_room(np.nanmin(values), np.nanmax(values), 0.05)
        axes.set(ylim=ends, xlabel="position (tokens)", ylabel="loss (nats)")
    else:
        axes.set(ylim=(-0.04, 1.04), xlabel="tokens of the text", ylabel="answers right")
