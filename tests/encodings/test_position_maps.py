"""Maps of positions against slow loops, by the definitions of their papers."""

from functools import partial

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from posviz.attention import KeyValueCache, attend, attention
from posviz.encodings.frequencies import rotary_angles, rotary_frequencies
from posviz.encodings.position_maps import (
    MappedRotary,
    dual_chunk_positions,
    mapped_offsets,
    rerope_positions,
    self_extend_positions,
    sink_positions,
)
from posviz.encodings.rotary import Rotary, apply_rotary
from posviz.masks import causal_mask


def random(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def rerope(i, j, window):
    return min(i - j, window)


def leaky(i, j, window):
    return i - j if i - j < window else window + 0.25 * (i - j - window)


def self_extend(i, j, window, group):
    return i - j if i - j < window else i // group - j // group + window - window // group


def dual_chunk(i, j, chunk, farthest):
    k, between = j % chunk, i // chunk - j // chunk
    if between == 0:
        return i % chunk - k
    return (min(i % chunk + chunk, farthest) if between == 1 else farthest) - k


def sink(i, j, sinks, window):
    """The place of each in a cache that has dropped what is neither first nor last."""
    kept = [*range(sinks), *range(max(sinks, i - window + 1), i + 1)]
    return len(kept) - 1 - kept.index(j) if i >= sinks else i - j


def is_kept(i, j, sinks, window):
    return j < sinks or i - j < window


CASES = {
    "rerope": (rerope_positions, rerope, {"window": 5}),
    "leaky": (partial(rerope_positions, leak=0.25), leaky, {"window": 5}),
    "self-extend": (self_extend_positions, self_extend, {"window": 6, "group": 4}),
    "dual chunk": (dual_chunk_positions, dual_chunk, {"chunk": 5, "farthest": 7}),
    "sinks": (sink_positions, sink, {"sinks": 2, "window": 4}),
}
each_map = pytest.mark.parametrize(("make", "slow", "settings"), CASES.values(), ids=CASES)


@each_map
@pytest.mark.parametrize("kind", [np.array, torch.tensor])
def test_distances_entry_by_entry(make, slow, settings, kind):
    found = mapped_offsets(make(kind(range(30)), range(30), **settings))
    for i in range(30):
        for j in range(i + 1):
            if slow is not sink or is_kept(i, j, **settings):
                assert found[i, j] == pytest.approx(slow(i, j, **settings), abs=1e-12), (i, j)
            else:
                assert found[i, j] == 0


@given(q=st.integers(0, 10**6), k=st.integers(0, 10**6), group=st.integers(1, 50))
def test_self_extend_far_away(q, k, group):
    q, k = max(q, k), min(q, k)
    found = mapped_offsets(self_extend_positions([q], [k], 1024, group))
    assert found.item() == self_extend(q, k, 1024, group)


def test_no_distance_is_above_what_was_trained():
    """A model of 64 tokens reads 200: the paper's reach of Self-Extend, and chunks of 3/4."""
    longest = (64 - 16) * 8 + 16
    for branches in (
        rerope_positions(range(200), range(200), 63),
        self_extend_positions(range(longest), range(longest), 16, 8),
        dual_chunk_positions(range(200), range(200), 48, 63),
        sink_positions(range(200), range(200), 4, 60),
    ):
        assert mapped_offsets(branches).max() <= 63


@each_map
@pytest.mark.parametrize("layout", ["interleaved", "half_split"])
def test_scores_are_those_of_a_turn_by_each_distance(make, slow, settings, layout):
    q, k, v = random(3, 1, 2, 12, 8)
    rotary = Rotary(base=100, layout=layout)
    mask = causal_mask(range(12), range(12))
    if slow is sink:
        mask &= np.array([[is_kept(i, j, **settings) for j in range(12)] for i in range(12)])
    _, weights = attention(
        q,
        k,
        v,
        encoding=MappedRotary(partial(make, **settings), rotary),
        q_positions=range(12),
        k_positions=range(12),
        mask=mask,
        return_weights=True,
    )
    scores = np.full((1, 2, 12, 12), -np.inf)
    for i, j in np.argwhere(mask):
        angles = rotary_angles([slow(i, j, **settings)], rotary_frequencies(8, 100))
        turned = apply_rotary(q[:, :, i : i + 1], angles, layout=layout)[:, :, 0]
        scores[:, :, i, j] = (turned * k[:, :, j]).sum(-1) / 8**0.5
    powers = np.exp(scores)
    np.testing.assert_allclose(weights, powers / powers.sum(-1, keepdims=True), atol=1e-12)


def test_without_a_long_text_each_is_rope():
    q, k, v = random(3, 1, 2, 6, 8)
    both = {"q_positions": range(6), "k_positions": range(6), "mask": np.tri(6, dtype=bool)}
    expected = attention(q, k, v, encoding=Rotary(), **both)
    for make, _, settings in CASES.values():
        wide = dict.fromkeys(settings, 7) | {"group": 3} if "group" in settings else settings
        wide = {name: max(value, 7) if name != "group" else 3 for name, value in wide.items()}
        found = attention(q, k, v, encoding=MappedRotary(partial(make, **wide)), **both)
        np.testing.assert_allclose(found, expected, atol=1e-12)


@each_map
def test_a_cache_changes_nothing(make, slow, settings):
    x, w = random(2, 9, 8), random(3, 8, 8, seed=1)
    encoding = MappedRotary(partial(make, **settings))

    def attended(tokens, cache, mask):
        return attend(
            x[:, tokens],
            *w,
            num_heads=2,
            encoding=encoding,
            positions=np.arange(9)[tokens],
            mask=mask,
            cache=cache,
        )

    whole, cache, steps = attended(slice(9), None, np.tri(9, dtype=bool)), KeyValueCache(), []
    for step in range(9):
        steps.append(attended(slice(step, step + 1), cache, None))
    np.testing.assert_allclose(np.concatenate(steps, 1), whole, atol=1e-12)


def test_halves_are_summed_in_float32_and_a_batch_has_its_own_positions():
    q = torch.tensor(random(2, 2, 6, 8)).half()
    encoding = MappedRotary(partial(rerope_positions, window=3))
    places = torch.stack([torch.arange(6), torch.arange(6) + 100])
    found = attention(q, q, q, encoding=encoding, q_positions=places, k_positions=places)
    assert found.dtype == torch.float16
    one = attention(
        q[1:].double(),
        q[1:].double(),
        q[1:].double(),
        encoding=encoding,
        q_positions=range(6),
        k_positions=range(6),
    )
    torch.testing.assert_close(found[1:].double(), one, atol=5e-3, rtol=0)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: rerope_positions([0], [0], 0), ValueError, "window must be at least 1, got 0"),
        (lambda: rerope_positions([0], [0], 4, leak=2), ValueError, r"leak must be in \[0, 1\]"),
        (lambda: rerope_positions([np.nan], [0], 4), ValueError, "q_positions must be finite"),
        (lambda: self_extend_positions([0], [0], 4, 0.5), TypeError, "group must be an integer"),
        (lambda: dual_chunk_positions([0], [0], 8, 7), ValueError, "farthest must be at least 8"),
        (lambda: sink_positions([0], "a", 4, 4), TypeError, "k_positions must be real numbers"),
        (lambda: sink_positions(range(10**9), range(10**9), 4, 4), ValueError, "an array of"),
        (lambda: MappedRotary(3), TypeError, "positions must be a function"),
        (lambda: MappedRotary(rerope_positions, 3), TypeError, "rotary must be a rotary encoding"),
    ],
)
def test_bad_input_is_named(call, error, message):
    with pytest.raises(error, match=message):
        call()
