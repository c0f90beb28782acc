"""Vectors that turn: each arrow's name goes with its head."""

import numpy as np

from posviz.pictures.parts import Arrow


class NamedArrow(Arrow):
    """An arrow from the origin with its name on a circle of a radius; a faint one stays."""

    def __init__(self, axes, look, show, name, *, rest, radius, faint):
        super().__init__(axes, look, show, "", rest=rest, beyond=radius, faint=faint)
        where = {"ha": "center", "va": "center", "animated": True, "in_layout": False}
        self.name = axes.text(0, 0, name, color=look["edgecolor"], **where)
        self.radius = radius

    def move(self, arrays):
        """Set its head, and its name before that."""
        super().move(arrays)
        vector = np.asarray(self.show(arrays))
        self.name.set_position(self.radius * vector / np.hypot(*vector))
