"""Learned positional embeddings: each position has its row in a trained table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from posviz.arrays import (
    Array,
    as_integers,
    check_memory,
    is_floating,
    is_readable,
    is_torch,
    like,
    namespace,
    shape_of,
    take_rows,
)
from posviz.encodings.checks import require_integer
from posviz.encodings.doors import Encoding
from posviz.encodings.relative import positions_of
from posviz.wording import quoted

__all__ = ["Learned", "learned", "positions_from_mask"]


def learned(table: Array, positions: Any, *, padding_offset: int = 0) -> Array:
    """Return the row of ``table`` for each position: row number position + padding_offset.

    Shapes: table [rows, d_model], positions [...], result [..., d_model]. Units: tokens. GPT-2 and
    BERT count rows from 0. OPT, RoBERTa and BART keep the first rows for padding, so their
    padding_offset is 2 (OPT's own constant; padding_idx + 1 in RoBERTa and BART), and a padded
    place may stand at −1 there. Positions are whole: there is no row between two rows.

    Raises:
        TypeError: when the table is not floating-point, positions are not integers (floats that
            happen to be whole are refused), or are torch where the table is NumPy.
        IndexError: for a position with no row; none is ever counted from the end.
        ValueError: when the table is not [rows, d_model], padding_offset is below 0, devices
            differ, or memory is short.

    Source: Gehring et al. 2017, section 3.1; Devlin et al. 2019 (BERT), figure 2.
    """
    padding_offset = require_integer(padding_offset, "padding_offset", low=0)
    require_table(table)
    return rows_at(table, positions, "positions", padding_offset)


def positions_from_mask(mask: Any) -> Array:
    """Return the position of each real token among the real ones, and −1 for a padded place.

    Shapes: mask [..., len], True or 1 for a real token; result alike, int64. Units: tokens. With
    padding_offset=2, −1 is the row that RoBERTa, BART and OPT keep for padding.

    Raises:
        TypeError: when the mask is neither boolean nor integers.
        ValueError: when it is a single number, or has others than 0 and 1.

    Source: ``make_positions`` in fairseq's released code.
    """
    mask = mask if is_torch(mask) else np.asarray(mask)
    xp = namespace(mask)
    mask = as_integers(xp.astype(mask, xp.int64) if mask.dtype == xp.bool else mask, "mask")
    if mask.ndim < 1 or (is_readable(mask) and bool(xp.any((mask != 0) & (mask != 1)))):
        raise ValueError(
            "mask must be [..., len], 1 for a real token and 0 for a padded place, "
            f"got {quoted(mask.tolist())}"
        )
    return xp.cumulative_sum(mask, axis=-1) * mask - 1


def rows_at(table: Array, index: Any, name: str, padding_offset: int = 0) -> Array:
    """Return ``table[index + padding_offset]`` when all of these are its rows.

    Shapes: table [rows, columns], index [...], result [..., columns]. Errors call index ``name``.

    Raises:
        TypeError: when index is not integers, or are torch where the table is NumPy.
        IndexError: for what is not a row; none is ever counted from the end.
        ValueError: when devices differ or memory is short.
    """
    rows, columns = table.shape
    shape = (*shape_of(index), columns)
    check_memory(f"{name} × columns", shape, itemsize=table.dtype.itemsize, x=table)
    index = like(as_integers(index, name), table, name)  # torch would read bytes as a mask
    index = index + padding_offset
    require_rows(index, rows, name, padding_offset)
    return take_rows(table, index)


def require_rows(index: Array, rows: int, name: str, padding_offset: int = 0) -> None:
    """Refuse an index that is not in 0 … rows − 1, of a table with that many rows, if it is read.

    Raises:
        IndexError: calling what was asked for, index − padding_offset, ``name``.
    """
    if not is_readable(index):
        return
    beyond = (index < 0) | (index >= rows)
    if bool(beyond.any()):
        first = f" and padding_offset {padding_offset}" if padding_offset else ""
        raise IndexError(
            f"{name} must be in {-padding_offset} … {rows - padding_offset - 1} for a table of "
            f"{rows} rows{first}, got {int(index[beyond][0]) - padding_offset}"
        )


def require_table(table: Array) -> None:
    """Refuse what is not a floating-point table [rows, columns].

    Raises:
        TypeError: when it is not an array, or not floating-point.
        ValueError: when it has not two axes.
    """
    namespace(table)
    if not is_floating(table):
        raise TypeError(f"table must be floating-point, got dtype {table.dtype}")
    if table.ndim != 2:
        raise ValueError(f"table must be [rows, columns], got shape {tuple(table.shape)}")


@dataclass(frozen=True, eq=False)
class Learned(Encoding):
    """A learned table added at the input, as in BERT and GPT-2.

    Padded places need a position inside the table, too: what they hold is masked later, so any
    will do, and clipping to 0 is usual.
    """

    table: Array
    padding_offset: int = 0

    def __post_init__(self) -> None:
        require_table(self.table)
        require_integer(self.padding_offset, "padding_offset", low=0)

    def at_input(self, x: Array, positions: Any) -> Array:
        """Add the rows of the positions to x [batch, len, d_model]."""
        if self.table.shape[1] != x.shape[-1]:
            raise ValueError(
                f"table must have the {x.shape[-1]} columns of x, got {self.table.shape[1]}"
            )
        table, positions = like(self.table, x, "table"), positions_of(positions, x)
        rows = learned(table, positions, padding_offset=self.padding_offset)
        return x + like(rows, x, "table", x.dtype)
