"""Vectors that turn: each arrow's name goes with its head."""

import numpy as np

from posviz.engine.picture import Arrays


class Arrow:
    """An arrow from the origin to the point that `show` returns; a faint one stays.

    Its name stands in its direction on a circle of a radius.
    """

    def __init__(self, axes, look, show, name, *, rest, radius, faint):
        look = {"length_includes_head": True, **look}
        axes.arrow(0, 0, *rest, **look).set_alpha(faint)
        self.arrow = axes.arrow(0, 0, *rest, **look)
        self.arrow.set(animated=True, zorder=5)
        where = {"ha": "center", "va": "center", "animated": True, "in_layout": False}
        self.name = axes.text(0, 0, name, color=look["edgecolor"], **where)
        self.show, self.radius = show, radius

    def move(self, arrays: Arrays) -> None:
        """Set its head, and its name before that."""
        vector = np.asarray(self.show(arrays))
        self.arrow.set_data(dx=vector[0], dy=vector[1])
        self.name.set_position(self.radius * vector / np.hypot(*vector))
