"""Panels that several pictures have: beside each other, two maps and curves."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from posviz.pictures.parts import whole, wide

Ratio = tuple[float, float]


def beside(figure: Figure, widths: Ratio = (1, 1), heights: Ratio = (1, 1)) -> tuple[Axes, Axes]:
    """Two panels: beside each other where there is room, else one below the other."""
    if wide(figure):
        return figure.subplots(1, 2, width_ratios=widths)
    return figure.subplots(2, 1, height_ratios=heights)


def maps_and_curves(figure: Figure, across: float = 1, down: float = 2) -> tuple[Axes, Axes, Axes]:
    """Two maps of queries and keys, and curves: beside them where there is room, else below."""
    if wide(figure):
        panels = figure.subplot_mosaic("abc", width_ratios=(1, 1, across))
    else:
        panels = figure.subplot_mosaic("ab;cc", height_ratios=(down, 1))
    left, right, curves = panels.values()
    left.set(xlabel="key (position)", ylabel="query (position)")
    right.set(xlabel="key (position)", yticks=())
    whole(left.xaxis, left.yaxis, right.xaxis, most=3, steps=None)
    return left, right, curves
