"""Exercise: how far apart tokens look to Self-Extend."""

import numpy as np

from posviz.encodings.position_maps import mapped_offsets, self_extend_positions
from posviz.encodings.relative import offsets
from posviz.teaching.checker import Checker


def _distances(length, window, group):
    positions = np.arange(length)
    return np.tril(mapped_offsets(self_extend_positions(positions, positions, window, group)))


def _distance_inputs(rng, size):
    """Windows that the group divides, and others."""
    return 10 + 2 * size + int(rng.integers(5)), 3 + size % 4, 2 + size % 2


def _behind(length):
    return offsets(np.arange(length), np.arange(length))


def _either(near, far, is_near):
    return np.tril(np.where(is_near, near, far))


def _grouped(length, group):
    groups = np.arange(length) // group
    return offsets(groups, groups)


# The answer is a function (length, window, group) -> apparent distances [length, length], rows are
# queries, 0 for keys ahead.
check_distances = Checker(
    "The distances of Self-Extend",
    reference=_distances,
    inputs=_distance_inputs,
    edges=[(10, 4, 3), (3, 4, 3), (1, 4, 3)],  # the last two are within the window
)


@check_distances.mistake("groups not moved on")
def _(length, window, group):
    """Your far keys begin at small distances again, where near ones are already. Move all of them
    on by window − window // group, so that they go on where the window ends."""
    behind = _behind(length)
    return _either(behind, _grouped(length, group), behind < window)


@check_distances.mistake("moved on by the window")
def _(length, window, group):
    """You moved the far keys on by the whole window, and distances between are never used. The
    groups within the window count already: subtract window // group."""
    behind = _behind(length)
    return _either(behind, _grouped(length, group) + window, behind < window)


@check_distances.mistake("distance grouped")
def _(length, window, group):
    """You grouped the distance. Query and key are turned before they meet, so each can group its
    own position only: i // group − j // group, which is another number."""
    behind = _behind(length)
    return _either(behind, behind // group + window - window // group, behind < window)


@check_distances.mistake("/ instead of // in the move")
def _(length, window, group):
    """Your far keys stand between two distances where the group does not divide the window: the
    move is window − window // group, a whole number."""
    behind = _behind(length)
    return _either(behind, _grouped(length, group) + window - window / group, behind < window)


@check_distances.mistake("/ instead of // in positions")
def _(length, window, group):
    """You divided positions with /, so no two tokens share a group. With // they do, and no
    distance is new."""
    behind = _behind(length)
    return _either(behind, behind / group + window - window // group, behind < window)


@check_distances.mistake("window one token longer")
def _(length, window, group):
    """Your window holds one distance too many. Distances 0 … window − 1 are as they are: compare
    with <, not <=."""
    behind = _behind(length)
    far = _grouped(length, group) + window - window // group
    return _either(behind, far, behind <= window)


@check_distances.mistake("all in groups")
def _(length, window, group):
    """You grouped the near keys as well. Within the window distances are as they are: neighbours
    have to be told apart."""
    return np.tril(_grouped(length, group) + window - window // group)


@check_distances.mistake("none in groups")
def _(length, window, group):
    """Those are the plain distances. Group the positions of keys beyond the window."""
    return np.tril(_behind(length))


@check_distances.mistake("near in groups, far exact")
def _(length, window, group):
    """You grouped near keys and left far ones exact. It is the other way around."""
    behind = _behind(length)
    far = _grouped(length, group) + window - window // group
    return _either(far, behind, behind < window)


@check_distances.mistake("all far keys alike")
def _(length, window, group):
    """All your far keys stand at the window's end: that is ReRoPE. Self-Extend counts on, group by
    group."""
    behind = _behind(length)
    return _either(behind, window, behind < window)


@check_distances.mistake("only the key in groups")
def _(length, window, group):
    """You grouped the key and not the query. Both count in groups, or the distance grows with the
    position."""
    behind, positions = _behind(length), np.arange(length)
    far = offsets(positions, positions // group) + window - window // group
    return _either(behind, far, behind < window)


@check_distances.mistake("window and group swapped")
def _(length, window, group):
    """You exchanged window and group: `window` tokens are exact, beyond it `group` tokens share a
    position."""
    return _distances(length, group, window)


@check_distances.mistake("keys ahead counted")
def _(length, window, group):
    """You have distances for keys ahead of their query, too. A causal model never looks there: 0
    above the diagonal, np.tril."""
    positions = np.arange(length)
    return mapped_offsets(self_extend_positions(positions, positions, window, group))


@check_distances.mistake("rows are keys")
def _(length, window, group):
    """Your rows are keys. Rows are queries, so what lies behind stands left of the diagonal."""
    return _distances(length, window, group).T
