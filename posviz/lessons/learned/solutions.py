"""Solutions: learned embeddings."""

import numpy as np


def my_unnoticed(positions, moved, rows):
    """Return True if the move of all positions is not noticed, else False."""
    all_alike = np.ptp(moved - positions) == 0
    return all_alike and moved.min() >= 0 and moved.max() < rows


def my_has_row(position, rows, padding_offset):
    """Return True if the table has a row for the position, else False."""
    return 0 <= position < rows - padding_offset


def my_parameter_count(max_seq_len, d_model, padding_offset):
    """Return the number of parameters of the table."""
    return (max_seq_len + padding_offset) * d_model


def my_lookup(table, positions, padding_offset):
    """Return the rows of the positions, [n, d_model]."""
    return table[positions + padding_offset]
