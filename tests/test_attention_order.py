"""What attention sees of the order of tokens, whole, padded or with a cache."""

import itertools

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from posviz.attention import KeyValueCache, attend, attention
from posviz.encodings.alibi import Alibi
from posviz.encodings.doors import NoPosition
from posviz.encodings.rotary import Rotary
from posviz.masks import causal_mask, padding_mask
from tests.every_encoding import (
    D_MODEL,
    ENCODINGS,
    HEAD_DIM,
    HEADS,
    LOOKED_UP,
    RELATIVE,
    dynamic,
    phi,
    random,
    stretched,
)

every_encoding = pytest.mark.parametrize("name", ENCODINGS)


def weights_of_projections(kv_heads=HEADS):
    columns = (D_MODEL, kv_heads * HEAD_DIM, kv_heads * HEAD_DIM)
    return [random(D_MODEL, width, seed=i + 1) / 2 for i, width in enumerate(columns)]


@given(order=st.permutations(range(6)))
def test_without_position_shuffled_tokens_give_shuffled_outputs(order):
    x, weights = random(1, 6, 8), weights_of_projections()
    options = {"num_heads": 2, "encoding": NoPosition(), "positions": range(6)}
    plain, shuffled = (attend(rows, *weights, **options) for rows in (x, x[:, order]))
    np.testing.assert_allclose(shuffled, plain[:, order], atol=1e-13)


@pytest.mark.parametrize("name", [name for name in ENCODINGS if name != "NoPE"])
def test_with_position_they_do_not(name):
    x, weights = random(1, 6, 8), weights_of_projections()
    options = {"num_heads": 2, "encoding": ENCODINGS[name](np.asarray), "positions": range(6)}
    plain, rolled = (attend(rows, *weights, **options) for rows in (x, np.roll(x, 1, axis=1)))
    assert np.abs(rolled - np.roll(plain, 1, axis=1)).max() > 1e-3


def test_alibi_without_a_mask_is_blind_to_reversal():
    """It sees distances, and reversing a sentence keeps them all; a causal mask tells the sides."""
    x, weights = random(1, 6, 8), weights_of_projections()
    options = {"num_heads": 2, "encoding": Alibi(), "positions": range(6)}
    for mask, blind in ((None, True), (causal_mask(range(6), range(6)), False)):
        plain, back = (attend(rows, *weights, mask=mask, **options) for rows in (x, x[:, ::-1]))
        assert bool(np.abs(back - plain[:, ::-1]).max() < 1e-13) is blind


@pytest.mark.parametrize("name", RELATIVE)
@given(shift=st.integers(-1000, 1000))
def test_relative_encodings_see_no_common_shift(name, shift):
    encoding = RELATIVE[name](np.asarray)
    q, k, v = (random(1, 2, 4, 4, seed=seed) for seed in range(3))
    plain, shifted = (
        attention(q, k, v, encoding=encoding, q_positions=places, k_positions=places)
        for places in (range(4), range(shift, shift + 4))
    )
    np.testing.assert_allclose(shifted, plain, atol=1e-10)


@every_encoding
def test_left_padding_changes_nothing_for_the_real_tokens(name):
    x, weights, encoding = random(2, 5, 8), weights_of_projections(), ENCODINGS[name](np.asarray)
    lengths = np.array([3, 5])
    positions = np.arange(5) - (5 - lengths)[:, None]
    mask = causal_mask(positions, positions) & padding_mask(lengths, 5)
    if name in LOOKED_UP:
        positions = positions.clip(0)
    options = {"num_heads": 2, "encoding": encoding}
    found = attend(x, *weights, positions=positions, mask=mask, **options)
    for sentence, length in enumerate(lengths):
        alone = attend(
            x[sentence : sentence + 1, -length:],
            *weights,
            positions=range(length),
            mask=causal_mask(range(length), range(length)),
            **options,
        )
        np.testing.assert_allclose(found[sentence, -length:], alone[0], atol=1e-13)


@pytest.mark.sampled(quick=2)
@every_encoding
@pytest.mark.parametrize("kind", [np.asarray, torch.tensor])
@pytest.mark.parametrize("edges", [(0, 6), (0, 3, 6), (0, 1, 4, 6), range(7)], ids=str)
def test_a_cache_gives_the_same_in_any_number_of_steps(name, kind, edges):
    x, *weights = map(kind, (random(2, 6, 8), *weights_of_projections(kv_heads=1)))
    options = {"num_heads": 2, "encoding": ENCODINGS[name](kind)}
    whole = attend(x, *weights, positions=range(6), mask=causal_mask(range(6), range(6)), **options)
    cache = KeyValueCache()
    for start, stop in itertools.pairwise(edges):
        mask = causal_mask(range(start, stop), range(stop))
        step = attend(
            x[:, start:stop],
            *weights,
            positions=range(start, stop),
            mask=mask,
            cache=cache,
            **options,
        )
        np.testing.assert_allclose(step, whole[:, start:stop], atol=1e-13)
    assert cache.positions.tolist() == list(range(6))
    assert cache.keys.shape[:3] == cache.values.shape[:3] == (2, 1, 6)


@pytest.mark.parametrize("kind", [np.asarray, torch.tensor])
def test_a_cache_holds_the_positions_of_each_sentence(kind):
    x, *weights = map(kind, (random(2, 4, 8), *weights_of_projections()))
    positions, cache = kind(np.arange(4) + np.array([[0], [3]])), KeyValueCache()
    options = {"num_heads": 2, "encoding": Alibi()}
    attend(x[:, :2], *weights, positions=positions[:, :2], cache=cache, **options)
    found = attend(x[:, 2:], *weights, positions=positions[:, 2:], cache=cache, **options)
    whole = attend(x, *weights, positions=positions, **options)
    np.testing.assert_allclose(found, whole[:, 2:], atol=1e-13)


@pytest.mark.parametrize("frequencies", [dynamic, phi], ids=["dynamic NTK", "LongRoPE"])
def test_frequencies_that_follow_the_length_make_cached_keys_wrong(frequencies):
    """Keys were turned when the text was shorter: a cache has to hold them as they were before."""
    x, weights, cache = random(1, 8, 8), weights_of_projections(), KeyValueCache()
    for length in range(1, 9):
        options = {"num_heads": 2, "encoding": stretched(frequencies(length))}
        token = x[:, length - 1 : length]
        last = attend(token, *weights, positions=[length - 1], cache=cache, **options)
        whole = attend(x[:, :length], *weights, positions=range(length), **options)
        difference = np.abs(last[:, 0] - whole[:, -1]).max()
        assert bool(difference < 1e-13) is (length <= 6), length


def test_the_cache_holds_keys_that_have_passed_their_door():
    cache, x, weights = KeyValueCache(), random(1, 1, 8), weights_of_projections()
    attend(x, *weights, num_heads=1, encoding=Rotary(), positions=[3], cache=cache)
    turned = Rotary().at_key((x @ weights[1])[:, None], [3])
    np.testing.assert_allclose(cache.keys, turned)
    np.testing.assert_allclose(cache.values, (x @ weights[2])[:, None])


@pytest.mark.parametrize("kind", [np.arange, torch.arange])
def test_the_cache_keeps_its_own_positions(kind):
    cache, weights, positions = KeyValueCache(), weights_of_projections(), kind(2)
    x, *weights = (np.asarray, torch.tensor)[kind is torch.arange](random(1, 2, 8)), *weights
    if kind is torch.arange:
        weights = [torch.tensor(w) for w in weights]
    attend(x, *weights, num_heads=2, encoding=Rotary(), positions=positions, cache=cache)
    positions += 2
    assert cache.positions.tolist() == [0, 1]


@pytest.mark.parametrize("cache", [{}, [KeyValueCache()], True])
def test_a_cache_is_a_cache(cache):
    with pytest.raises(TypeError, match="cache must be a KeyValueCache or None, got"):
        attend(
            random(1, 2, 8),
            *weights_of_projections(),
            num_heads=2,
            encoding=Rotary(),
            positions=[0, 1],
            cache=cache,
        )


@pytest.mark.parametrize("name", ["RoPE", "ALiBi", "sinusoidal"])
def test_one_row_of_positions_serves_every_sentence(name):
    x, weights = random(3, 4, 8), weights_of_projections()
    options = {"num_heads": 2, "encoding": ENCODINGS[name](np.asarray)}
    plain = attend(x, *weights, positions=range(4), **options)
    np.testing.assert_array_equal(attend(x, *weights, positions=[range(4)], **options), plain)


def test_a_failed_step_leaves_the_cache_as_it_was():
    cache, x, weights = KeyValueCache(), random(1, 2, 8), weights_of_projections()
    options = {"num_heads": 2, "encoding": Rotary(), "cache": cache}
    attend(x, *weights, positions=[0, 1], **options)
    for sentences, positions, mask in (
        (x, [2, 3], np.ones((2, 3), bool)),
        (np.repeat(x, 2, axis=0), [2, 3], None),
        (x[:, :1], [[2, 3]], None),
    ):
        with pytest.raises(ValueError, match=r"mask|cache|positions"):
            attend(sentences, *weights, positions=positions, mask=mask, **options)
        assert cache.positions.tolist() == [0, 1]
        assert cache.keys.shape[2] == cache.values.shape[2] == 2
