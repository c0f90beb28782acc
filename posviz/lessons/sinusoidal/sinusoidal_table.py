"""The table itself: one row per position, and the marked row as a curve under it."""

import numpy as np
from matplotlib.figure import Figure

from posviz.encodings.sinusoidal import sinusoidal
from posviz.pictures.knobs import choice, even, integer, log
from posviz.pictures.parts import SEVERAL_PAIRS, Curve, Map, whole
from posviz.pictures.picture import Arrays, Picture


class SinusoidalTable(Picture):
    """Sinusoidal encodings, one row per position."""

    size = (8.0, 4.5)
    paper_size = (3.3, 3.0)

    position = integer(10, low=0, high=127, until=lambda p: p.length - 1, play=True)
    d_model = even(64, low=2, high=512)
    base = log(10_000, low=10, high=1_000_000, when={"d_model": SEVERAL_PAIRS})
    length = integer(128, low=2, high=512, label="length (rows)")
    layout = choice("interleaved", options=("interleaved", "concatenated"))
    frequencies = choice("paper", options=("paper", "tensor2tensor"))

    def compute(self) -> Arrays:
        """Return the table [length, d_model], and the sines and cosines of the marked row."""
        table = self._table(self.frequencies)
        drift = None
        if self.frequencies == "tensor2tensor":
            drift = np.abs(table - self._table("paper")).max()
        columns = np.arange(self.d_model)
        if self.layout == "interleaved":
            columns = columns.reshape(-1, 2).T
        else:
            columns = columns.reshape(2, -1)
        return self.arrays(
            table=table,
            columns=columns,
            marked=table[self.held("position")][columns],
            drift=drift,
        )

    def _table(self, rule):
        positions = np.arange(self.length)
        return sinusoidal(
            positions, self.d_model, base=self.base, layout=self.layout, frequencies=rule
        )

    def draw(self, figure: Figure) -> list:
        """Heatmap with its marker above, the marked row below, on the same dimension axis."""
        (heat, scale), (row, empty) = figure.subplots(
            2, 2, width_ratios=(40, 1), height_ratios=(5, 2), sharex="col"
        )
        empty.remove()
        table = Map(heat, lambda a: a.table, most=(512, 512), row=lambda a: a.position)
        figure.colorbar(table.image, cax=scale, label="value", ticks=(-1, 0, 1))
        heat.set_ylabel("position (tokens)")
        heat.tick_params(labelbottom=False)
        whole(heat.yaxis, steps=None)
        whole(heat.xaxis, most=8, steps=None)
        thin = {"stroke": 1 / 1.5, "marks": 1 / 2}
        sine = Curve(row, "C0o-", lambda a: (a.columns[0], a.marked[0]), "sine columns", **thin)
        cosine = Curve(row, "C1s:", lambda a: (a.columns[1], a.marked[1]), "cosine columns", **thin)
        row.set(xlabel="dimension", ylabel="marked row", ylim=(-1.2, 1.2), yticks=(-1, 0, 1))
        legend = row.legend(loc="lower right", bbox_to_anchor=(1, 0.97), ncols=2, borderpad=0.2)
        legend.set_zorder(0)  # below what moves, so it is drawn only once
        return [table, sine, cosine]

    def caption(self, arrays: Arrays) -> str:
        """The marked row's first pair and norm; what was clamped; how far the rules drift."""
        sine, cosine = arrays.marked[:, 0]
        clamped = ""
        if arrays.beyond:
            clamped = f" (position {arrays.beyond['position']} lies beyond the last row)"
        drift = ""
        if arrays.drift is not None:
            drift = f"; the largest difference from the paper's rule is {arrays.drift:.2f}"
        return (
            f"Row {arrays.position}{clamped}: pair 0 is sin = {sine:.4f}, cos = {cosine:.4f}; "
            f"the norm of the row is {np.linalg.norm(arrays.marked):.4f} = √(d_model/2){drift}."
        )
