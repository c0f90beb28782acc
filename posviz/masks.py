"""Masks: True where a query may look."""

from __future__ import annotations

from typing import Any

from posviz.arrays import Array, as_integers, check_memory, is_readable, namespace, shape_of
from posviz.encodings.checks import require_integer
from posviz.encodings.relative import both_positions, offsets, pairwise_offsets
from posviz.wording import quoted


def causal_mask(q_positions: Any, k_positions: Any) -> Array:
    """Let each query look at keys that do not stand after it.

    Shapes: positions [len] give [q_len, k_len]; [batch, len] give [batch, 1, q_len, k_len].

    Raises:
        TypeError: when positions are not real numbers.
        ValueError: for NaN or infinity, different batches, or when memory is short.

    Source: Vaswani et al. 2017, section 3.2.3.
    """
    return _with_heads(offsets(q_positions, k_positions) >= 0)


def blockwise_causal_mask(q_positions: Any, k_positions: Any, block: int) -> Array:
    """Let each query look at keys not after it in its own block and the one before.

    Shapes: as ``causal_mask``; block in tokens, half the training length in the paper.

    Raises:
        TypeError: when positions are not real numbers, or block is not an integer.
        ValueError: for NaN or infinity, block below 1, or when memory is short.

    Source: Sun et al. 2022 (xPos), "Blockwise Causal Attention".
    """
    block = require_integer(block, "block")
    q_positions, k_positions = both_positions(q_positions, k_positions)
    near = pairwise_offsets(q_positions // block, k_positions // block) <= 1
    return _with_heads(near & (pairwise_offsets(q_positions, k_positions) >= 0))


def chunked_causal_mask(q_positions: Any, k_positions: Any, chunk: int) -> Array:
    """Let each query look at keys not after it in its own chunk: no key of the one before.

    Shapes: as ``causal_mask``; chunk in tokens, 8192 in Llama 4. The first token of a chunk sees
    itself alone.

    Raises:
        TypeError: when positions are not real numbers, or chunk is not an integer.
        ValueError: for NaN or infinity, chunk below 1, or when memory is short.

    Source: transformers 5.23, ``chunked_overlay``.
    """
    chunk = require_integer(chunk, "chunk")
    q_positions, k_positions = both_positions(q_positions, k_positions)
    same = pairwise_offsets(q_positions // chunk, k_positions // chunk) == 0
    return _with_heads(same & (pairwise_offsets(q_positions, k_positions) >= 0))


def padding_mask(lengths: Any, seq_len: int) -> Array:
    """Let every query look at real tokens alone, when shorter sentences are padded on the left.

    Shapes: lengths [batch], in tokens; result [batch, 1, 1, seq_len].

    Raises:
        TypeError: when lengths or seq_len are not integers.
        ValueError: when a length is not in 0 … seq_len, or memory is short.
    """
    seq_len = require_integer(seq_len, "seq_len", low=0)
    check_memory("lengths × seq_len", (*shape_of(lengths), seq_len), x=lengths, copies=2)
    lengths = as_integers(lengths, "lengths")
    xp = namespace(lengths)
    beyond = (lengths < 0) | (lengths > seq_len)
    if lengths.ndim != 1 or (is_readable(lengths) and bool(xp.any(beyond))):
        raise ValueError(
            f"lengths must be [batch] and in 0 … {seq_len}, got {quoted(lengths.tolist())}"
        )
    columns = xp.arange(seq_len, device=lengths.device)
    return (columns >= seq_len - lengths[:, None])[:, None, None, :]


def _with_heads(mask: Array) -> Array:
    return mask[:, None] if mask.ndim == 3 else mask
