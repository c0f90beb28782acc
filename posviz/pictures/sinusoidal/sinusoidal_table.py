"""The table itself: one row per position, and the marked row as a curve under it."""

from types import SimpleNamespace

import numpy as np
from matplotlib.ticker import MaxNLocator

from posviz.encodings.sinusoidal import sinusoidal
from posviz.engine.knobs import choice, even, integer, log
from posviz.engine.looks import SIGNED
from posviz.engine.picture import Picture


class SinusoidalTable(Picture):
    """Sinusoidal encodings, one row per position."""

    size = (8.0, 5.0)
    paper_size = (3.3, 3.0)

    position = integer(10, low=0, high=127, play=True)
    d_model = even(64, low=2, high=512)
    base = log(10_000, low=10, high=1_000_000)
    length = integer(128, low=2, high=512, label="length (rows)")
    layout = choice("interleaved", options=("interleaved", "concatenated"))
    frequencies = choice("paper", options=("paper", "tensor2tensor"))

    def compute(self):
        """Return the table [length, d_model], the marked row, and which columns hold sines."""
        table = self._table(self.frequencies)
        drift = None
        if self.frequencies == "tensor2tensor":
            drift = np.abs(table - self._table("paper")).max()
        columns = np.arange(self.d_model)
        if self.layout == "interleaved":
            columns = columns.reshape(-1, 2).T
        else:
            columns = columns.reshape(2, -1)
        return SimpleNamespace(
            table=table,
            position=min(self.position, self.length - 1),
            asked=self.position,
            columns=columns,
            drift=drift,
        )

    def _table(self, rule):
        positions = np.arange(self.length)
        return sinusoidal(
            positions, self.d_model, base=self.base, layout=self.layout, frequencies=rule
        )

    def draw(self, figure):
        """Heatmap with its marker above, the marked row below, on the same dimension axis."""
        cells = figure.subplots(
            2, 2, width_ratios=(40, 1), height_ratios=(5, 2), sharex="col", squeeze=False
        )
        (heat, scale), (curve, empty) = cells
        empty.remove()
        image = heat.imshow(np.zeros((2, 2)), cmap=SIGNED, vmin=-1, vmax=1, animated=True)
        image.set_interpolation_stage("data")  # the same pixels as "auto", three times faster
        # Black on white lies on the map's own colours, so it is the same in both themes.
        markers = [heat.axhline(0, color=color, animated=True) for color in ("white", "black")]
        markers[0].set_linewidth(2 * markers[1].get_linewidth())
        figure.colorbar(image, cax=scale, label="value", ticks=(-1, 0, 1))
        heat.set(ylabel="position (tokens)", xlim=(-0.5, 511.5), ylim=(511.5, -0.5))
        heat.yaxis.set_major_locator(MaxNLocator(5, integer=True, min_n_ticks=1))
        heat.xaxis.set_major_locator(MaxNLocator(8, integer=True, min_n_ticks=1))
        heat.tick_params(labelbottom=False)
        sine = curve.plot([], [], "o-", label="sine columns", animated=True)[0]
        cosine = curve.plot([], [], "s:", label="cosine columns", animated=True)[0]
        for line in (sine, cosine):
            line.set(linewidth=line.get_linewidth() / 1.5, markersize=line.get_markersize() / 2)
        curve.set(xlabel="dimension", ylabel="marked row", ylim=(-1.2, 1.2), yticks=(-1, 0, 1))
        legend = curve.legend(loc="lower right", bbox_to_anchor=(1, 0.97), ncols=2, borderpad=0.2)
        legend.set_zorder(0)  # below what moves, so it is drawn only once
        return SimpleNamespace(
            heat=heat, image=image, markers=markers, sine=sine, cosine=cosine, shape=None
        )

    def update(self, artists, arrays):
        """Set the axes only when the table's shape changed: that costs a full redraw."""
        length, d_model = arrays.table.shape
        if artists.shape != (length, d_model):
            artists.shape = (length, d_model)
            artists.image.set_extent((-0.5, d_model - 0.5, length - 0.5, -0.5))
            artists.heat.set(xlim=(-0.5, d_model - 0.5), ylim=(length - 0.5, -0.5))
        artists.image.set_data(arrays.table)
        for marker in artists.markers:
            marker.set_ydata([arrays.position] * 2)
        row = arrays.table[arrays.position]
        for line, columns in zip((artists.sine, artists.cosine), arrays.columns, strict=True):
            line.set_data(columns, row[columns])

    def caption(self, arrays):
        """The marked row's first pair and norm; what was clamped; how far the rules drift."""
        row = arrays.table[arrays.position]
        sine, cosine = row[arrays.columns[:, 0]]
        clamped = ""
        if arrays.asked > arrays.position:
            clamped = f" (position {arrays.asked} lies beyond the last row)"
        drift = ""
        if arrays.drift is not None:
            drift = f"; the largest difference from the paper's rule is {arrays.drift:.2f}"
        return (
            f"Row {arrays.position}{clamped}: pair 0 is sin = {sine:.4f}, cos = {cosine:.4f}; "
            f"the norm of the row is {np.linalg.norm(row):.4f} = √(d_model/2){drift}."
        )
