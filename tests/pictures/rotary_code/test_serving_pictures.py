"""The numbers in lesson 05's pictures of what goes wrong: mixed layouts and decoding."""

import itertools
import math

import numpy as np
import pytest
import torch

from posviz.pictures.rotary_code import cache_debugger, layout_converter
from posviz.pictures.rotary_code.cache_debugger import CacheDebugger
from posviz.pictures.rotary_code.layout_converter import LayoutConverter
from tests.pictures.by_hand import caption_of, drawn, partners, product, softmax, turned

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
@pytest.mark.parametrize(
    ("head_dim", "shift", "seed"), [(4, 0, 16), (8, 0, 47), (10, 37, 71), (16, 100, 99)]
)
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
    if outcome == "relative":
        assert caption.endswith(f"off by up to {difference:.2f}.")
    if outcome == "neither":
        assert f"at one offset differ by up to {spread:.2f} (from" in caption
        assert caption.endswith(f"trained ones by up to {difference:.2f}).")


@every_combination
def test_the_caption_names_both_sides(combination):
    query, key, query_reordered, key_reordered = combination
    caption = caption_of(converter(combination))
    sides = [
        "reordered, " * reordered + f"turned {layout}"
        for layout, reordered in ((query, query_reordered), (key, key_reordered))
    ]
    assert caption.startswith(f"Trained interleaved; query {sides[0]}; key {sides[1]}: ")
    apart = query != key and query_reordered != key_reordered
    rightly = apart and query_reordered == (query == "half_split")
    assert ("each turned rightly, but stored in different orders" in caption) == rightly


@pytest.mark.parametrize("head_dim", [4, 10, 16])
def test_arcs_stand_over_what_is_turned_together(head_dim):
    picture = converter(COMBINATIONS[0], head_dim=head_dim)
    _, artists = drawn(picture)  # once: what moves them is tested with all pictures
    for combination in COMBINATIONS:
        arrays = converter(combination, head_dim=head_dim).compute()
        picture.update(artists, arrays)
        assert arcs_and_columns(artists) == by_hand(head_dim, combination)


def arcs_and_columns(artists):
    """Right and wrong arcs as (row, from, to), and the first and second columns of each row."""
    first, second, right, wrong, *_ = artists
    found = []
    for part in (right, wrong):
        arcs = part.line.get_xydata().reshape(-1, 18, 2)[:, :-1]
        assert arcs[:, 0, 1] == pytest.approx(arcs[:, -1, 1])
        found.append({(round(arc[0, 1]), *(round(x) for x in arc[[0, -1], 0])) for arc in arcs})
    for row in (1, 0):
        for part in (first, second):
            found.append([x for x, y in part.line.get_xydata() if y == row])
    return found


def by_hand(head_dim, combination):
    """What ``arcs_and_columns`` should give."""
    right, wrong, columns = set(), set(), []
    for row, layout, reordered in zip((1, 0), combination[:2], combination[2:], strict=True):
        trained = order(head_dim, reordered)
        for member in (0, 1):
            columns.append([column for column, was in enumerate(trained) if was % 2 == member])
        for a, b in partners(head_dim, layout):
            (right if trained[a] // 2 == trained[b] // 2 else wrong).add((row, a, b))
    return [right, wrong, *columns]


def test_both_maps_are_drawn():
    arrays, (*_, trained, run) = drawn(converter(("interleaved", "half_split", False, True)))
    assert np.array_equal(trained.image.get_array(), arrays.trained)
    assert np.array_equal(run.image.get_array(), arrays.run)


# ---------------------------------------------------------------- cache

MISTAKES = ["none", "offset forgotten", "query at 0", "query one late", "cache turned again"]
SETTINGS = [  # prompt, decoded, head_dim, base, same_token, seed
    (6, 20, 64, 10_000, True, 2),
    (1, 24, 2, 10, False, 99),
    (12, 13, 6, 1_000_000, True, 0),
    (12, 24, 18, 500, False, 31),
    (5, 5, 8, 10_000, True, 7),
    (9, 1, 128, 10_000, False, 50),
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
@pytest.mark.parametrize(("prompt", "decoded", "head_dim", "base", "same_token", "seed"), SETTINGS)
def test_each_mistake_is_that_of_a_slow_decoder(
    mistake, prompt, decoded, head_dim, base, same_token, seed
):
    picture = CacheDebugger(
        mistake=mistake,
        prompt=prompt,
        decoded=decoded,
        head_dim=head_dim,
        base=base,
        same_token=same_token,
        seed=seed,
    )
    arrays = picture.compute()
    made, true = decoded_scores(picture, mistake), decoded_scores(picture, "none")
    for found, rows in zip(arrays.maps, (made, true), strict=True):
        assert found.shape == (24, 24)
        seen = found > -2.6  # all colours lie above
        for query, key in itertools.product(range(24), repeat=2):
            assert seen[query, key] == (key <= query < decoded)
        np.testing.assert_allclose(found[seen], np.clip(np.concatenate(rows), -2.5, 2.5), atol=1e-9)
    errors = [np.abs(np.subtract(*both)).max() for both in zip(made, true, strict=True)]
    np.testing.assert_allclose(arrays.errors, errors, atol=1e-9)
    moved = [abs(a - b) for a, b in zip(softmax(made[-1]), softmax(true[-1]), strict=True)]
    check_words(picture, errors[-1], math.fsum(moved) / 2)


def check_words(picture, error, moved):
    caption = caption_of(picture)
    assert caption.startswith(f"Mistake {picture.mistake}, {picture.decoded} token")
    within = f"still within the prompt of {picture.prompt}: "
    prompt = f"{picture.prompt} of them in the prompt: "
    assert (within if picture.prompt > picture.decoded else prompt) in caption
    outcome = "the last row is what it is without a cache, to within 1e-09."
    if error > 1e-9:
        before = error * math.sqrt(picture.head_dim)
        outcome = (
            f"the last row is off by up to {error:.2f} after 1/√head_dim and {before:.2f} before, "
            f"and {moved:.0%} of its attention goes to other keys."
        )
    assert caption.endswith(outcome)


@pytest.mark.parametrize("mistake", MISTAKES)
def test_within_the_prompt_nothing_is_wrong(mistake):
    for prompt, decoded in ((12, 12), (12, 1), (6, 6)):
        picture = CacheDebugger(mistake=mistake, prompt=prompt, decoded=decoded)
        assert max(picture.compute().errors) < 1e-12


@pytest.fixture
def audited_tokens(monkeypatch):
    """The queries and keys [16, 64] of the audit, with which the picture then decodes."""
    torch.manual_seed(0)
    both = np.ones((2, 24, 64))
    columns = [column for pair in partners(64, "half_split") for column in pair]
    both[:, :16] = torch.randn(2, 16, 64).double().numpy()[..., columns]
    monkeypatch.setattr(cache_debugger, "_queries_and_keys", lambda *_: both)
    cache_debugger._decoded.cache_clear()
    yield
    cache_debugger._decoded.cache_clear()


@pytest.mark.usefixtures("audited_tokens")
@pytest.mark.parametrize(
    ("mistake", "before", "after"),
    [("offset forgotten", 11.27, 1.41), ("query at 0", 19.06, 2.38), ("none", 0, 0)],
)
def test_errors_are_the_audited_ones(mistake, before, after):
    picture = CacheDebugger(mistake=mistake, decoded=16, prompt=1, same_token=False)
    arrays = picture.compute()
    assert round(arrays.errors[-1], 2) == after
    assert round(8 * arrays.errors[-1], 2) == before
    words = f"off by up to {after:.2f} after 1/√head_dim and {before:.2f} before"
    assert (words in picture.caption(arrays)) == (before > 0)


def test_errors_beyond_the_axis_lie_on_its_edge():
    knobs = {"mistake": "cache turned again", "head_dim": 8, "seed": 34}
    arrays, (_, _, errors, *prompts) = drawn(CacheDebugger(decoded=24, prompt=6, **knobs))
    x, y = errors.line.get_data()
    assert max(arrays.errors) > 5 == max(x)
    assert x.tolist() == [min(error, 5) for error in arrays.errors]
    assert y.tolist() == list(range(24))
    assert [part.line.get_ydata() for part in prompts] == [[5.5, 5.5]] * 3
