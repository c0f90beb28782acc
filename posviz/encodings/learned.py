"""Learned positional embeddings: each position has its row in a trained table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from posviz.arrays import Array, as_array, as_integers, as_like, together
from posviz.encodings.checks import require_integer, require_shape
from posviz.encodings.doors import Encoding
from posviz.encodings.relative import positions_of

__all__ = ["Learned", "learned"]


def learned(table: Array, positions: Any, *, padding_offset: int = 0) -> Array:
    """Return the row of ``table`` for each position: row position + padding_offset.

    Shapes: table [rows, d_model], positions [...], result [..., d_model]. Units: tokens. GPT-2 and
    BERT count rows from 0. OPT, RoBERTa and BART keep the first rows for padding: their
    padding_offset is 2, so a padded token may have position −1.

    Source: Gehring et al. 2017, section 3.1; Devlin et al. 2019 (BERT), figure 2.

    >>> learned(np.eye(3), [0], padding_offset=2).tolist()  # OPT: position 0 has row 2
    [[0.0, 0.0, 1.0]]
    """
    padding_offset = require_integer(padding_offset, "padding_offset", low=0)
    table, positions = together(as_array(table, "table"), as_integers(positions, "positions"))
    rows = len(require_shape(table, "table", "rows", "d_model"))
    first, last = -padding_offset, rows - 1 - padding_offset
    outside = positions[(positions < first) | (positions > last)]
    if len(outside):
        offset = f" and padding_offset {padding_offset}" if padding_offset else ""
        advice = " Where texts are padded on the left, count real tokens from 0, clip the others."
        raise IndexError(
            f"positions must be in {first} … {last} for a table of {rows} rows{offset}, "
            f"got {int(outside[0])}.{advice if outside[0] < first else ''}"
        )
    return table[positions + padding_offset]


@dataclass(frozen=True, eq=False)
class Learned(Encoding):
    """A learned table added at the input, as in BERT and GPT-2."""

    table: Array
    padding_offset: int = 0

    def at_input(self, x: Array, positions: Any) -> Array:
        """Add the rows of the positions to x [batch, len, d_model]."""
        require_shape(self.table, "table", "rows", x.shape[-1])
        rows = learned(self.table, positions_of(positions, x), padding_offset=self.padding_offset)
        return x + as_like(rows, x, x.dtype)
