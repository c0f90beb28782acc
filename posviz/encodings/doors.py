"""Where position enters a Transformer: the input, the query and key, the scores, the values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from posviz.arrays import Array

__all__ = ["Encoding", "NoPosition", "doors"]

DOORS = ("at_input", "at_query", "at_key", "at_scores", "at_values")


class Encoding:
    """An encoding that does nothing; a real one overrides the doors at which it acts.

    Shapes: x [batch, len, d_model]; q, k [batch, heads, len, head_dim]; scores and weights
    [batch, heads, q_len, k_len]; output [batch, heads, q_len, head_dim]; positions [len] or
    [batch, len], in tokens. Every door returns an array like its first argument; queries and keys
    may leave theirs with another head_dim, the same for both.
    """

    # What the number depends on that at_scores adds: "offset", "position" or "content". None where
    # at_scores does nothing, or does more than add.
    bias_by: str | None = None

    def at_input(self, x: Array, positions: Any) -> Array:
        """Change the embeddings: once per model, not per layer."""
        return x

    def for_input(self, x: Array, positions: Any, carried: Any) -> tuple[Encoding, Any]:
        """Return the encoding for a layer's input x, and what the cache carries to the next call.

        To override where gates, angles or running sums are made from x: the encoding returned
        holds them. ``carried`` is what the call for the tokens before returned second, or None.
        """
        return self, None

    def at_query(self, q: Array, positions: Any) -> Array:
        """Change the queries."""
        return q

    def at_key(self, k: Array, positions: Any) -> Array:
        """Change the keys: once, when they are made, so a cache holds them as they come out."""
        return k

    def scale(self, head_dim: int) -> float:
        """Return what q·k is multiplied by: 1/√head_dim, for scores of the variance of q and k."""
        return head_dim**-0.5

    def at_scores(
        self, scores: Array, q: Array, k: Array, q_positions: Any, k_positions: Any
    ) -> Array:
        """Change the scaled scores; q and k, with as many heads, have passed their doors."""
        return scores

    def at_values(self, output: Array, weights: Array, q_positions: Any, k_positions: Any) -> Array:
        """Change the weighted sum of the values."""
        return output


@dataclass(frozen=True)
class NoPosition(Encoding):
    """No encoding: attention sees a set of tokens, not a sequence."""


def doors(encoding: Encoding) -> tuple[str, ...]:
    """Return the names of the doors at which ``encoding`` acts, from the input to the values.

    >>> from posviz import Alibi, Rotary
    >>> doors(Rotary()), doors(Alibi())
    (('at_query', 'at_key'), ('at_scores',))
    """
    if not isinstance(encoding, Encoding):
        raise TypeError(f"encoding must be an Encoding, such as NoPosition(), got {encoding!r}.")
    kind = type(encoding)
    return tuple(door for door in DOORS if getattr(kind, door) is not getattr(Encoding, door))
