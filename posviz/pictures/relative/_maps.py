"""What the pictures of several terms share: a map of scores, and a cross over one that is off."""

import numpy as np
from matplotlib import colormaps, rcParams

LENGTH = 16  # of the text: queries and keys
LIMIT = 3.0  # of the colours


def draw_map(axes, colours, low, high):
    """An empty map of all pairs; what is below the lowest score is grey."""
    grey, edges = rcParams["grid.color"], (-0.5, LENGTH - 0.5)
    return axes.imshow(
        np.zeros((1, 1)),
        cmap=colormaps[colours].with_extremes(under=grey),
        vmin=low,
        vmax=high,
        extent=(*edges, *edges[::-1]),
        aspect="equal",
        animated=True,
    )


def draw_cross(axes):
    """A cross from corner to corner, for what is off."""
    ends = {"transform": axes.transAxes, "color": rcParams["text.color"], "animated": True}
    cross = axes.plot([], [], **ends)[0]
    cross.set_linewidth(cross.get_linewidth() / 1.5)
    return cross


def cross_out(image, cross, on):
    """Show a map as it is when it is on, and otherwise pale and crossed."""
    image.set_alpha(1.0 if on else 0.25)
    cross.set_data(*(([], []) if on else ([0, 1, np.nan, 0, 1], [0, 1, np.nan, 1, 0])))


def draw_score_bar(figure, image, maps, label, aspect, location="right"):
    """The colours of scores beside their maps."""
    place = {"ax": maps, "aspect": aspect, "location": location}
    bar = figure.colorbar(image, ticks=(-LIMIT, 0, LIMIT), label=label, **place)
    bar.set_ticklabels((f"≤ −{LIMIT:g}", "0", f"≥ {LIMIT:g}"))
