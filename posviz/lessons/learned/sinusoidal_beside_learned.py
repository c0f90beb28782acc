"""A sinusoidal and a learned table of one size, side by side."""

from typing import NamedTuple

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, NullFormatter

from posviz.encodings.sinusoidal import sinusoidal
from posviz.lessons.learned._tables import (
    STEPS,
    as_table,
    colour_bar,
    edge_of,
    means_by_offset,
    one_in,
    principal_plane,
    stride_of,
    three_panels,
    toy_snapshots,
    unit_rows,
)
from posviz.pictures.knobs import choice, log
from posviz.pictures.parts import Curve, Other, legend_above, whole, with_room
from posviz.pictures.picture import Arrays, Picture
from posviz.pictures.style import PLAIN, SIGNED
from posviz.wording import signed

FLOOR = 1e-6  # of the power; what is weaker is drawn as this
COMPONENTS = 16  # whose shares of the variance are added up
TOKENS, CYCLES = "position (tokens)", "cycles per table"
COLOURS = {  # what they mean where no axis says it
    "values": "; colours are values over the table’s root mean square",
    "spectrum": "; colours are shares of a column’s power",
}
NAMES = ("sinusoidal", "learned")
LOOKS = {  # the panels' axes; what the curves show, over what
    "similarity": (TOKENS, TOKENS, "cosine", "offset (tokens)"),
    "values": ("dimension", TOKENS, "norm / mean norm", TOKENS),
    "path": ("component 1", "component 2", "variance held", "components"),
    "spectrum": ("dimension", CYCLES, "share of power", CYCLES),
}
ENDS = {"similarity": (-1, 1), "values": (-2.5, 2.5), "spectrum": (-6, 0)}  # of the colours
TICKS = {"similarity": (-1, 0, 1), "values": (-2, 0, 2), "spectrum": (-6, -3, 0)}


class Side(NamedTuple):
    """What a comparison shows of one table, and the words of the caption."""

    panel: np.ndarray
    curve: tuple
    says: str
    around: tuple = ((), ())


class SinusoidalBesideLearned(Picture):
    """A sinusoidal beside a learned table: similarity, values, path and spectrum.

    `table` [rows, d_model] is any learned table; without it the toy of LearnedTable, trained. The
    sinusoidal one has as many rows and columns, one column fewer where their number is odd.
    """

    size = (8.0, 3.3)
    paper_size = (3.3, 3.3)

    base = log(10_000, low=10, high=1_000_000, play=True)
    compare = choice("similarity", options=tuple(LOOKS), redraw=True)

    def __init__(self, table=None, **knobs):
        super().__init__(**knobs)
        self._data = () if table is None else ("table",)
        self._name = "toy" if table is None else "learned"
        self._table = toy_snapshots()[STEPS] if table is None else as_table(table, "table")
        self._sides: dict = {}  # the learned table's: no knob moves it

    def compute(self) -> Arrays:
        """Return what is compared, of the sinusoidal table and of the learned one."""
        rows, columns = self._table.shape
        fixed = _sinusoidal(self.compare, rows, columns - columns % 2, self.base)
        return self.arrays(shape=self._table.shape, sides=[fixed, self._learned(self.compare)])

    def _learned(self, compare):
        if compare not in self._sides:
            self._sides[compare] = SIDES[compare](self._table)
        return self._sides[compare]

    def draw(self, figure: Figure) -> list:
        """A panel for each table, with the same range, and a third with a curve for each."""
        *panels, curves = three_panels(figure)
        learned = self._learned(self.compare)
        across, up, _, _ = LOOKS[self.compare]
        tables = []
        for i, (axes, name) in enumerate(zip(panels, NAMES, strict=True)):
            axes.set(title=name, xlabel=across, ylabel=up if i == 0 else "")
            if self.compare == "path":
                tables.append(_draw_path(axes, i, learned))
            else:
                tables.append(_draw_image(axes, i, self.compare, self._table.shape))
        if self.compare in TICKS:
            bar = colour_bar(tables[1][0].artist, ticks=TICKS[self.compare])
            if self.compare == "spectrum":
                bar.set_ticklabels(("1e−6", "0.001", "1"))
        lines = _draw_curves(curves, self.compare, learned)
        marks = tables[0][1:]  # of the path
        legend_above(figure, [*lines, *marks], narrow=2)
        return [*tables[0], *tables[1], *lines]

    def caption(self, arrays: Arrays) -> str:
        """The same number of both tables."""
        (rows, columns), (fixed, learned) = arrays.shape, arrays.sides
        drawn = one_in(columns, "column") if arrays.compare in ("values", "spectrum") else ""
        if arrays.compare == "spectrum":
            drawn += one_in(rows // 2, "frequency")
        else:
            drawn += one_in(rows, "row")
        drawn += COLOURS.get(arrays.compare, "")
        return (
            f"Of two tables of {rows:,} rows × {columns:,} columns, in the sinusoidal one "
            f"{fixed.says}, in the {self._name} one {learned.says}{drawn}."
        )


def _similarity(table):
    """Cosines of the rows drawn; by offset their mean, and the lowest and highest of all pairs."""
    stride = stride_of(len(table))
    rows = unit_rows(table, centred=False)[::stride]
    cosines, means = rows @ rows.T, means_by_offset(rows)
    diagonals = [np.diagonal(cosines, offset) for offset in range(len(means))]
    low, high = ([end(diagonal) for diagonal in diagonals] for end in (np.min, np.max))
    offsets = stride * np.arange(len(means))
    around = np.concatenate([offsets, [np.nan], offsets]), np.concatenate([low, [np.nan], high])
    spread = np.subtract(high, low)
    pair = "neighbours" if stride == 1 else f"rows {stride} apart"
    varies = f"by {spread[1]:.2f} along their diagonal and by up to {spread.max():.2f} along others"
    if spread.max() < 1e-9:
        varies = "by less than 1e−9 along any diagonal"
    says = f"{pair} have a mean cosine of {signed(means[1], 'z.4f')}, which varies {varies}"
    return Side(panel=cosines, curve=(offsets, means), around=around, says=says)


def _values(table):
    """The values of the rows drawn, in units of their root mean square, and each row's norm."""
    stride, norms = stride_of(len(table)), np.linalg.norm(table, axis=-1)
    scale = np.sqrt(np.mean(table**2)) or 1
    norm = f"a row is {norms.min():.4f} to {norms.max():.4f}"
    if np.ptp(norms) < 1e-9 * norms.max():
        norm = f"every row is {norms[0]:.4f}"
    return Side(
        panel=_drawn(table / scale),
        curve=(np.arange(len(table))[::stride], (norms / (norms.mean() or 1))[::stride]),
        says=f"the norm of {norm}",
    )


def _path(table):
    """The rows drawn in their principal plane, in units of their mean distance from the mean."""
    plane, variances = principal_plane(table)
    return _path_side((table - table.mean(axis=0)) @ plane, variances)


def _path_of_sinusoids(rows, columns, base):
    """What _path shows of a sinusoidal table, in a quarter of the time.

    Counted from its middle, a table's rows have the same products, but its sines are odd and its
    cosines even: they share no component, and each half is solved by itself.
    """
    positions = np.arange(rows) - (rows - 1) / 2
    table = sinusoidal(positions, columns, base=base, layout="concatenated")
    halves = np.stack(np.split(table - table.mean(axis=0), 2, axis=-1))
    variances, directions = np.linalg.eigh(halves.swapaxes(-1, -2) @ halves)
    order = np.argsort(variances, axis=None)[::-1]
    first = zip(*np.unravel_index(order[:2], variances.shape), strict=True)
    path = np.stack([halves[half] @ directions[half, :, i] for half, i in first], axis=-1)
    path *= np.where(path[0] > 0, -1, 1)
    return _path_side(path, variances.ravel()[order].clip(min=0))


def _path_side(path, variances):
    total = variances.sum()
    shares = variances / (total or 1)
    return Side(
        panel=(path / (np.sqrt(total / len(path)) or 1))[:: stride_of(len(path))],
        curve=_counted(shares.cumsum()[:COMPONENTS]),
        says=f"the plane of the path holds {shares[:2].sum():.0%} of the variance",
    )


def _spectrum(table):
    """Each column's power by frequency, as shares; and all columns' together."""
    power = np.square(np.abs(np.fft.rfft(table - table.mean(axis=0), axis=0)))[1:]
    total = power.sum(axis=-1)
    total = total / (total.sum() or 1)
    columns = power / np.where(power.sum(axis=0) > 0, power.sum(axis=0), 1)
    half = int(np.searchsorted(np.cumsum(total), 0.5)) + 1
    cycles = f"{half} cycle" + "s" * (half > 1)
    return Side(
        panel=_drawn(np.log10(np.maximum(columns, FLOOR))),
        curve=_counted(np.maximum(total, FLOOR)),
        says=f"half of the power lies at {cycles} per table or fewer",
    )


def _drawn(image):
    """At most as many rows and columns as are drawn."""
    return image[:: stride_of(image.shape[0]), :: stride_of(image.shape[1])]


def _counted(values):
    """Values over 1, 2, 3, …"""
    return np.arange(1, len(values) + 1), values


SIDES = {"similarity": _similarity, "values": _values, "path": _path, "spectrum": _spectrum}


def _sinusoidal(compare, rows, columns, base):
    if compare == "path":
        return _path_of_sinusoids(rows, columns, base)
    return SIDES[compare](sinusoidal(np.arange(rows), columns, base=base))


def _draw_path(axes, i, learned):
    """The path of table i, with a mark at position 0; the learned one's sets the range."""
    limit = 1.05 * max(1.5, np.abs(learned.panel).max())
    axes.set(xlim=(-limit, limit), ylim=(-limit, limit), aspect="equal")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(4, symmetric=True, integer=True))
    return [
        Curve(axes, "C0.-", lambda a: a.sides[i].panel.T, stroke=1 / 2),
        Curve(axes, "C1s", lambda a: a.sides[i].panel[:1].T, "position 0"),
    ]


def _draw_image(axes, i, compare, shape):
    """The panel of table i as an image whose cells may stand for several rows and columns."""
    low, high = ENDS[compare]
    position, dimension = map(edge_of, shape)
    extent = {
        "similarity": (-0.5, position, position, -0.5),
        "values": (-0.5, dimension, position, -0.5),
        "spectrum": (-0.5, dimension, edge_of(shape[0] // 2) + 1, 0.5),
    }[compare]
    image = axes.imshow([[0]], vmin=low, vmax=high, extent=extent, animated=True)
    image.set_cmap(PLAIN if compare == "spectrum" else SIGNED)
    if compare == "spectrum":
        axes.invert_yaxis()
    axes.set_box_aspect(1)
    whole(axes.xaxis, axes.yaxis, most=3, fewest=2, steps=None)
    return [Other(image, lambda a: {"data": a.sides[i].panel})]


def _draw_curves(axes, compare, learned):
    """A curve for each table, and for the similarity the range of the learned one's diagonals."""
    *_, title, across = LOOKS[compare]
    marker = "o" if compare == "path" else ""
    curves = [
        Curve(axes, f"C0{marker}-", lambda a: a.sides[0].curve, NAMES[0], marks=1 / 2),
        Curve(axes, f"C1{marker}--", lambda a: a.sides[1].curve, NAMES[1], marks=1 / 2),
    ]
    if compare == "similarity":
        label = "learned: range"
        curves.append(Curve(axes, "C1:", lambda a: a.sides[1].around, label, stroke=1 / 1.5))
    last, highest = learned.curve[0][-1], max(learned.curve[1])
    axes.set(title=title, xlabel=across, xlim=with_room(0, last))
    if compare == "spectrum":
        axes.set(xscale="log", yscale="log", xlim=(0.9, 1.1 * last), ylim=(FLOOR / 2, 2))
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.set_yticks((1e-6, 1e-3, 1), ("1e−6", "0.001", "1"))
        return curves
    limits = {"similarity": (-1.05, 1.05), "values": (0, max(2, 1.05 * highest)), "path": (0, 1.05)}
    axes.set_ylim(limits[compare])
    whole(axes.xaxis, most=3, fewest=2, steps=None)
    return curves
