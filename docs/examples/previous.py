"""A bonus for the token just before the query: the plainest bias there is."""

from dataclasses import dataclass

from posviz.arrays import as_array, namespace
from posviz.encodings.relative import BiasByOffset

__all__ = ["Previous", "previous_bias"]


def previous_bias(bonus, offsets):
    """Return the bonus where the key is one position before the query, and 0 elsewhere.

    Shapes: offsets [..., q_len, k_len], result [..., 1, q_len, k_len]. Units: tokens, score.
    """
    offsets = as_array(offsets, "offsets")
    xp = namespace(offsets)
    # one axis for the heads, which share the bonus
    return bonus * xp.astype(offsets[..., None, :, :] == 1, xp.float64)


@dataclass(frozen=True)
class Previous(BiasByOffset):
    """The bonus at the scores, the same for all heads."""

    bonus: float = 1.0

    def bias(self, offsets, num_heads):
        """Return the bonus, [..., 1, q_len, k_len]."""
        return previous_bias(self.bonus, offsets)
