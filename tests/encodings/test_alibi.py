"""ALiBi against loops and other libraries."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers.models.bloom.modeling_bloom import build_alibi_tensor
from transformers.models.mpt.modeling_mpt import build_mpt_alibi_tensor
from x_transformers.x_transformers import AlibiPositionalBias

from posviz.encodings.alibi import Alibi, alibi_bias, alibi_slopes
from posviz.encodings.doors import doors
from posviz.encodings.relative import offsets

HEADS = [1, 2, 6, 8, 12, 20, 32, 71]


def test_slopes_of_eight_heads_halve_from_one_half():
    assert alibi_slopes(8).tolist() == [
        1 / 2,
        1 / 4,
        1 / 8,
        1 / 16,
        1 / 32,
        1 / 64,
        1 / 128,
        1 / 256,
    ]


def test_slopes_of_twelve_heads_are_those_of_eight_then_every_second_of_sixteen():
    exponents = [1, 2, 3, 4, 5, 6, 7, 8, 0.5, 1.5, 2.5, 3.5]
    np.testing.assert_allclose(alibi_slopes(12), [2**-x for x in exponents], rtol=1e-15)


@pytest.mark.parametrize("heads", HEADS)
def test_slopes_are_those_of_bloom_and_mpt(heads):
    """Both print slope × key position, so the second key shows the slope."""
    bloom = build_alibi_tensor(torch.ones(1, 2), heads, torch.float32)[:, 0, 1]
    mpt = -build_mpt_alibi_tensor(heads, 2)[:, 0, 0]
    np.testing.assert_allclose(alibi_slopes(heads), bloom, rtol=1e-5)
    np.testing.assert_allclose(alibi_slopes(heads), mpt, rtol=1e-6)


@given(heads=st.integers(1, 200))
def test_slopes_are_distinct_and_no_steeper_than_one(heads):
    slopes = alibi_slopes(heads)
    assert slopes.shape == (heads,)
    assert len(set(slopes.tolist())) == heads
    assert slopes.min() >= 2**-8
    assert slopes.max() < 1


@given(power=st.integers(0, 10))
def test_slopes_of_a_power_of_two_fall_by_one_ratio(power):
    slopes = alibi_slopes(2**power)
    assert (np.diff(slopes) < 0).all()
    np.testing.assert_allclose(slopes[1:] / slopes[:-1], 2 ** (-8 / 2**power))
    assert slopes[-1] == 2**-8


@pytest.mark.parametrize("heads", HEADS)
def test_the_bias_is_that_of_x_transformers(heads):
    theirs = AlibiPositionalBias(heads=heads)(5, 9)  # five queries after four tokens
    ours = alibi_bias(alibi_slopes(heads), offsets(range(4, 9), range(9)))
    np.testing.assert_allclose(ours, theirs, rtol=1e-6)


@pytest.mark.parametrize("kind", [np.array, torch.tensor])
@given(
    q=st.lists(st.integers(-20, 20), min_size=1, max_size=5),
    k=st.lists(st.integers(-20, 20), min_size=1, max_size=5),
)
def test_bias_entry_by_entry(kind, q, k):
    slopes = [0.5, 0.3]
    found = alibi_bias(kind(slopes), offsets(kind(q), kind(k)))
    for h, i, j in np.ndindex(2, len(q), len(k)):
        assert found[h, i, j] == pytest.approx(-slopes[h] * abs(q[i] - k[j]))


@given(q_len=st.integers(1, 6), k_len=st.integers(1, 6), start=st.integers(-3, 9))
def test_consecutive_positions_need_one_number_per_distance(q_len, k_len, start):
    slopes = alibi_slopes(3)
    found = alibi_bias(slopes, offsets(range(start, start + q_len), range(k_len)))
    for h, i, j in np.ndindex(3, q_len, k_len):
        assert found[h, i, j] == -slopes[h] * abs(start + i - j)
    memory = found
    while memory.base is not None:
        memory = memory.base
    assert memory.nbytes == 3 * (q_len + k_len - 1) * 8


def test_batches_of_positions():
    positions = np.array([[0, 1, 2], [0, 0, 1]])
    found = alibi_bias(alibi_slopes(2), offsets(positions, positions))
    assert found.shape == (2, 2, 3, 3)
    expected = alibi_bias(alibi_slopes(2), offsets([0, 0, 1], [0, 0, 1]))
    np.testing.assert_array_equal(found[1], expected)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
def test_the_dtype_is_that_of_the_slopes(dtype):
    slopes = torch.tensor(alibi_slopes(4), dtype=dtype)
    assert alibi_bias(slopes, torch.zeros(2, 2)).dtype == dtype
    slopes = alibi_slopes(4).astype(np.float32)
    assert alibi_bias(slopes, offsets([0, 1], [0, 1])).dtype == np.float32
    assert alibi_bias(slopes, offsets([0, 1], [5, 1])).dtype == np.float32


@pytest.mark.parametrize("heads", [6, 8])
def test_the_row_constant_form_of_bloom_gives_the_same_causal_weights(heads):
    scores = torch.tensor(np.random.default_rng(0).normal(size=(1, heads, 7, 7)))
    hidden = torch.ones(7, 7, dtype=torch.bool).triu(1)
    bloom = build_alibi_tensor(torch.ones(1, 7), heads, torch.float64)
    theirs = (scores + bloom).masked_fill(hidden, -torch.inf).softmax(-1)
    ours = Alibi().at_scores(scores, None, None, torch.arange(7), torch.arange(7))
    torch.testing.assert_close(ours.masked_fill(hidden, -torch.inf).softmax(-1), theirs)


def test_the_encoding_acts_at_the_scores_and_keeps_kind_and_dtype():
    assert doors(Alibi()) == ("at_scores",)
    scores = np.zeros((2, 4, 3, 5), np.float32)
    ours = Alibi().at_scores(scores, None, None, np.arange(2, 5), np.arange(5))
    assert ours.dtype == np.float32
    theirs = Alibi().at_scores(torch.tensor(scores), None, None, range(2, 5), range(5))
    np.testing.assert_allclose(theirs, ours)
    assert theirs.dtype == torch.float32


def test_lists_and_numpy_follow_a_tensor():
    expected = [[[0, -0.5], [-0.5, 0]]]
    assert alibi_bias(torch.tensor([0.5]), [[0, -1], [1, 0]]).tolist() == expected
    assert alibi_bias([0.5], torch.tensor([[0, -1], [1, 0]])).tolist() == expected


def test_gradients_reach_each_offset():
    slopes, apart = torch.tensor([0.5, 0.25]).double(), torch.tensor([[2.0, 1.0], [3.0, 2.0]])
    apart = apart.double().requires_grad_()
    assert torch.autograd.gradcheck(lambda apart: alibi_bias(slopes, apart), apart)


def test_gradients_reach_the_slopes():
    slopes = torch.ones(2, requires_grad=True)
    alibi_bias(slopes, torch.tensor([[0, -1], [1, 0]])).sum().backward()
    assert slopes.grad.tolist() == [-2, -2]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: alibi_slopes(0), ValueError, "num_heads must be at least 1"),
        (lambda: alibi_slopes(2.5), TypeError, "num_heads must be an integer"),
        (lambda: alibi_slopes(10**15), ValueError, "num_heads: an array of"),
        (lambda: alibi_bias(0.5, [[0]]), ValueError, r"slopes must be \[heads\]"),
        (lambda: alibi_bias([1], [[0]]), TypeError, "slopes must be floating-point"),
        (lambda: alibi_bias([0.5], [0]), ValueError, "offsets must be"),
        (lambda: alibi_bias([np.nan], [[0]]), ValueError, "slopes must be finite"),
        (lambda: alibi_bias([0.5], [["a"]]), TypeError, "offsets must be real numbers"),
        (
            lambda: alibi_bias(torch.ones(10**3), torch.zeros(4000, 4000, dtype=torch.int32)),
            ValueError,
            "q_len × k_len: an array of",
        ),
        (
            lambda: alibi_bias(np.ones(10**6), np.arange(10**6).reshape(10**3, -1)),
            ValueError,
            "slopes × offsets: an array of",
        ),
    ],
)
def test_bad_input_is_named(call, error, message):
    with pytest.raises(error, match=message):
        call()
