"""The table itself: one row per position, and the marked row as a curve under it."""

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure

from posviz.encodings.sinusoidal import LAYOUTS, sinusoidal
from posviz.pictures.knobs import Choice, Even, Integer, Log
from posviz.pictures.parts import SEVERAL_PAIRS, Curve, Map, Other, legend_over, whole
from posviz.pictures.picture import Arrays, Picture
from posviz.wording import signed

LENGTH = 128  # rows


class SinusoidalTable(Picture):
    """From pair to pair, columns change more slowly with the position."""

    size = (8.0, 3.8)
    paper_size = (3.3, 3.0)

    position = Integer(10, low=0, high=LENGTH - 1, play=True)
    d_model = Even(64, low=2, high=512)
    base = Log(10_000, low=10, high=1_000_000, when={"d_model": SEVERAL_PAIRS})
    layout = Choice("interleaved", options=LAYOUTS, more=True)

    def compute(self) -> Arrays:
        """Return the table [LENGTH, d_model], and the sines and cosines of the marked row."""
        table = sinusoidal(np.arange(LENGTH), self.d_model, base=self.base, layout=self.layout)
        columns = np.arange(self.d_model)
        shape, pair = ((-1, 2), 1) if self.layout == "interleaved" else ((2, -1), 0)
        sines, cosines = np.moveaxis(columns.reshape(shape), pair, 0)
        row = table[self.position]
        return self.arrays(table=table, sines=(sines, row[sines]), cosines=(cosines, row[cosines]))

    def draw(self, figure: Figure) -> list:
        """The table above, the marked row below, on the same column axis."""
        heat, row = figure.subplots(2, 1, sharex=True, height_ratios=(2.5, 1))
        table = Map(heat, "table", most=(LENGTH, 512), row="position")
        bar = heat.inset_axes((1.02, 0, 0.02, 1))  # as tall as the map
        figure.colorbar(table.image, cax=bar, label="value", ticks=(-1, 0, 1))
        heat.set_ylabel("position (tokens)")
        whole(heat.yaxis, steps=None)
        whole(heat.xaxis, most=8, steps=None)
        thin, size = {"stroke": 1 / 1.5}, rcParams["lines.markersize"] / 2
        sine = Curve(row, "C0o-", "sines", "sine columns", **thin)
        cosine = Curve(row, "C1s:", "cosines", "cosine columns", **thin)
        row.set(xlabel="column", ylabel="marked row", ylim=(-1.2, 1.2), yticks=(-1, 0, 1))
        legend_over(row, ncols=2)
        few = (
            Other(each.line, lambda a: {"ms": size * (a.d_model <= 128)}) for each in (sine, cosine)
        )
        return [table, sine, cosine, *few]

    def caption(self, arrays: Arrays) -> str:
        (_, sines), (_, cosines) = arrays.sines, arrays.cosines
        return (
            f"Row {arrays.position} has {signed(sines[0], '.2f')} as its first sine and "
            f"{signed(cosines[0], '.2f')} as its first cosine, and its norm is "
            f"{np.linalg.norm(arrays.table[arrays.position]):.2f}, as in every row."
        )
