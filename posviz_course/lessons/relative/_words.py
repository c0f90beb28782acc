"""A word that one artist writes in many cells."""

import numpy as np
from matplotlib.textpath import TextPath
from matplotlib.transforms import Affine2D

from posviz.pictures.parts import set_data


class Word:
    """A line whose marker is the word, at the x and y that `show` returns.

    A text for each cell would be a hundred draws.

    size: of letters in points; align: where in the word its points are, from 0 at its left end to
    1 at its right end.
    """

    def __init__(self, axes, word, show, size, color="black", align=0.5):
        path = TextPath((0, 0), word, size=1)
        box = path.get_extents()
        left = 0.06 - box.x0 - align * (box.width + 0.12)  # a little room on both sides
        marker = path.transformed(Affine2D().translate(left, -0.36))
        props = {"linestyle": "none", "marker": marker, "markeredgewidth": 0, "color": color}
        props["markersize"] = size * 2 * np.abs(marker.vertices).max()
        self.line, self.show = axes.plot([], [], animated=True, **props)[0], show

    def move(self, arrays):
        """Write the word in its cells."""
        x, y = self.show(arrays)
        set_data(self.line, x, y)
        self.line.set_visible(len(x) > 0)
