"""Claims of lesson 09: what xPos adds to RoPE, where it ends, and what blocks do."""

import numpy as np

from posviz.attention import softmax
from posviz.attention.masks import blockwise_causal_mask
from posviz.encodings.frequencies import rotary_frequencies
from posviz.encodings.xpos import apply_xpos, resolution, xpos_scale
from posviz.teaching.claims import claim
from posviz.teaching.measures import largest

PAPER = ("sun2022length",)


def scores(positions):
    """Scores of 12 random words, 0 for future keys, [12, 12]."""
    q, k = np.random.default_rng(0).normal(size=(2, 12, 16))
    q, k = apply_xpos(q, k, positions, positions, scale_base=8)
    return np.tril(q @ k.T) / 4


def by_distance(head_dim, *, decays=True, scale_base=512):
    """Scores of identical keys at 1024 distances, all pairs of norm 1."""
    distance = np.arange(1024)
    rotated = np.cos(np.outer(distance, rotary_frequencies(head_dim)))
    scale = xpos_scale(distance, head_dim, scale_base=scale_base) if decays else 1.0
    return (scale * rotated).sum(axis=1) / np.sqrt(head_dim)


def mask():
    """The mask of 512 tokens in blocks of 64."""
    return blockwise_causal_mask(np.arange(512), np.arange(512), 64)


@claim("The score of xPos depends on the offset alone, as RoPE's does.",
    measures="the largest change of a score when all positions move by 40 tokens", rule="< 1e-9",
    sources=PAPER, section="2 Each token does its half")
def the_score_is_relative():
    """The powers of ζ on query and key multiply to ζ to the power of the offset."""
    return largest(scores(np.arange(12) + 40) - scores(np.arange(12)))


@claim("Under xPos a score falls with every token of distance.",
    measures="the number of distances, of 1023, at which the next key has a higher score",
    rule="== 0", section="2 Each token does its half")
def scores_fall_with_every_token():
    """The decay lowers the waves of RoPE, but they remain waves."""
    return int((np.diff(by_distance(64)) > 0).sum())


@claim("An encoding that decays with the distance takes the weight away from far keys.",
    cases={"for xPos": by_distance(64), "for ALiBi with slope 1/16": -np.arange(1024) / 16},
    measures="the share of the weight on keys more than 512 tokens back, of 1024 identical keys",
    rule="< 0.01", section="5 To forget is not to hide")
def decay_takes_the_weight_away(scores):
    """xPos brings a far score down to 0, but a score of 0 is not a weight of 0."""
    return float(softmax(scores)[513:].sum())


@claim("The faster xPos forgets, the less weight it gives to far keys.",
    measures="the share of the weight on keys more than 512 tokens back, of 1024 identical keys, "
    "with S = 1 (0.46) minus the share with S = 512 (0.32)", rule="< 0",
    section="5 To forget is not to hide")
def faster_forgetting_takes_weight_away():
    """If all scores are near 0, all keys get the same weight, and far keys as much as others."""
    fast, slow = (softmax(by_distance(64, scale_base=base))[513:].sum() for base in (1, 512))
    return float(fast - slow)


@claim("xPos may be used without a causal mask.",
    measures="the factor of pair 0 for a key 1000 tokens ahead of its query", rule="<= 1",
    sources=PAPER, section="2 Each token does its half")
def it_looks_both_ways():
    """Future keys are amplified, and more so the farther ahead they are."""
    return float(xpos_scale(-1000, 16)[0])


@claim("The keys of a text of 8192 tokens fit into their number format.",
    cases={
        "in float32": ("float32", 1),
        "in float16": ("float16", 1),
        "in float16 if positions count from the middle": ("float16", 2),
    }, measures="the last position at which a key with a 1 in pair 0 is finite", rule=">= 8191",
    sources=("sun2022length", "torchscale"))
def keys_fit_their_format(case):
    """No score grows, but a stored key grows with its position."""
    dtype, halved = case
    with np.errstate(over="ignore"):  # infinity is what is looked for
        grown = xpos_scale(-np.arange(40_000) / halved, 16)[:, 0]
    return int((grown <= np.finfo(dtype).max).sum()) - 1


@claim("With blocks of half the training length no query looks farther than in training.",
    measures="the farthest distance in a text of 512 tokens, where training had 128", rule="< 128",
    sources=PAPER)
def nothing_farther_than_in_training():
    """The last token of a block sees the first token of the block before, and nothing farther."""
    query, key = np.nonzero(mask())
    return int((query - key).max())


@claim("With blocks of half the training length every token sees a whole training length.",
    cases={"for the last token of a block": 511, "for the first token of a block": 448},
    measures="the number of tokens that it sees, where training had 128", rule="== 128")
def all_see_a_training_length(token):
    """The first token of a block sees the block before and itself."""
    return int(mask()[token].sum())


@claim("xPos has a higher attention resolution than RoPE.",
    cases={f"for head_dim = {head_dim}": head_dim for head_dim in (16, 64, 128)},
    measures="the resolution of xPos divided by that of RoPE", rule="> 1", sources=PAPER)
def its_resolution_is_higher(head_dim):
    """Waves raise the resolution as well, and the decay lowers the large waves of a narrow head."""
    xpos, rope = (resolution(by_distance(head_dim, decays=on)) for on in (True, False))
    return float(xpos / rope)
