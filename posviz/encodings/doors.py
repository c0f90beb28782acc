"""Where position enters a Transformer: the input, the query and key, the scores, the values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from posviz.arrays import Array
from posviz.encodings.checks import require_choice
from posviz.wording import quoted

__all__ = ["Encoding", "NoPosition", "adds_bias", "doors"]

DOORS = ("at_input", "at_query", "at_key", "at_scores", "at_values")
BIAS_BY = ("offset", "position", "token")
Door = TypeVar("Door", bound=Callable[..., Any])


class Encoding:
    """An encoding that does nothing; a real one overrides the doors at which it acts.

    Shapes: x [batch, len, d_model]; q, k [batch, heads, len, head_dim]; scores and weights
    [batch, heads, q_len, k_len]; output [batch, heads, q_len, head_dim]; positions [len] or
    [batch, len], in tokens. Every door returns an array like its first argument; queries and keys
    alone may leave theirs with another head_dim, the same for both.
    """

    def at_input(self, x: Array, positions: Any) -> Array:
        """Change the embeddings: once per model, not per layer."""
        return x

    def for_input(self, x: Array, positions: Any, carried: Any) -> tuple[Encoding, Any]:
        """Return the encoding for a layer's input x, and what the cache carries to the next call.

        To override where gates, angles or running sums are made from x: the encoding returned
        holds them, and its doors are the ones passed; its class does not override this again.
        ``carried`` is what the call for the tokens before returned second, None when there are
        none. Shapes: x [batch, len, d_model], as the projections get it; positions as in doors.
        """
        return self, None

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

    def bias_of_pair(
        self, q: Array, k: Array, q_positions: Array, k_positions: Array
    ) -> Callable[..., Array]:
        """Return the function (b, h, i, j) → what ``at_scores`` adds for query i and key j.

        To override beside ``adds_bias``, by "position" or "token", where it is a few numbers: for
        FlexAttention, which holds no matrix (``posviz.flex``). Shapes: q and k, which have passed
        their doors, as in doors, tensors; positions tensors of integers.
        """
        raise NotImplementedError

    def at_values(self, output: Array, weights: Array, q_positions: Any, k_positions: Any) -> Array:
        """Change the weighted sum of the values."""
        return output


def adds_bias(*, by: str) -> Callable[[Door], Door]:
    """Mark an ``at_scores`` that adds to the scores what does not depend on them.

    torch's fused attention can then be given the sum: scores of 0 are passed. Added by "offset", a
    number depends on the head and on query position − key position alone, by "position" on the head
    and on both positions (in either, q and k may be None); by "token", on q, k and positions. An
    ``at_scores`` that overrides it is not marked.

    Raises:
        ValueError: when by is neither of these.
    """
    require_choice(by, "by", BIAS_BY)

    def mark(at_scores: Door) -> Door:
        setattr(at_scores, "bias_by", by)  # noqa: B010, for a type of function without it
        return at_scores

    return mark


def bias_by(encoding: Encoding) -> str | None:
    """Return what ``adds_bias`` says of its ``at_scores``: None where it may do anything."""
    return getattr(type(encoding).at_scores, "bias_by", None)


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
