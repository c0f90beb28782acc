"""Claims about RoPE: its matrix, its frequencies, its scores."""

import numpy as np

from posviz.attention import attention
from posviz.encodings.frequencies import rotary_angles, rotary_frequencies
from posviz.encodings.rotary import Rotary, apply_rotary, rotation_matrix
from posviz.teaching.measures import largest, normal
from posviz_course.claims import claim

HEAD_DIM = 64
Q, K = np.array([1.0, 0.5]), np.array([0.3, 1.2])


def scores(q, k):
    """Return scores [..., q_len, k_len] of vectors [..., len, head_dim] at positions 0, 1, …"""
    angles = rotary_angles(np.arange(k.shape[-2]), rotary_frequencies(q.shape[-1]))
    q, k = apply_rotary(q, angles[: q.shape[-2]]), apply_rotary(k, angles)
    return q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])


@claim("The score of a query at position i and a key at position j is qᵀ Rᵢ₋ⱼ k.",
    measures="the difference between this formula and the score, with i = 7 and j = 4",
    rule="< 1e-9", sources=("su2021roformer",), section="3 First derivation: matrices")
def the_matrix_between_is_r_i_minus_j():
    """The rotation of the query is transposed, so it goes back, and the matrix is Rⱼ₋ᵢ."""
    q, k = apply_rotary(np.stack([Q, K]), np.array([[7], [4]]) * 0.5)
    return abs(Q @ rotation_matrix([(7 - 4) * 0.5]) @ K - q @ k)


@claim("When one query and one key move, their score depends on their offset alone.",
    cases={"if all dimensions rotate": HEAD_DIM, "if only half of them rotate": HEAD_DIM // 2},
    measures="the spread of the score of one query and one key over 4096 places with offset 5",
    rule="< 1e-9", sources=("su2021roformer",), section="3 First derivation: matrices")
def the_score_depends_on_the_offset_alone(rotary_dim):
    """Each rotation uses one position, but two rotations leave only their difference."""
    rope, places = Rotary(rotary_dim=rotary_dim), np.arange(4096)
    q, k = (np.broadcast_to(x, (1, 1, 4096, HEAD_DIM)) for x in normal(0, 2, HEAD_DIM))
    return float(np.ptp((rope.at_query(q, places + 5) * rope.at_key(k, places)).sum(axis=-1)))


@claim("The frequencies of RoPE are 10 000^(−2n/head_dim) for n = 1 … head_dim/2.",
    cases={"for head_dim = 64": 64, "for head_dim = 512": 512},
    measures="the largest difference from the frequencies of RoPE, in radians per token",
    rule="< 1e-9", sources=("su2021roformer",), section="5 From two dimensions to head_dim")
def the_pairs_count_from_1(head_dim):
    """Pairs count from 0; if they counted from 1, the frequency 1 would be missing."""
    from_1 = 10_000.0 ** (-np.arange(2, head_dim + 1, 2) / head_dim)
    return largest(from_1 - rotary_frequencies(head_dim))


@claim("With RoPE, the farther apart two tokens are, the lower is their score.",
    cases={f"for head_dim = {head_dim}": head_dim for head_dim in (2, 64, 128)},
    measures="the number of the first 256 steps of distance that raise the score, with q = k",
    rule="== 0", section="6 The scores of a whole text")
def attention_falls_with_distance(head_dim):
    """The score is a sum of cosines, and each cosine rises again after half a rotation."""
    x = np.ones((257, head_dim))
    return int((np.diff(scores(x[:1], x)[0]) > 0).sum())


@claim("The values may be rotated like the queries and keys, and attention stays relative.",
    measures="the largest change of an output when 16 tokens move by 100 positions", rule="< 1e-9",
    section="7 Project or rotate first?")
def values_may_rotate_too():
    """The output is a sum of values, and no product takes their rotation back."""
    (q, k, v), rope = normal(0, 3, 1, 1, 16, HEAD_DIM), Rotary()
    here, there = (
        attention(q, k, rope.at_key(v, at), encoding=rope, q_positions=at, k_positions=at)
        for at in (np.arange(16), np.arange(100, 116))
    )
    return largest(there - here)
