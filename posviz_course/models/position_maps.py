"""Maps of positions: a long text is read at distances that occurred in training.

Frequencies stay as they are. For each pair of a query and a key, a map gives the positions by which
the two are rotated, and so their apparent distance.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from posviz.arrays import Array, as_array, namespace, together
from posviz.encodings.checks import require_integer
from posviz.encodings.doors import Encoding, doors
from posviz.encodings.relative import offsets, positions_of
from posviz.encodings.rotary import Rotary

__all__ = [
    "MappedRotary",
    "dual_chunk_positions",
    "rerope_positions",
    "self_extend_positions",
    "sink_positions",
]


class Branch(NamedTuple):
    """Positions that rotate queries and keys, and the pairs that are scored by them.

    Shapes: q_positions [(batch,) q_len], k_positions [(batch,) k_len], where boolean [(batch,)
    q_len, k_len]. Units: tokens, or fractions of one.
    """

    q_positions: Array
    k_positions: Array
    where: Array


Map = Callable[[Any, Any], Sequence[Branch]]


def rerope_positions(q_positions: Any, k_positions: Any, window: int) -> list[Branch]:
    """Keep offsets below the window and clip all others to it.

    Shapes: positions [len] or [batch, len]. Units: tokens.

    Source: Su 2023, "Rectified Rotary Position Embeddings", and its released code.
    """
    window = require_integer(window, "window")
    q_positions, k_positions = _arrays(q_positions, k_positions)
    near = offsets(q_positions, k_positions) < window
    far = Branch(0 * q_positions + window, 0 * k_positions, ~near)
    return [Branch(q_positions, k_positions, near), far]


def self_extend_positions(
    q_positions: Any, k_positions: Any, window: int, group: int
) -> list[Branch]:
    """Keep offsets below the window, and count all others in groups.

    A key further back is at ⌊i/group⌋ − ⌊j/group⌋ + window − ⌊window/group⌋. A model trained on L
    tokens reads (L − window) · group + window.

    Shapes: positions [len] or [batch, len]. Units: tokens.

    Source: Jin et al. 2024 (Self-Extend), equations 3 and 4.
    """
    window, group = require_integer(window, "window"), require_integer(group, "group")
    q_positions, k_positions = _arrays(q_positions, k_positions)
    far_q, far_k = q_positions // group + (window - window // group), k_positions // group
    near = offsets(q_positions, k_positions) < window
    return [Branch(q_positions, k_positions, near), Branch(far_q, far_k, ~near)]


def dual_chunk_positions(
    q_positions: Any, k_positions: Any, chunk: int, farthest: int
) -> list[Branch]:
    """Count keys within their chunk, and queries by how many chunks later they are.

    A query is at its place in the key's own chunk; one chunk later, at that place plus a chunk, but
    at most at ``farthest``; and later still, at ``farthest``. So no offset exceeds it.

    Shapes: positions [len] or [batch, len]. Units: tokens.

    Source: An et al. 2024 (dual chunk attention), section 3, where farthest is L − 1 for a trained
    length L; the released code has chunk = 5L/8 and farthest = 3L/4.
    """
    chunk = require_integer(chunk, "chunk")
    farthest = require_integer(farthest, "farthest", low=chunk)
    q_positions, k_positions = _arrays(q_positions, k_positions)
    q_place, k_place = q_positions % chunk, k_positions % chunk
    chunks_later = offsets(q_positions // chunk, k_positions // chunk)
    next_place = namespace(q_place).clip(q_place + chunk, max=farthest)
    return [
        Branch(q_place, k_place, chunks_later <= 0),
        Branch(next_place, k_place, chunks_later == 1),
        Branch(0 * q_place + farthest, k_place, chunks_later > 1),
    ]


def sink_positions(q_positions: Any, k_positions: Any, sinks: int, window: int) -> list[Branch]:
    """Count tokens by their place in a cache of the first ``sinks`` and the last tokens.

    A key within the window keeps its offset; a sink is never further back than the cache is long.
    No branch has the other keys, because the cache has dropped them: a mask has to hide them.

    Shapes: positions [len] or [batch, len], from 0. Units: tokens.

    Source: Xiao et al. 2023 (StreamingLLM), section 3.2.
    """
    sinks, window = require_integer(sinks, "sinks"), require_integer(window, "window")
    q_positions, k_positions = _arrays(q_positions, k_positions)
    apart = offsets(q_positions, k_positions)
    in_cache = namespace(q_positions).clip(q_positions, max=sinks + window - 1)
    is_sink = 0 * apart + k_positions[..., None, :] < sinks
    return [
        Branch(q_positions, k_positions, (apart < window) & ~is_sink),
        Branch(in_cache, k_positions, is_sink),
    ]


def _arrays(q_positions: Any, k_positions: Any) -> tuple[Array, Array]:
    return together(as_array(q_positions, "q_positions"), as_array(k_positions, "k_positions"))


@dataclass(frozen=True, eq=False)
class MappedRotary(Encoding):
    """RoPE of any kind at the scores, its positions by a map; a cache holds unrotated keys.

    ``positions`` is called with the positions of queries and keys, for example
    MappedRotary(functools.partial(rerope_positions, window=512)).
    """

    positions: Map
    rotary: Encoding = field(default_factory=Rotary)

    def __post_init__(self) -> None:
        if doors(self.rotary) != ("at_query", "at_key"):
            raise TypeError(f"rotary must be a rotary encoding, got {self.rotary!r}.")

    def at_scores(
        self, scores: Array, q: Array, k: Array, q_positions: Any, k_positions: Any
    ) -> Array:
        """Return scale · q·k, with q and k rotated as the map says; −∞ where no branch is."""
        xp, scale = namespace(scores), self.scale(q.shape[-1])
        branches = self.positions(positions_of(q_positions, q), positions_of(k_positions, k))
        scores = xp.full_like(scores, -xp.inf)
        for q_positions, k_positions, where in branches:
            rotated_q = self.rotary.at_query(q, q_positions) * scale
            rotated_k = self.rotary.at_key(k, k_positions)
            own = rotated_q @ xp.matrix_transpose(rotated_k)
            scores = xp.where(where[..., None, :, :], own, scores)
        return scores
