"""Where position enters a Transformer: the input, the query and key, the scores, the values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from posviz.arrays import Array
from posviz.wording import quoted

__all__ = ["Encoding", "NoPosition", "doors"]

DOORS = ("at_input", "at_query", "at_key", "at_scores", "at_values")


class Encoding:
    """An encoding that does nothing; a real one overrides the doors at which it acts.

    Shapes: x [batch, len, d_model]; q, k [batch, heads, len, head_dim]; scores and weights
    [batch, heads, q_len, k_len]; output [batch, heads, q_len, head_dim]; positions [len] or
    [batch, len], in tokens. Every door returns an array like its first argument.
    """

    def at_input(self, x: Array, positions: Any) -> Array:
        """Change the embeddings: once per model, not per layer."""
        return x

    def at_query(self, q: Array, positions: Any) -> Array:
        """Change the queries."""
        return q

    def at_key(self, k: Array, positions: Any) -> Array:
        """Change the keys: once, when they are made, so a cache holds them as they come out."""
        return k

    def at_query_and_key(self, q: Array, k: Array, positions: Any) -> tuple[Array, Array]:
        """Pass both doors, at the same positions: to override where they share what they compute.

        No door of its own: it returns what at_query and at_key return.
        """
        return self.at_query(q, positions), self.at_key(k, positions)

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

    Raises:
        TypeError: for what is not an Encoding, such as its class.
    """
    if not isinstance(encoding, Encoding):
        raise TypeError(
            f"encoding must be an Encoding, such as NoPosition(), got {quoted(encoding)}"
        )
    kind = type(encoding)
    return tuple(door for door in DOORS if getattr(kind, door) is not getattr(Encoding, door))
