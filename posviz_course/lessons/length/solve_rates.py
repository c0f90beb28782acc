"""Which runs solve a task inside the trained length, and which of them go on beyond it."""

import numpy as np
from matplotlib.figure import Figure

from posviz.pictures.knobs import Choice, Real
from posviz.pictures.parts import Curve, Ring, legend_above, wide
from posviz.pictures.picture import Arrays, Picture
from posviz_course.lab.results import committed
from posviz_course.lab.tables import ALL_ARMS, SOLVED, table

METHODS = (*ALL_ARMS[:7], "FoX")
SHOWN = ("recall", "copy unique", "majority")  # most runs learned none of the others
COLUMN = 3.5  # of a task: inside, at twice and four times the trained length, and a gap
RIGHT = COLUMN * len(SHOWN) - 1  # end of the last column


class SolveRates(Picture):
    """A run can fail on longer texts only at a task it learned."""

    size = (8.0, 4.2)
    paper_size = (3.3, 5.2)

    share = Real(SOLVED, low=0.5, high=1, step=0.01, play=True, label="share right")
    arm = Choice("FoX", options=METHODS, label="method")

    def __init__(self, **knobs):
        super().__init__(**knobs)
        tables = (table(committed(), task) for task in SHOWN)
        self._dots = np.concatenate([_dots(at, of_task) for at, of_task in enumerate(tables)])

    def compute(self) -> Arrays:
        """Return {kind: x, y of its dots}, and how many runs of the arm solve their task.

        counts: at 1, 2 and 4 times the trained length, each inside as well; runs: of how many.
        """
        x, y, value, inside, row, times = self._dots.T
        learned = inside >= self.share
        solved = learned & (value >= self.share)
        place = METHODS.index(self.arm)
        own = row == place
        kinds = {"solved": solved, "learned": learned & ~solved, "missed": ~learned}
        return self.arrays(
            dots={kind: (x[these], y[these]) for kind, these in kinds.items()},
            place=place,
            runs=int((own & (times == 0)).sum()),
            counts=[int((own & solved & (times == at)).sum()) for at in range(3)],
        )

    def draw(self, figure: Figure) -> list:
        """A row for each arm; for each task three columns, with a dot for each run."""
        axes = figure.subplots()
        tasks = COLUMN * np.arange(len(SHOWN))
        axes.set(xlim=(-0.6, RIGHT + 0.1), ylim=(len(METHODS) - 0.4, -0.6))
        axes.set_yticks(range(len(METHODS)), labels=METHODS)
        axes.set_xticks(np.add.outer(tasks, range(3)).ravel(), labels=["1", "2", "4"] * len(tasks))
        above = axes.secondary_xaxis("top")
        above.set_xticks(tasks + 1, labels=SHOWN)
        for side in (above, axes):
            side.tick_params(length=0)
            side.spines[:].set_visible(False)
        tested = "tested at so many " if wide(figure) else ""
        axes.set_xlabel(f"{tested}times the trained length")
        parts = [
            Curve(axes, "C0o", lambda a: a.dots["solved"], "solved here and at 1×"),
            Ring(axes, "C1o", lambda a: a.dots["learned"], "solved only at 1×", edge=0.25),
            Curve(axes, "C6x", lambda a: a.dots["missed"], "not even at 1×"),
        ]
        row = Curve(axes, "C6-", lambda a: _outline(a.place), stroke=0.6)
        legend_above(figure, parts, narrow=2)
        return [row, *parts]

    def caption(self, arrays: Arrays) -> str:
        inside, twice, four = arrays.counts
        return (
            f"Of {arrays.runs} runs of {arrays.arm}, {inside} solve their task at the trained "
            f"length, {twice} also at twice and {four} also at four times that length."
        )


def _dots(column, of_task):
    """Of each run at three lengths x, y, what it reads there and inside, its row, the length."""
    dots: list[tuple] = []
    for row, arm in enumerate(METHODS):
        runs = of_task.by_length.get(arm, np.empty((0, 3)))
        runs = runs[np.argsort(-runs[:, :3].sum(axis=1))]  # the best first
        down, right = np.divmod(np.arange(len(runs)), in_a_row := max(-(-len(runs) // 2), 1))
        across = 0.8 * ((right + 0.5) / in_a_row - 0.5)
        for at in range(3):
            x, y = COLUMN * column + at + across, row + 0.36 * down - 0.18
            both = np.full((2, len(runs)), [[row], [at]])
            dots += zip(x, y, runs[:, at], runs[:, 0], *both, strict=True)
    return np.array(dots).reshape(-1, 6)


def _outline(row):
    """The outline of a row, as x and y."""
    left, right, top, bottom = -0.5, RIGHT, row - 0.45, row + 0.45
    return [left, right, right, left, left], [top, top, bottom, bottom, top]
