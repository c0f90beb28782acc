"""Claims about RoPE in code: pairs and their layouts, precision, the cache."""

import numpy as np

from posviz.attention import KeyValueCache, attend
from posviz.attention.masks import causal_mask
from posviz.encodings.frequencies import rotary_angles, rotary_frequencies
from posviz.encodings.rotary import (
    LAYOUTS,
    Rotary,
    apply_rotary,
    change_layout,
    change_projection_layout,
)
from posviz.teaching.measures import largest, normal
from posviz_course.claims import claim

Q, K = normal(0, 2, 64)
SPEEDS = rotary_frequencies(64)
X, PROJECTIONS = normal(0, 1, 16, 64), normal(1, 3, 64, 64) / 8
INTERLEAVED_TO_HALVES: dict = dict(zip(("source", "target"), LAYOUTS, strict=True))


def _rotated(x, position, layout="interleaved"):
    """A vector [64], rotated as RoPE does at a position."""
    return apply_rotary(x[None], rotary_angles([position], SPEEDS), layout=layout)[0]


def _outputs(projections, layout="interleaved", positions=range(16), x=X, **more):
    """The outputs [1, len, 64] of a head with RoPE."""
    encoding = Rotary(layout=layout)
    return attend(x, *projections, num_heads=1, encoding=encoding, positions=positions, **more)


@claim("The two layouts are one rotation, with the dimensions of the vectors in another order.",
    measures="the largest difference at position 7, head_dim = 64", rule="< 1e-9",
    sources=("su2021roformer", "llamacode"), section="3 One reordering apart")
def both_layouts_give_the_same_vectors():
    """Reorder a vector, rotate it half_split, reorder it back: that is the interleaved rotation."""
    halves = _rotated(change_layout(Q, **INTERLEAVED_TO_HALVES), 7, "half_split")
    return largest(halves - change_layout(_rotated(Q, 7), **INTERLEAVED_TO_HALVES))


@claim("To change the layout of trained weights, reorder the columns of W_Q, W_K and W_V.",
    measures="the largest change of an output, 16 tokens and head_dim = 64", rule="< 1e-9",
    section="3 One reordering apart")
def all_three_projections_change_layout():
    """Values are not rotated, so W_V has no layout and must stay as it is."""
    reordered = change_projection_layout(PROJECTIONS, num_heads=1, **INTERLEAVED_TO_HALVES)
    return largest(_outputs(reordered, "half_split") - _outputs(PROJECTIONS))


@claim("A program with a key/value cache may count the positions of each call from 0.",
    measures="the largest difference from the outputs of one call with all 16 tokens",
    rule="< 1e-9", sources=("mlxvlm1983",), section="4 The second suspect: the positions")
def a_cache_works_as_it_is():
    """Keys in the cache have their own positions, but every new token would be at position 0."""
    cache, places = KeyValueCache(), np.arange(16)
    rows = [_outputs(PROJECTIONS, positions=[0], x=X[:, [i]], cache=cache) for i in places]
    at_once = _outputs(PROJECTIONS, mask=causal_mask(places, places))
    return largest(np.concatenate(rows, axis=1) - at_once)


@claim("If query and key both move by 60,000 tokens, the score changes by less than 0.001.",
    cases={f"with angles in {name}": name for name in ("float64", "float32", "float16")},
    measures="the largest change of 64 scores when query and keys move by 60,000 positions",
    rule="< 1e-3", sources=("gptneox1003", "transformers29285"),
    section="5 The third suspect: precision")
def the_precision_does_not_matter(dtype):
    """The angle grows with the position, and so does what rounding takes from it."""
    scores = []
    for start in (0, 60_000):
        angles = rotary_angles(np.arange(64) + start, SPEEDS).astype(dtype).astype(float)
        keys = apply_rotary(np.tile(K, (64, 1)), angles)
        scores.append(keys @ apply_rotary(Q[None], angles[:1])[0])
    return largest(scores[1] - scores[0])


@claim("If query and key are both rotated by RoPE, their score stays relative.",
    cases={
        "if query and key are interleaved": LAYOUTS[:1] * 2,
        "if both are half_split": LAYOUTS[1:] * 2,
        "if the query is interleaved and the key half_split": LAYOUTS,
    }, measures="the change of a score from positions (7, 3) to (107, 103), head_dim = 64",
    rule="< 1e-9", section="Two programs at once")
def any_pairing_will_do(layouts):
    """Two rotations combine to one, by the offset, only if both rotate the same pairs."""
    places = (7, 3), (107, 103)
    scores = [_rotated(Q, i, layouts[0]) @ _rotated(K, j, layouts[1]) / 8 for i, j in places]
    return abs(float(scores[1] - scores[0]))
