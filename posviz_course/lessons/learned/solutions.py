"""Solutions: learned embeddings."""

import numpy as np


def my_shares(lengths, rows):
    """Return the share of the texts that train each row, [rows]."""
    return np.array([(lengths > row).mean() for row in range(rows)])


def my_changed(positions, moved):
    """Return the share of pairs of two tokens whose offset has changed."""
    before = positions[:, None] - positions
    after = moved[:, None] - moved
    pairs = len(positions) * (len(positions) - 1)
    return (before != after).sum() / pairs


def my_has_row(position, rows, padding_offset):
    """Return True if the table has a row for the position, else False."""
    return 0 <= position < rows - padding_offset
