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
from posviz.encodings.sinusoidal import Sinusoidal
from posviz.masks import causal_mask, padding_mask

ENCODINGS = [NoPosition(), Sinusoidal(), Rotary(), Rotary(layout="half_split"), Alibi()]
every_encoding = pytest.mark.parametrize("encoding", ENCODINGS, ids=repr)
RELATIVE = [NoPosition(), Rotary(), Rotary(rotary_dim=2), Alibi()]


def random(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def weights_of_projections(d_model=8, kv_columns=8):
    columns = (d_model, kv_columns, kv_columns)
    return [random(d_model, width, seed=i + 1) / 2 for i, width in enumerate(columns)]


@given(order=st.permutations(range(6)))
def test_without_position_shuffled_tokens_give_shuffled_outputs(order):
    x, weights = random(1, 6, 8), weights_of_projections()
    options = {"num_heads": 2, "encoding": NoPosition(), "positions": range(6)}
    plain, shuffled = (attend(rows, *weights, **options) for rows in (x, x[:, order]))
    np.testing.assert_allclose(shuffled, plain[:, order], atol=1e-13)


@pytest.mark.parametrize("encoding", ENCODINGS[1:], ids=repr)
def test_with_position_they_do_not(encoding):
    x, weights = random(1, 6, 8), weights_of_projections()
    options = {"num_heads": 2, "encoding": encoding, "positions": range(6)}
    plain, rolled = (attend(rows, *weights, **options) for rows in (x, np.roll(x, 1, axis=1)))
    assert np.abs(rolled - np.roll(plain, 1, axis=1)).max() > 1e-3


def test_alibi_without_a_mask_is_blind_to_reversal():
    """It sees distances, and reversing a sentence keeps them all; a causal mask tells the sides."""
    x, weights = random(1, 6, 8), weights_of_projections()
    options = {"num_heads": 2, "encoding": Alibi(), "positions": range(6)}
    for mask, blind in ((None, True), (causal_mask(range(6), range(6)), False)):
        plain, back = (attend(rows, *weights, mask=mask, **options) for rows in (x, x[:, ::-1]))
        assert bool(np.abs(back - plain[:, ::-1]).max() < 1e-13) is blind


@pytest.mark.parametrize("encoding", RELATIVE, ids=repr)
@given(shift=st.integers(-1000, 1000))
def test_relative_encodings_see_no_common_shift(encoding, shift):
    q, k, v = (random(1, 2, 4, 4, seed=seed) for seed in range(3))
    plain, shifted = (
        attention(q, k, v, encoding=encoding, q_positions=places, k_positions=places)
        for places in (range(4), range(shift, shift + 4))
    )
    np.testing.assert_allclose(shifted, plain, atol=1e-10)


@every_encoding
def test_left_padding_changes_nothing_for_the_real_tokens(encoding):
    x, weights = random(2, 5, 8), weights_of_projections()
    lengths = np.array([3, 5])
    positions = np.arange(5) - (5 - lengths)[:, None]
    mask = causal_mask(positions, positions) & padding_mask(lengths, 5)
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


@every_encoding
@pytest.mark.parametrize("kind", [np.asarray, torch.tensor])
@given(cuts=st.sets(st.integers(1, 5)))
def test_a_cache_gives_the_same_in_any_number_of_steps(encoding, kind, cuts):
    x, *weights = map(kind, (random(2, 6, 8), *weights_of_projections(8, 4)))
    options = {"num_heads": 4, "encoding": encoding}
    whole = attend(x, *weights, positions=range(6), mask=causal_mask(range(6), range(6)), **options)
    cache, edges = KeyValueCache(), [0, *sorted(cuts), 6]
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
    assert tuple(cache.keys.shape) == tuple(cache.values.shape) == (2, 2, 6, 2)


def test_the_cache_holds_keys_that_have_passed_their_door():
    cache, x, weights = KeyValueCache(), random(1, 1, 8), weights_of_projections()
    attend(x, *weights, num_heads=1, encoding=Rotary(), positions=[3], cache=cache)
    turned = Rotary().at_key((x @ weights[1])[:, None], [3])
    np.testing.assert_allclose(cache.keys, turned)
    np.testing.assert_allclose(cache.values, (x @ weights[2])[:, None])


def test_a_failed_step_leaves_the_cache_as_it_was():
    cache, x, weights = KeyValueCache(), random(1, 2, 8), weights_of_projections()
    options = {"num_heads": 2, "encoding": Rotary(), "cache": cache}
    attend(x, *weights, positions=[0, 1], **options)
    for sentences, positions, mask in (
        (x, [2, 3], np.ones((2, 3), bool)),
        (np.repeat(x, 2, axis=0), [2, 3], None),
        (x, [[2, 3]], None),
    ):
        with pytest.raises(ValueError, match=r"mask|cache"):
            attend(sentences, *weights, positions=positions, mask=mask, **options)
        assert cache.positions.tolist() == [0, 1]
        assert cache.keys.shape[2] == cache.values.shape[2] == 2
