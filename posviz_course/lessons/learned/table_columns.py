"""One column of a learned table, read from the first position to the last, beside a sinusoid."""

import functools

import numpy as np
from matplotlib.figure import Figure

from posviz.encodings.sinusoidal import sinusoidal
from posviz.pictures.knobs import Choice, Integer
from posviz.pictures.parts import Dense, zero
from posviz.pictures.picture import Arrays, Picture
from posviz_course.models.real import trained_table

DEVIATIONS = 3.6  # of a column, which its axis shows
TITLES = {"untrained": "random, before training", "MiniLM": "learned (MiniLM)"}


class TableColumns(Picture):
    """A column of a real learned table, and the same column of a sinusoidal table."""

    size = (8.0, 3.4)
    paper_size = (3.3, 3.0)

    column = Integer(50, low=0, high=383, play=True)
    table = Choice("MiniLM", options=tuple(TITLES), redraw=True)

    def compute(self) -> Arrays:
        """Return the column of both tables, in units of its deviation, and its slow share."""
        learned = _real() if self.table == "MiniLM" else _untrained()
        tables = sinusoidal(np.arange(512), 384), learned
        columns = [table[:, self.column] - table[:, self.column].mean() for table in tables]
        power = np.square(abs(np.fft.rfft(columns[1])))[1:]
        return self.arrays(
            curves=[(np.arange(512), x / (x.std() or 1)) for x in columns],
            slow=float(power[:32].sum() / power.sum()),
        )

    def draw(self, figure: Figure) -> list:
        """The column of the learned table above, of the sinusoidal one below."""
        above, below = figure.subplots(2, 1, sharex=True)
        zero(above, below)
        for axes, title in ((above, TITLES[self.table]), (below, "sinusoidal")):
            axes.set(xlim=(-5, 516), ylim=(-DEVIATIONS, DEVIATIONS), title=title, yticks=(-2, 0, 2))
            axes.set_ylabel("value / std")
        below.set(xlabel="position (tokens)")
        lines = (below, "C0", "curves[0]"), (above, "C1", "curves[1]")
        return [Dense(axes, {"color": color}, curve) for axes, color, curve in lines]

    def caption(self, arrays: Arrays) -> str:
        return (
            f"The 32 slowest of 256 waves carry {arrays.slow:.0%} of the variance of column "
            f"{arrays.column} in the {arrays.table} table."
        )


@functools.cache
def _real():
    """The table of MiniLM, but for its first row and its last two, which differ from all others."""
    table = trained_table()
    table[[0, -2, -1]] = np.nan
    rest = np.nanmean(table, axis=0)
    return np.where(np.isnan(table), rest, table)


@functools.cache
def _untrained():
    """Rows as a training starts with them."""
    return 0.02 * np.random.default_rng(0).normal(size=(512, 384))
