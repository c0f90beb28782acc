"""Claims of lesson 09: what xPos adds to RoPE, where it ends, and what blocks do."""

import numpy as np

from posviz.attention import softmax
from posviz.encodings.frequencies import rotary_frequencies
from posviz.encodings.xpos import apply_xpos, xpos_scale
from posviz.teaching.measures import largest
from posviz_course.claims import claim

PAPER = ("sun2022length",)


def scores(positions):
    """Scores of 12 random words, 0 for future keys, [12, 12]."""
    q, k = np.random.default_rng(0).normal(size=(2, 12, 16))
    q, k = apply_xpos(q, k, positions, positions, scale_base=8)
    return np.tril(q @ k.T) / 4


def by_distance(scale_base=512, norm=1):
    """Scores of identical keys at 1024 distances: 32 arrows, all of this norm."""
    distance = np.arange(1024)
    rotated = np.cos(np.outer(distance, rotary_frequencies(64)))
    parts = norm**2 * xpos_scale(distance, 64, scale_base=scale_base) * rotated
    return parts.sum(axis=1) / 8


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
    return int((np.diff(by_distance()) > 0).sum())


@claim("An encoding that decays with the distance takes the weight away from far keys.",
    cases={"for xPos": by_distance(), "for ALiBi with slope 1/16": -np.arange(1024) / 16},
    measures="the share of the weight on keys more than 512 tokens back, of 1024 identical keys "
    "with arrows of norm 1", rule="< 0.01", section="5 To forget is not to hide")
def decay_takes_the_weight_away(scores):
    """xPos brings far scores nearer to 0, but a score of 0 is not a weight of 0."""
    return float(softmax(scores)[513:].sum())


@claim("The faster xPos forgets, the less weight it gives to far keys.",
    cases={"for arrows of norm 1": 1, "for arrows of norm 2": 2},
    measures="the share of the weight on keys more than 512 tokens back, of 1024 identical keys, "
    "with S = 1 minus the share with S = 512", rule="< 0",
    section="5 To forget is not to hide")
def faster_forgetting_takes_weight_away(norm):
    """If nearly all scores are 0, far keys share the weight, unless the nearest scores high."""
    fast, slow = (softmax(by_distance(base, norm))[513:].sum() for base in (1, 512))
    return float(fast - slow)


@claim("xPos may be used without a causal mask.",
    measures="the factor of pair 0 for a key 1000 tokens ahead of its query", rule="<= 1",
    sources=PAPER, section="2 Each token does its half")
def it_looks_both_ways():
    """Future keys are amplified, and more so the farther ahead they are."""
    return float(xpos_scale(-1000, 16)[0])
