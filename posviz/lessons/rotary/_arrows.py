"""Vectors that turn: each arrow's name goes with its head."""

from collections.abc import Callable

import numpy as np

from posviz.pictures.picture import Arrays

SETTLED = 40  # moves after which names stand apart, to a tenth of a letter


class Arrow:
    """An arrow from the origin to the point that `show` returns; a faint one stays.

    named_at: returns the point where its name stands.
    """

    def __init__(self, axes, look: dict, show: Callable, name, *, rest, named_at: Callable, faint):
        look = {"length_includes_head": True, **look}
        axes.arrow(0, 0, *rest, **look).set_alpha(faint)
        self.arrow = axes.arrow(0, 0, *rest, **look)
        self.arrow.set(animated=True, zorder=5)
        where = {"ha": "center", "va": "center", "animated": True, "in_layout": False}
        self.name = axes.text(0, 0, name, color=look["edgecolor"], **where)
        self.show, self.named_at = show, named_at

    def move(self, arrays: Arrays) -> None:
        """Set its head, and its name before that."""
        dx, dy = self.show(arrays)
        self.arrow.set_data(dx=dx, dy=dy)
        self.name.set_position(self.named_at(arrays))


def beyond(vectors, room, apart):
    """Points on the plane beyond the heads of vectors [..., 2], by `room`, to write names at.

    Those of neighbours are moved along their circles until they are `apart` radians from each
    other.
    """
    angles = np.arctan2(vectors[..., 1], vectors[..., 0]).ravel()
    order = np.arange(len(angles))
    for _ in range(SETTLED):
        between = (angles[:, None] - angles + np.pi) % (2 * np.pi) - np.pi
        side = np.sign(np.where(between == 0, order[:, None] - order, between))
        angles = angles + 0.25 * (side * np.maximum(apart - np.abs(between), 0)).sum(axis=1)
    radii = np.hypot(vectors[..., 0], vectors[..., 1]) + room
    angles = angles.reshape(radii.shape)
    return radii[..., None] * np.stack([np.cos(angles), np.sin(angles)], axis=-1)
