"""Masks: True where a query may look."""

from __future__ import annotations

from typing import Any

from posviz.arrays import Array, as_array
from posviz.encodings.checks import require_integer
from posviz.encodings.relative import offsets


def causal_mask(q_positions: Any, k_positions: Any) -> Array:
    """Let each query look at keys that do not come after it.

    Shapes: positions [len] give [q_len, k_len]; [batch, len] give [batch, 1, q_len, k_len].

    Source: Vaswani et al. 2017, section 3.2.3.

    >>> causal_mask([2], range(4)).tolist()
    [[True, True, True, False]]
    """
    return _with_heads(offsets(q_positions, k_positions) >= 0)


def blockwise_causal_mask(q_positions: Any, k_positions: Any, block: int) -> Array:
    """Let each query look at keys not after it in its own block and the one before.

    Shapes: as ``causal_mask``; block in tokens, half the training length in the paper.

    Source: Sun et al. 2022 (xPos), "Blockwise Causal Attention".
    """
    return _causal_in_blocks(q_positions, k_positions, require_integer(block, "block"), before=1)


def chunked_causal_mask(q_positions: Any, k_positions: Any, chunk: int) -> Array:
    """Let each query look at keys not after it in its own chunk alone.

    Shapes: as ``causal_mask``; chunk in tokens, 8192 in Llama 4. The first token of a chunk sees
    itself alone.

    Source: transformers 5.23, ``chunked_overlay``.
    """
    return _causal_in_blocks(q_positions, k_positions, require_integer(chunk, "chunk"), before=0)


def _causal_in_blocks(q_positions: Any, k_positions: Any, size: int, before: int) -> Array:
    q_positions = as_array(q_positions, "q_positions")
    k_positions = as_array(k_positions, "k_positions")
    blocks_back = offsets(q_positions // size, k_positions // size)
    return _with_heads((blocks_back <= before) & (offsets(q_positions, k_positions) >= 0))


def window_mask(q_positions: Any, k_positions: Any, window: int) -> Array:
    """Let each query look at keys less than ``window`` tokens away, past or future.

    Shapes: as ``causal_mask``.

    Source: Beltagy et al. 2020 (Longformer), section 3.1.
    """
    return _with_heads(abs(offsets(q_positions, k_positions)) < require_integer(window, "window"))


def _with_heads(mask: Array) -> Array:
    return mask[:, None] if mask.ndim == 3 else mask
