"""Biases of attention scores."""

import numpy as np
import pytest

from posviz import (
    alibi_bias,
    alibi_slopes,
    deberta_bucket,
    fire_bias,
    fire_distances,
    identify,
    offsets,
)

APART = offsets(range(48), range(48))
HIDDEN = np.where(APART < 0, -np.inf, 0.0)
ALIBI = alibi_bias(alibi_slopes(8), APART)
SERIES = 2.0 ** (-8 * np.arange(1, 13) / 12)
RNG = np.random.default_rng(0)

ALIBIS = {  # the bias, on what it depends, a word of the verdict
    "both sides": (ALIBI, "distance", "released code"),
    "causal": (ALIBI + HIDDEN, "offset", "released code"),
    "masked by a number": (ALIBI + np.where(APART < 0, -1e9, 0), "offset", "released code"),
    "one-sided": (alibi_bias(alibi_slopes(8), np.maximum(APART, 0)), "offset", "one-sided"),
    "signed": (-alibi_slopes(8)[:, None, None] * APART, "offset", "sign of the offset"),
    "wrong sign": (-ALIBI, "distance", "wrong sign"),
    "one series": (alibi_bias(SERIES, APART), "distance", "one series"),
    "twice": (2 * ALIBI, "distance", "times 2"),
    "rows shifted": (alibi_slopes(8)[:, None, None] * np.arange(48) + HIDDEN, "offset", "shifted"),
    "one head": (ALIBI[:1], "distance", "times 128"),
    "heads reversed": (ALIBI[::-1], "distance", "0.003906, 0.007812"),
    "an eighth": (ALIBI / 8, "distance", "times 0.125"),
    "a constant": (ALIBI - alibi_slopes(8)[:, None, None], "distance", "constant besides"),
    "float16": (ALIBI.astype(np.float16), "distance", "released code"),
    "decoding": (ALIBI[:, -4:], "offset", "released code"),
}


@pytest.mark.parametrize("name", ALIBIS)
def test_alibi_is_named(name):
    bias, depends_on, word = ALIBIS[name]
    verdict = identify(bias=bias)
    assert (verdict.kind, verdict.explained, verdict.method) == ("bias", True, "alibi"), str(
        verdict
    )
    assert len(verdict.slopes) == len(bias)
    if name != "decoding":
        assert verdict.depends_on == depends_on
    assert word in str(verdict)


def test_scores_with_and_without_tell_the_bias():
    scores = RNG.normal(size=(8, 48, 48)) + HIDDEN
    verdict = identify(scores=scores + ALIBI, without=scores)
    np.testing.assert_allclose(verdict.slopes, alibi_slopes(8))


def test_the_buckets_of_deberta_are_found():
    table = RNG.normal(size=(32, 3))
    verdict = identify(bias=np.moveaxis(table[deberta_bucket(APART, 16, 64) + 16], -1, 0))
    assert (verdict.explained, verdict.method) == (True, "buckets"), str(verdict)
    assert verdict.parameters["edges"][:9] == [1, 2, 3, 4, 5, 6, 7, 8, 9]


def test_fire_depends_on_the_distance_by_no_rule():
    learned = [RNG.normal(size=shape) for shape in ((32,), (32,), (32, 4), (4,))]
    verdict = identify(bias=fire_bias(fire_distances(range(48), range(48)), *learned))
    assert (verdict.depends_on, verdict.explained) == ("distance", False)


CONTENT = {
    "random": (RNG.normal(size=(4, 48, 48)), "more than the offset"),
    "sums of gates": (
        (g := RNG.uniform(size=(4, 48)).cumsum(1))[:, None] - g[:, :, None] + HIDDEN,
        "FoX",
    ),
    "two texts": (RNG.normal(size=(2, 4, 48, 48)), "text to text"),
}


@pytest.mark.parametrize("name", CONTENT)
def test_what_depends_on_more_than_the_offset_is_said(name):
    bias, word = CONTENT[name]
    verdict = identify(bias=bias)
    assert (verdict.depends_on, verdict.explained) == ("content", False)
    assert word in str(verdict)


@pytest.mark.parametrize(
    "bias", [np.zeros((4, 24, 24)), np.full((4, 24, 24), np.nan), np.ones((4, 9, 9)), np.eye(2)]
)
def test_a_bias_that_says_nothing_is_not_guessed_at(bias):
    verdict = identify(bias=bias)
    assert (verdict.kind, len(verdict.sentences)) == ("unknown", 1), str(verdict)
