"""Exercise: which other positions does a model that tells distances not notice?"""

import numpy as np

from posviz.teaching.checker import Checker


def _unnoticed(positions, moved, rows):
    in_the_table = moved.min() >= 0 and moved.max() < rows
    return in_the_table and np.ptp(moved - positions) == 0


def _moved_inputs(rng, size):
    """Moved in eight ways, each time three or more positions that are not evenly spaced."""
    positions = np.cumsum(rng.integers(1, 4, size=3 + size // 2)) + rng.integers(2, 5)
    positions[-1] += 4
    rows = 3 * int(positions[-1])
    moved = (
        positions + 1,
        positions * 2,  # as ordered as before
        positions + rows - positions[-1] - 1,  # up to the last row
        positions[0] + positions[-1] - positions,  # reversed
        positions + rows - positions[-1],  # one too far
        positions - positions[0],  # down to the first row
        np.roll(positions, 1),
        positions - positions[0] - 1,  # one too far
    )[size - 1]
    return positions, moved, rows


# The answer is a function (positions [n], moved [n], rows) -> True or False: can a model with a
# table of that many rows, which tells distances alone, not tell moved from positions?
check_unnoticed = Checker("Is the move unnoticed?", reference=_unnoticed, inputs=_moved_inputs)


@check_unnoticed.mistake("ends of the table forgotten")
def _(positions, moved, rows):
    """You asked only whether all moved by the same. A position beyond the last row, or below 0, has
    no row: ask for 0 <= moved and moved < rows, too."""
    return np.ptp(moved - positions) == 0


@check_unnoticed.mistake("negative positions let in")
def _(positions, moved, rows):
    """You let positions below 0 pass. NumPy takes them for rows from the end, far away from their
    neighbours: ask for 0 <= moved, too."""
    return moved.max() < rows and np.ptp(moved - positions) == 0


@check_unnoticed.mistake("last row passed")
def _(positions, moved, rows):
    """You let a position pass that is as large as the number of rows. Positions count from 0, so
    rows end at rows − 1: compare with <, not <=."""
    return moved.min() >= 0 and moved.max() <= rows and np.ptp(moved - positions) == 0


@check_unnoticed.mistake("order alone")
def _(positions, moved, rows):
    """You asked for the same order. Twice as far apart is the same order, and other distances."""
    return moved.min() >= 0 and moved.max() < rows and bool((np.diff(moved) > 0).all())


@check_unnoticed.mistake("distances without sign")
def _(positions, moved, rows):
    """You compared distances without their sign. Reversed text has the same ones, and the model
    does notice: what stood before now comes after. Compare moved − positions."""
    same = np.array_equal(_apart(moved), _apart(positions))
    return moved.min() >= 0 and moved.max() < rows and same


@check_unnoticed.mistake("positions sorted")
def _(positions, moved, rows):
    """You sorted the positions, and that puts back what was mixed up. The model does notice which
    token stands where: compare moved − positions, as they are."""
    apart = np.sort(moved) - np.sort(positions)
    return moved.min() >= 0 and moved.max() < rows and np.ptp(apart) == 0


@check_unnoticed.mistake("distances sorted")
def _(positions, moved, rows):
    """You compared the distances that occur, and not between which tokens. Words that change places
    leave the same ones, and the model does notice: compare moved − positions."""
    same = np.array_equal(np.sort(_apart(moved), None), np.sort(_apart(positions), None))
    return moved.min() >= 0 and moved.max() < rows and same


@check_unnoticed.mistake("every move")
def _(positions, moved, rows):
    """You let every move pass. Look at the losses once more: some of them grew."""
    return True


@check_unnoticed.mistake("no move at all")
def _(positions, moved, rows):
    """You let no move pass. Look at the losses once more: one of them stayed as it was."""
    return False


@check_unnoticed.mistake("ends of the table alone")
def _(positions, moved, rows):
    """You asked only whether every position has a row. Then there is an answer, but also for
    shuffled positions, which cost more than a nat: ask for equal distances, too."""
    return moved.min() >= 0 and moved.max() < rows


def _apart(positions):
    return abs(np.subtract.outer(positions, positions))
