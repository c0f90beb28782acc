"""Curves and marks of a figure of which nothing can be seen."""

import numpy as np
from matplotlib.artist import Artist
from matplotlib.figure import Figure


def line_faults(figure: Figure) -> list[str]:
    """A line for every curve and mark of which nothing can be seen, as it is outside its axes."""
    figure.draw_without_rendering()
    found = []
    for axes in figure.axes:
        for line in filter(Artist.get_visible, axes.lines):
            points = np.asarray(line.get_xydata(), float)
            is_seen = line.get_window_extent().overlaps(axes.bbox) or not line.get_clip_on()
            if np.isfinite(points).any() and not is_seen:
                found.append(f"{str(line.get_label())!r} at {points[0]} is outside its axes")
    return found
