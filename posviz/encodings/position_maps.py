"""Maps of positions: a long text is read with distances that training has seen.

Frequencies stay as they are. A map says for each pair of a query and a key at which positions the
two are turned, and so how far apart they look.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from posviz.arrays import Array, in_float64, like, namespace, widened
from posviz.encodings.checks import require_integer, require_real
from posviz.encodings.doors import Encoding
from posviz.encodings.relative import both_positions, pairwise_offsets, positions_beside
from posviz.encodings.rotary import Rotary, Turning

__all__ = [
    "MappedRotary",
    "dual_chunk_positions",
    "mapped_offsets",
    "rerope_positions",
    "self_extend_positions",
    "sink_positions",
]


class Branch(NamedTuple):
    """Positions at which queries and keys turn, and the pairs that are scored so.

    Shapes: q_positions [(batch,) q_len], k_positions [(batch,) k_len], where boolean [(batch,)
    q_len, k_len]. Units: tokens, or fractions of one.
    """

    q_positions: Array
    k_positions: Array
    where: Array


Map = Callable[[Any, Any], Sequence[Branch]]


def mapped_offsets(branches: Sequence[Branch]) -> Array:
    """Return how far apart each query and key look, query − key: 0 where no branch has them.

    Shapes: [(batch,) q_len, k_len]. Units: tokens, or fractions of one. float64.
    """
    apart = 0 * in_float64(branches[0].where)
    for branch in branches:
        q_positions, k_positions = map(in_float64, branch[:2])
        own = pairwise_offsets(q_positions, k_positions)
        apart = namespace(own).where(branch.where, own, apart)
    return apart


def rerope_positions(
    q_positions: Any, k_positions: Any, window: int, *, leak: float = 0.0
) -> list[Branch]:
    """Let distances within the window be as they are, and all others the window; or leak slowly.

    A key i − j ≥ window behind looks window + leak · (i − j − window) tokens away: 0 is ReRoPE,
    1 is RoPE, and between them it is Leaky ReRoPE.

    Shapes: positions [len] or [batch, len]. Units: tokens.

    Raises:
        TypeError: when positions or leak are not real numbers, or window is not an integer.
        ValueError: for NaN or infinity, window below 1, leak not in [0, 1], different batches, or
            when memory is short.

    Source: Su 2023, "Rectified Rotary Position Embeddings", and its released code.
    """
    window, leak = require_integer(window, "window"), require_real(leak, "leak")
    if not 0 <= leak <= 1:
        raise ValueError(f"leak must be in [0, 1], got {leak:g}")
    q_positions, k_positions, apart = _pairs(q_positions, k_positions)
    far_q = leak * in_float64(q_positions) + (1 - leak) * window
    far_k = leak * in_float64(k_positions)
    near = apart < window
    return [Branch(q_positions, k_positions, near), Branch(far_q, far_k, ~near)]


def self_extend_positions(
    q_positions: Any, k_positions: Any, window: int, group: int
) -> list[Branch]:
    """Let keys within the window be as they are, and count all others in groups.

    A key further behind looks ⌊i/group⌋ − ⌊j/group⌋ + window − ⌊window/group⌋ tokens away. A
    model trained on L tokens reads (L − window) · group + window.

    Shapes: positions [len] or [batch, len]. Units: tokens.

    Raises:
        TypeError: when positions are not real numbers, or window or group not integers.
        ValueError: for NaN or infinity, window or group below 1, different batches, or when
            memory is short.

    Source: Jin et al. 2024 (Self-Extend), equations 3 and 4.
    """
    window, group = require_integer(window, "window"), require_integer(group, "group")
    q_positions, k_positions, apart = _pairs(q_positions, k_positions)
    far_q = q_positions // group + (window - window // group)
    near = apart < window
    return [
        Branch(q_positions, k_positions, near),
        Branch(far_q, k_positions // group, ~near),
    ]


def dual_chunk_positions(
    q_positions: Any, k_positions: Any, chunk: int, farthest: int
) -> list[Branch]:
    """Let keys count within their chunk of the text, and queries by how many chunks they are on.

    In the key's chunk a query stands where it stands in it, in the next one a chunk further but
    not past ``farthest``, and beyond that at ``farthest``: so no distance is above it.

    Shapes: positions [len] or [batch, len]. Units: tokens.

    Raises:
        TypeError: when positions are not real numbers, or chunk or farthest not integers.
        ValueError: for NaN or infinity, chunk below 1, farthest below chunk, different batches, or
            when memory is short.

    Source: An et al. 2024 (dual chunk attention), section 3, where farthest is L − 1 for a
    training length L; the released code has chunk = 5L/8 and farthest = 3L/4.
    """
    chunk = require_integer(chunk, "chunk")
    farthest = require_integer(farthest, "farthest", low=chunk)
    q_positions, k_positions, _ = _pairs(q_positions, k_positions)
    xp = namespace(q_positions, k_positions)
    in_chunk, k_in_chunk = q_positions % chunk, k_positions % chunk
    chunks = pairwise_offsets(q_positions // chunk, k_positions // chunk)
    return [
        Branch(in_chunk, k_in_chunk, chunks <= 0),
        Branch(xp.clip(in_chunk + chunk, max=farthest), k_in_chunk, chunks == 1),
        Branch(0 * q_positions + farthest, k_in_chunk, chunks > 1),
    ]


def sink_positions(q_positions: Any, k_positions: Any, sinks: int, window: int) -> list[Branch]:
    """Let tokens count by their place in a cache of the first ``sinks`` tokens and the last ones.

    A key within the window is as far away as it is; a sink never further than the cache is long.
    What is neither has been forgotten: no branch has it, and a mask has to hide it. The context
    is the window still, however long the text.

    Shapes: positions [len] or [batch, len], from 0. Units: tokens.

    Raises:
        TypeError: when positions are not real numbers, or sinks or window not integers.
        ValueError: for NaN or infinity, sinks or window below 1, different batches, or when
            memory is short.

    Source: Xiao et al. 2023 (StreamingLLM), section 3.2.
    """
    sinks, window = require_integer(sinks, "sinks"), require_integer(window, "window")
    q_positions, k_positions, apart = _pairs(q_positions, k_positions)
    in_cache = namespace(q_positions).clip(q_positions, max=sinks + window - 1)
    is_sink = apart * 0 + k_positions[..., None, :] < sinks
    return [
        Branch(q_positions, k_positions, (apart < window) & ~is_sink),
        Branch(in_cache, k_positions, is_sink),
    ]


def _pairs(q_positions: Any, k_positions: Any) -> tuple[Array, Array, Array]:
    """Return positions of one kind, and their offsets."""
    q_positions, k_positions = both_positions(q_positions, k_positions)
    apart = pairwise_offsets(q_positions, k_positions)
    like_apart = like(q_positions, apart, "q_positions"), like(k_positions, apart, "k_positions")
    return *like_apart, apart


@dataclass(frozen=True, eq=False)
class MappedRotary(Encoding):
    """RoPE of any kind at the scores, its positions by a map; a cache holds keys that do not turn.

    ``positions`` is called with those of queries and keys:
    MappedRotary(functools.partial(rerope_positions, window=512)). Every branch of a map takes a
    product of queries and keys of its own.
    """

    positions: Map
    rotary: Turning = field(default_factory=Rotary)

    def __post_init__(self) -> None:
        if not callable(self.positions):
            raise TypeError(
                "positions must be a function of the positions of queries and keys, "
                f"got {type(self.positions).__name__}"
            )
        if not isinstance(self.rotary, Turning):
            raise TypeError(f"rotary must be a rotary encoding, got {type(self.rotary).__name__}")

    def at_scores(
        self, scores: Array, q: Array, k: Array, q_positions: Any, k_positions: Any
    ) -> Array:
        """Return scale · q·k, with q and k turned as the map says; −∞ where no branch is."""
        xp = namespace(scores)
        branches = self.positions(*positions_beside(scores, q_positions, k_positions))
        scores = xp.full_like(scores, -xp.inf)
        for branch in branches:
            turned_q = self.rotary.at_query(q, branch.q_positions)
            turned_k = self.rotary.at_key(k, branch.k_positions)
            wide_q, wide_k = widened(turned_q, turned_k)
            own = (wide_q * self.scale(q.shape[-1])) @ xp.matrix_transpose(wide_k)
            scores = xp.where(branch.where[..., None, :, :], own, scores)
        return scores
