"""The numbers in lesson 06's pictures of what goes wrong: mixed layouts and decoding."""

import itertools
import math

import numpy as np
import pytest

from posviz_course.lessons.rotary_code import cache_debugger, layout_converter
from tests.lessons.by_hand import product, turned

LAYOUTS, PROMPT = ["interleaved", "half_split"], 6


def scores_of(query, key):
    """The scores [24, 24] of one token with itself, place by place; each side (layout, order)."""
    x, w_q, w_k = layout_converter._weights()
    sides = []
    for w, (layout, reordered) in ((w_q, query), (w_k, key)):
        columns = [0, 4, 1, 5, 2, 6, 3, 7] if reordered else range(8)
        row = [(x @ w)[0, column] for column in columns]
        sides.append(np.array([turned(row, place, layout=layout) for place in range(24)]))
    return sides[0] @ sides[1].T / math.sqrt(8)


@pytest.mark.parametrize("layouts", [*itertools.product(LAYOUTS, LAYOUTS)], ids=str)
@pytest.mark.parametrize("reordered", [*itertools.product((False, True), repeat=2)], ids=str)
def test_scores_and_outcome_are_those_of_a_loop(layouts, reordered):
    knobs = dict(zip(("query_layout", "key_layout"), layouts, strict=True))
    knobs |= dict(zip(("query_reordered", "key_reordered"), reordered, strict=True))
    picture = layout_converter.LayoutConverter(**knobs)
    arrays = picture.compute()
    run = scores_of(*zip(layouts, reordered, strict=True))
    np.testing.assert_allclose(arrays.run, run, rtol=0, atol=1e-10)
    outcome = "not relative"
    if layouts[0] == layouts[1]:
        right = all(each == (layouts[0] == "interleaved") for each in reordered)
        outcome = "are those of training" if right else "depend on the offset alone"
    caption = picture.caption(arrays)
    assert outcome in caption
    assert ("different pairs" in caption) == (outcome == "not relative")


def places(mistake, query, key):
    """Where a query of one call and a key stand when they meet, by the mistake."""
    if mistake == "start forgotten":
        return query * (query < PROMPT), key * (key < PROMPT)
    if mistake == "query at 0":
        return query * (query < PROMPT), key
    if mistake == "query one late":
        return query + (query >= PROMPT), key
    if mistake == "cache rotated again":  # once when it came, and at every call after that
        calls = [0, *range(PROMPT, 24)]  # by their first token
        came = max(call for call in calls if call <= key)
        return query, key * sum(came <= call <= query for call in calls)
    return query, key


@pytest.mark.parametrize("mistake", cache_debugger.MISTAKES)
def test_each_mistake_is_that_of_a_slow_decoder(mistake):
    picture = cache_debugger.CacheDebugger(mistake=mistake, decoded=20)
    q, k = cache_debugger.query_and_key()
    for name, found in zip((mistake, "none"), picture.compute().maps, strict=True):
        for query, key in itertools.product(range(24), repeat=2):
            if not key <= query < picture.decoded:
                assert found[query, key] < -2.6  # below all colours
                continue
            at = places(name, query, key)
            both = turned(q, at[0], 100_000), turned(k, at[1], 100_000)
            score = np.clip(product(*both) / math.sqrt(64), -2.5, 2.5)
            assert found[query, key] == pytest.approx(score, abs=1e-9)
