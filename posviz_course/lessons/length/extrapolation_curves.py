"""What models that were trained on short texts make of long ones: every run, and the medians."""

import numpy as np
from matplotlib.figure import Figure

from posviz.pictures.knobs import Choice
from posviz.pictures.parts import Curve, legend_above, wide
from posviz.pictures.picture import Arrays, Picture
from posviz_course.lab.configs import TASKS
from posviz_course.lab.results import Result, committed
from posviz_course.lab.tables import ALL_ARMS, GUESSED, table
from posviz_course.lessons.length._curves import (
    Curves,
    arm_and_beside,
    by_position,
    ends_of,
    guessing,
    in_one_line,
    in_tokens,
    legend_of_runs,
)

LOSS = "bytes"  # whose loss is drawn at every position; of other tasks, the accuracy by length


class ExtrapolationCurves(Picture):
    """Past the trained length some methods go on, others fail.

    `given` are results of a sweep, as `posviz_course.lab.results.results("runs")` returns them;
    they replace those of the package. `mine` is one result more, laid over those of its task.
    """

    size = (8.0, 3.4)
    paper_size = (3.3, 2.9)

    task = Choice(LOSS, options=TASKS, redraw=True, more=True)
    arm = Choice("ALiBi", options=ALL_ARMS, label="method")
    beside = Choice("RoPE", options=ALL_ARMS, label="beside it")

    def __init__(self, given=None, *, mine: Result | None = None, **knobs):
        super().__init__(**knobs)
        data = {"given": given, "mine": mine}
        self.given_data = tuple(name for name in data if data[name] is not None)
        results = committed() if given is None else given
        self._tables = {task: table(results, task) for task in TASKS}
        self._curves = {task: _curves(self._tables[task]) for task in TASKS}
        self._mine = None if mine is None else (mine.config, table([mine], mine.config.task))

    def _own(self):
        """The reader's run, where it is of this task."""
        return self._mine if self._mine and self._mine[0].task == self.task else None

    def compute(self) -> Arrays:
        """Return of the arm and the one beside it all runs at each length, by_length."""
        of_task = self._tables[self.task]
        by_length = {name: of_task.by_length.get(name, ()) for name in (self.arm, self.beside)}
        if mine_here := self._own():
            config, own = mine_here
            by_length["your run"] = own.by_length[config.arm]
        return self.arrays(lengths=of_task.lengths, by_length=by_length)

    def draw(self, figure: Figure) -> list:
        """Every run of two arms over the medians of all others."""
        of_task, curves = self._tables[self.task], self._curves[self.task]
        axes = figure.subplots()
        medians = np.stack([curves.median(arm)[1] for arm in curves.runs or ["none"]])
        grey: dict = {"color": "C6", "alpha": 0.45, "linewidth": 0.8}
        (others,) = axes.plot(*in_one_line(curves.x, medians), **grey, label="other methods")
        end = axes.axvline(of_task.trained, color="C6", linestyle="--", label="trained length")
        if self.task in GUESSED:
            guessing(axes, GUESSED[self.task])
        parts: list = arm_and_beside(axes, curves)
        handles = [*legend_of_runs(axes), others, end]
        if mine_here := self._own():
            config, own = mine_here
            line = _curves(own).median(config.arm)
            mine = Curve(axes, "C2--D", lambda a: line, "your run", marks=1.3)
            parts, handles = [*parts, mine], [*handles[:2], mine, *handles[2:]]
        ticks = list(of_task.lengths)
        if self.task == LOSS:
            axes.set(ylim=ends_of(curves), xlabel="position (tokens)", ylabel="loss (nats)")
            ticks = [*(ticks[0] // part for part in (8, 4, 2)), *ticks]
        else:
            axes.set(ylim=(-0.14, 1.14), yticks=(0, 0.5, 1), ylabel="answers right")
            axes.set_xlabel("tokens of the text")
        in_tokens(axes, curves.x, base=2, room=1.05, ticks=ticks)
        rows = {"ncols": 3} if mine_here and wide(figure) else {}  # one would be cut off
        legend_above(figure, handles, narrow=2, **rows)
        return parts

    def caption(self, arrays: Arrays) -> str:
        what, form = ("loss", ".2f") if arrays.task == LOSS else ("share right", ".0%")
        grown, missing = [], []
        for name, runs in arrays.by_length.items():
            if len(runs):
                first, *_, last = np.median(runs, axis=0)
                grown.append(f"from {first:{form}} to {last:{form}} for {name}")
            else:
                missing.append(f"{name} has no run")
        if grown:
            missing.insert(0, f"the median {what} goes {' and '.join(grown)}")
        short, *_, long = arrays.lengths
        return f"Between {short:,} and {long:,} tokens {'; '.join(missing)}."


def _curves(runs) -> Curves:
    return by_position(runs) if runs.task == LOSS else Curves(runs.lengths, runs.by_length)
