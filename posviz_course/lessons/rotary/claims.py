"""Claims about RoPE: what its scores depend on, and where they are high."""

import numpy as np

from posviz.attention import attention
from posviz.attention.masks import chunked_causal_mask
from posviz.encodings.frequencies import rotary_angles, rotary_frequencies
from posviz.encodings.rotary import Rotary, apply_rotary
from posviz.teaching.measures import largest, normal
from posviz_course.claims import claim

HEAD_DIM = 64


def scores(q, k):
    """Return scores [..., q_len, k_len] of vectors [..., len, head_dim] at positions 0, 1, …"""
    angles = rotary_angles(np.arange(k.shape[-2]), rotary_frequencies(q.shape[-1]))
    q, k = apply_rotary(q, angles[: q.shape[-2]]), apply_rotary(k, angles)
    return q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])


@claim("When one query and one key move, their score depends on their offset alone.",
    cases={"if all dimensions rotate": HEAD_DIM, "if only half of them rotate": HEAD_DIM // 2},
    measures="the spread of the score of one query and one key over 4096 places with offset 5",
    rule="< 1e-9", sources=("su2021roformer",), section="3 First derivation: matrices")
def the_score_depends_on_the_offset_alone(rotary_dim):
    """Each rotation uses one position, but two rotations leave only their difference."""
    rope, places = Rotary(rotary_dim=rotary_dim), np.arange(4096)
    q, k = (np.broadcast_to(x, (1, 1, 4096, HEAD_DIM)) for x in normal(0, 2, HEAD_DIM))
    return float(np.ptp((rope.at_query(q, places + 5) * rope.at_key(k, places)).sum(axis=-1)))


@claim("With RoPE, the farther apart two tokens are, the lower is their score.",
    cases={f"for head_dim = {head_dim}": head_dim for head_dim in (2, 64, 128)},
    measures=(
        "the number of the first 256 steps of distance that raise the score, if q equals k and all "
        "pairs have the same norm"
    ), rule="== 0", section="5 The scores of a whole text")
def attention_falls_with_distance(head_dim):
    """The score is a sum of cosines, and each cosine rises again after half a rotation."""
    x = np.ones((257, head_dim))
    return int((np.diff(scores(x[:1], x)[0]) > 0).sum())


@claim("A query and a key have their highest score at offset 0.",
    cases={"if they are equal": 0, "if they are two random vectors": 1},
    measures="the highest score at the offsets 0 to 256, minus the score at offset 0",
    rule="< 1e-9", sources=("su2021roformer",), section="5 The scores of a whole text")
def the_highest_score_is_at_offset_0(which_key):
    """Offset 0 rotates no pair, and that is best for every pair only if the two vectors agree."""
    vectors = normal(0, 2, HEAD_DIM)
    key, queries = vectors[[which_key]], np.tile(vectors[0], (257, 1))
    by_offset = scores(key, queries)[0]  # the key is at 0, and the query at 0, 1, …
    return float(by_offset.max() - by_offset[0])


@claim("With RoPE, a token's score with itself depends on its position.",
    measures="the largest change of the scores of 256 tokens with themselves, when RoPE is added",
    rule="> 1e-9", sources=("su2021roformer",), section="5 The scores of a whole text")
def the_score_with_itself_depends_on_the_position():
    """Query and key rotate by the same angle, so the diagonal of a map is as it is without RoPE."""
    q, k = normal(0, 2, 256, HEAD_DIM)
    return largest(np.diag(scores(q, k)) - (q * k).sum(axis=1) / np.sqrt(HEAD_DIM))


@claim("If two texts share a row of a batch, the second must count its positions from 0 again.",
    measures=(
        "the largest change of an output, with a mask between the texts, if its positions go on"
    ), rule="> 1e-9", sources=("su2021roformer",), section="3 First derivation: matrices")
def packed_texts_need_positions_from_0():
    """Positions that go on move all tokens of the second text alike, so its offsets stay."""
    (q, k, v), rope, on = normal(0, 3, 1, 1, 16, HEAD_DIM), Rotary(), np.arange(16)
    how = {"encoding": rope, "mask": chunked_causal_mask(on, on, 8)}
    again, going_on = (
        attention(q, k, v, q_positions=at, k_positions=at, **how) for at in (on % 8, on)
    )
    return largest(going_on - again)
