"""The numbers in lesson 05's pictures of what goes wrong: mixed layouts and decoding."""

import itertools
import math

import numpy as np
import pytest

from posviz.lessons.rotary_code import cache_debugger, layout_converter
from posviz.lessons.rotary_code.cache_debugger import CacheDebugger
from posviz.lessons.rotary_code.layout_converter import LayoutConverter
from tests.lessons.by_hand import named_lines, product, turned

# ---------------------------------------------------------------- layouts

LAYOUTS = ["interleaved", "half_split"]
# (turned as, stored reordered) of the query and of the key
COMBINATIONS = list(itertools.product(LAYOUTS, LAYOUTS, (False, True), (False, True)))
every_combination = pytest.mark.parametrize("combination", COMBINATIONS, ids=str)
OUTCOMES = {
    "same": "the trained scores come back, to within 1e-12.",
    "relative": "relative, but other scores, off by up to ",
    "neither": "not even relative, as scores at one offset differ by up to ",
}


def converter(combination, **knobs):
    query, key, query_reordered, key_reordered = combination
    return LayoutConverter(
        query_layout=query,
        key_layout=key,
        query_reordered=query_reordered,
        key_reordered=key_reordered,
        **knobs,
    )


def order(head_dim, reordered):
    """Which trained column stands at each place: reordered, the first of all pairs come first."""
    evens, odds = range(0, head_dim, 2), range(1, head_dim, 2)
    return [*evens, *odds] if reordered else list(range(head_dim))


def scores_of(picture, combination):
    """The scores [24, 24] of one token with itself, place by place."""
    x, w_q, w_k = layout_converter._weights(picture.head_dim, picture.seed)
    q, k = (x @ w_q)[0], (x @ w_k)[0]
    places = range(picture.shift, picture.shift + 24)
    q_layout, k_layout, q_reordered, k_reordered = combination
    q = [q[column] for column in order(picture.head_dim, q_reordered)]
    k = [k[column] for column in order(picture.head_dim, k_reordered)]
    queries = [turned(q, place, layout=q_layout) for place in places]
    keys = [turned(k, place, layout=k_layout) for place in places]
    return np.array(queries) @ np.array(keys).T / math.sqrt(picture.head_dim)


def expected_outcome(combination):
    """The same where each side turns together what was trained together, by the same angles."""
    (query, key, query_reordered, key_reordered) = combination
    if query != key:
        return "neither"
    right = [reordered == (query == "half_split") for reordered in (query_reordered, key_reordered)]
    return "same" if all(right) else "relative"


@every_combination
@pytest.mark.parametrize(("head_dim", "shift", "seed"), [(8, 0, 47), (10, 37, 71)])
def test_scores_and_outcome_are_those_of_a_loop(combination, head_dim, shift, seed):
    picture = converter(combination, head_dim=head_dim, shift=shift, seed=seed)
    arrays = picture.compute()
    trained, run = (scores_of(picture, each) for each in (COMBINATIONS[0], combination))
    np.testing.assert_allclose(arrays.trained, trained, rtol=0, atol=1e-10)
    np.testing.assert_allclose(arrays.run, run, rtol=0, atol=1e-10)
    difference = np.abs(run - trained).max()
    spread = max(np.ptp(np.diagonal(run, k)) for k in range(-23, 24))
    outcome = "neither"
    if spread < 1e-9:
        outcome = "same" if difference < 1e-9 else "relative"
    assert outcome == expected_outcome(combination)
    caption = picture.caption(arrays)
    assert {name for name, words in OUTCOMES.items() if words in caption} == {outcome}


def test_arcs_join_what_is_rotated_together_and_columns_have_their_names():
    layouts = {"query_layout": "interleaved", "key_layout": "half_split"}
    lines = named_lines(LayoutConverter(**layouts, head_dim=4))
    assert lines["first of pair"][0].tolist() == [0, 2, 0, 2]
    assert lines["second of pair"][0].tolist() == [1, 3, 1, 3]
    for name, row, ends in (
        ("turned together", 1, [(0, 1), (2, 3)]),
        ("wrong partners", 0, [(0, 2), (1, 3)]),
    ):
        arcs = lines[name].T.reshape(-1, 18, 2)[:, :-1]
        assert [tuple(arc[[0, -1], 0].round()) for arc in arcs] == ends
        assert set(arcs[:, [0, -1], 1].round().ravel()) == {row}


# ---------------------------------------------------------------- cache

MISTAKES = ["none", "offset forgotten", "query at 0", "query one late", "cache turned again"]
SETTINGS = [  # prompt, decoded, head_dim, base, same_token, seed
    (6, 20, 64, 10_000, True, 2),
    (1, 24, 2, 10, False, 99),
    (5, 5, 8, 10_000, True, 7),
]


def places(mistake, query, key, prompt):
    """Where a query of one call and a key stand when they meet, by the mistake."""
    if mistake == "offset forgotten":
        return query * (query < prompt), key * (key < prompt)
    if mistake == "query at 0":
        return query * (query < prompt), key
    if mistake == "query one late":
        return query + (query >= prompt), key
    if mistake == "cache turned again":  # once when it came, and at every call after that
        calls = [0, *range(prompt, 24)]  # by their first token
        came = max(call for call in calls if call <= key)
        return query, key * sum(came <= call <= query for call in calls)
    return query, key


def decoded_scores(picture, mistake):
    """The rows of the scores that have been decoded, query by query and key by key."""
    q, k = cache_debugger._queries_and_keys(picture.head_dim, picture.same_token, picture.seed)
    rows = []
    for query in range(picture.decoded):
        row = []
        for key in range(query + 1):
            q_at, k_at = places(mistake, query, key, picture.prompt)
            ours = turned(q[query], q_at, picture.base), turned(k[key], k_at, picture.base)
            row.append(product(*ours) / math.sqrt(picture.head_dim))
        rows.append(row)
    return rows


@pytest.mark.parametrize("mistake", MISTAKES)
@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_each_mistake_is_that_of_a_slow_decoder(mistake, setting):
    names = ("prompt", "decoded", "head_dim", "base", "same_token", "seed")
    picture = CacheDebugger(mistake=mistake, **dict(zip(names, setting, strict=True)))
    arrays = picture.compute()
    made, true = decoded_scores(picture, mistake), decoded_scores(picture, "none")
    for found, rows in zip(arrays.maps, (made, true), strict=True):
        assert found.shape == (24, 24)
        seen = found > -2.6  # all colours lie above
        for query, key in itertools.product(range(24), repeat=2):
            assert seen[query, key] == (key <= query < picture.decoded)
        np.testing.assert_allclose(found[seen], np.clip(np.concatenate(rows), -2.5, 2.5), atol=1e-9)
    errors = [np.abs(np.subtract(*both)).max() for both in zip(made, true, strict=True)]
    np.testing.assert_allclose(arrays.errors, errors, atol=1e-9)
