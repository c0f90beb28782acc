"""One column of a learned table, read from the first position to the last, beside a sinusoid."""

import functools

import numpy as np
from matplotlib.figure import Figure

from posviz.encodings.sinusoidal import sinusoidal
from posviz.pictures.knobs import Choice, Integer
from posviz.pictures.parts import Curve, Dense, Limits, whole, zero
from posviz.pictures.picture import Arrays, Picture
from posviz_course.models.real import trained_table

SLOW = 32  # of the 256 waves whose sum is a column
DEVIATIONS = 3.6  # of a column: its axis shows a multiple of them
TITLES = {"untrained": "before training", "MiniLM": "learned (MiniLM)"}


class TableColumns(Picture):
    """A sinusoidal column is one wave, a learned column a sum of waves."""

    size = (8.0, 3.4)
    paper_size = (3.3, 3.0)

    column = Integer(50, low=0, high=383, play=True)
    table = Choice("MiniLM", options=tuple(TITLES), redraw=True)

    def compute(self) -> Arrays:
        """Return the column of both tables, and its slow waves, in units of its deviation."""
        learned = _real() if self.table == "MiniLM" else _untrained()
        tables = sinusoidal(np.arange(512), 384), learned
        columns = [table[:, self.column] - table[:, self.column].mean() for table in tables]
        waves = np.fft.rfft(columns[1])
        power = np.square(abs(waves))[1:]
        columns.append(np.fft.irfft(waves[: SLOW + 1], 512))
        deviations = [columns[at].std() or 1 for at in (0, 1, 1)]
        curves = [x / y for x, y in zip(columns, deviations, strict=True)]
        highest = DEVIATIONS * np.ceil(abs(curves[1]).max() / DEVIATIONS)
        return self.arrays(
            curves=[(np.arange(512), curve) for curve in curves],
            ends={"ylim": (-highest, highest)},
            slow=float(power[:SLOW].sum() / power.sum()),
        )

    def draw(self, figure: Figure) -> list:
        """The column of the learned table above, of the sinusoidal one below."""
        above, below = figure.subplots(2, 1, sharex=True)
        zero(above, below)
        for axes, title in ((above, TITLES[self.table]), (below, "sinusoidal")):
            axes.set(xlim=(-5, 516), ylim=(-DEVIATIONS, DEVIATIONS), title=title)
            axes.set_ylabel("standard\ndeviations")
        whole(above.yaxis, below.yaxis, most=3, fewest=3, steps=(2, 4, 8, 10))
        below.set(xlabel="position (tokens)")
        lines = (below, "C0", "curves[0]"), (above, "C1", "curves[1]")
        props = {"stroke": 4, "alpha": 0.5}
        slow = Curve(above, "C2-", "curves[2]", f"sum of its {SLOW} slowest waves", **props)
        columns = [Dense(axes, {"color": color}, curve) for axes, color, curve in lines]
        above.legend(loc="lower right", bbox_to_anchor=(1, 1), borderaxespad=0.2).set_zorder(1)
        return [Limits(above, "ends"), slow, *columns]

    def caption(self, arrays: Arrays) -> str:
        return (
            f"The {SLOW} slowest of 256 waves carry {arrays.slow:.0%} of the variance of column "
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
