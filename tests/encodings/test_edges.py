"""Every encoding where there is nothing, and with odd bytes, halves and gradients."""

import numpy as np
import pytest
import torch

import posviz
from posviz.attention import KeyValueCache, attend, attention, softmax
from tests.every_encoding import (
    D_MODEL,
    ENCODINGS,
    FROM_INPUT,
    HEAD_DIM,
    HEADS,
    WHOLE,
    at_doors,
    random,
)

every_encoding = pytest.mark.parametrize("name", ENCODINGS)
both_kinds = pytest.mark.parametrize("kind", [np.asarray, torch.tensor])
at_the_doors = pytest.mark.parametrize(
    "name", [name for name in ENCODINGS if name not in ("sinusoidal", "learned")]
)
W = [random(D_MODEL, D_MODEL, seed=seed) for seed in (1, 2, 3)]
QKV = [random(2, HEADS, 5, HEAD_DIM, seed=seed) for seed in (1, 2, 3)]


# ---------------------------------------------------------------- nothing


@every_encoding
@both_kinds
@pytest.mark.parametrize(("batch", "length"), [(2, 0), (0, 3), (0, 0)])
def test_attend_with_nothing_to_attend_from(name, kind, batch, length):
    encoding, w, cache = ENCODINGS[name](kind), list(map(kind, W)), KeyValueCache()
    x = kind(np.zeros((batch, length, D_MODEL)))
    options = {"num_heads": HEADS, "encoding": encoding}
    assert attend(x, *w, positions=list(range(length)), **options).shape == x.shape
    attend(kind(np.ones((batch, 2, D_MODEL))), *w, positions=range(2), cache=cache, **options)
    positions = list(range(2, 2 + length))
    assert attend(x, *w, positions=positions, cache=cache, **options).shape == x.shape
    assert tuple(cache.values.shape) == (batch, HEADS, 2 + length, HEAD_DIM)
    assert cache.keys.shape[:3] == cache.values.shape[:3]


@pytest.mark.parametrize(
    "name", [name for name in ENCODINGS if name not in ("sinusoidal", "learned", *FROM_INPUT)]
)
@both_kinds
@pytest.mark.parametrize(("q_len", "k_len"), [(3, 0), (0, 3), (0, 0)])
def test_attention_with_no_queries_or_no_keys(name, kind, q_len, k_len):
    q, k = (kind(np.ones((1, HEADS, length, HEAD_DIM))) for length in (q_len, k_len))
    places = {"q_positions": list(range(q_len)), "k_positions": list(range(k_len))}
    found = attention(q, k, k, encoding=ENCODINGS[name](kind), **places)
    assert found.shape == q.shape
    assert not found.any()


@both_kinds
@pytest.mark.parametrize(("q_len", "k_len"), [(0, 3), (0, 0), (2, 0)])
def test_no_query_has_no_row_of_shifted_scores(kind, q_len, k_len):
    scores = kind(np.ones((2, q_len, q_len + k_len)))
    found = posviz.rel_shift(scores, bidirectional=True)
    assert tuple(found.shape) == (2, q_len, k_len)
    if q_len <= k_len:
        scores = kind(np.ones((2, q_len, k_len)))
        assert posviz.rel_shift(scores).shape == scores.shape


@both_kinds
@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (0, 3)])
def test_softmax_of_nothing_and_of_one_number(kind, shape):
    found = softmax(kind(np.ones(shape)))
    assert tuple(found.shape) == shape
    assert (np.asarray(found) == 1).all()


# ---------------------------------------------------------------- bytes and halves


@at_the_doors
@pytest.mark.parametrize("size", [8, 4, 2])
def test_the_order_of_bytes_changes_no_number(name, size):
    def run(order):
        def kind(array):
            return np.asarray(array, f"{order}{array.dtype.kind}{size}")

        q, k, v = map(kind, QKV)
        places = {"q_positions": kind(np.arange(5)), "k_positions": kind(np.arange(5))}
        return attention(q, k, v, encoding=at_doors(name, kind), **places)

    np.testing.assert_array_equal(run(">"), run("<"))


@pytest.mark.parametrize("layout", ["interleaved", "half_split"])
def test_positions_in_other_bytes_turn_a_tensor(layout):
    q, rope = torch.tensor(random(1, 2, 3, 4)), posviz.Rotary(layout=layout)
    torch.testing.assert_close(
        rope.at_query(q, np.arange(3, dtype=">i4")), rope.at_query(q, range(3))
    )


@pytest.mark.parametrize("dtype", [np.float16, torch.float16, torch.bfloat16])
def test_softmax_sums_halves_in_float32(dtype):
    """70,000 is beyond the largest float16, and 256 + 1 is 256 in bfloat16."""
    zeros = torch.zeros if isinstance(dtype, torch.dtype) else np.zeros
    found = softmax(zeros(70_000, dtype=dtype))
    assert found.dtype == dtype
    np.testing.assert_allclose(
        found.astype(float) if dtype is np.float16 else found.double(), 1 / 70_000, rtol=0.01
    )


@both_kinds
def test_no_distance_wraps_around_or_overflows(kind):
    offsets = kind(np.array([[-128]], np.int8))
    assert posviz.alibi_bias(kind([0.5]), offsets).tolist() == [[[-64]]]
    far = kind(np.array([[99_968]]))
    found = posviz.alibi_bias(kind(np.array([0.5], np.float16)), far)
    assert found.tolist() == [[[-49_984]]]
    assert "float16" in str(found.dtype)


@pytest.mark.parametrize("layout", ["interleaved", "half_split"])
@pytest.mark.parametrize("rotary_dim", [64, 32])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_many_halves_turn_as_few_do(layout, rotary_dim, dtype):
    """More than a piece of them, the last one shorter; each sentence at positions of its own."""
    x = torch.tensor(random(2, 2, 2500, 64)).to(dtype)
    positions = torch.stack([torch.arange(2500), torch.arange(2500) + 131_072])
    rope = posviz.Rotary(rotary_dim=rotary_dim, layout=layout)
    expected = rope.at_query(x.float(), positions).to(dtype)
    assert torch.equal(rope.at_query(x, positions), expected)
    angles = posviz.rotary_angles([3], posviz.rotary_frequencies(rotary_dim))
    expected = posviz.apply_rotary(x.float(), angles, layout=layout).to(dtype)
    assert torch.equal(posviz.apply_rotary(x, angles, layout=layout), expected)


@pytest.mark.parametrize("shape", [(2, 2, 2500, 64), (2049, 1, 1, 256)], ids=["long", "wide"])
def test_many_halves_are_turned_elsewhere(shape):
    """The caller's own stay; of one token in many sentences, a piece is no less than all."""
    x, positions = torch.ones(shape).bfloat16(), range(3, 3 + shape[2])
    found = posviz.Rotary().at_query(x, positions)
    assert (x == 1).all()
    assert torch.equal(found, posviz.Rotary().at_query(x.float(), positions).bfloat16())


# ---------------------------------------------------------------- torch's autocast and gradients


@at_the_doors
def test_within_autocast_all_encodings_return_bfloat16(name):
    q, k, v = (torch.tensor(array).float() for array in QKV)
    encoding = at_doors(name, lambda array: torch.tensor(array).to(torch.float32))
    with torch.autocast("cpu", torch.bfloat16):
        found = attention(q, k, v, encoding=encoding, q_positions=range(5), k_positions=range(5))
    assert found.dtype == torch.bfloat16


@pytest.mark.parametrize("layout", ["interleaved", "half_split"])
def test_the_attention_factor_can_be_learned(layout):
    q, rates = torch.tensor(random(1, 2, 3, 4)), posviz.rotary_frequencies(4)
    factor = torch.tensor(1.5, dtype=torch.float64, requires_grad=True)

    def door(factor):
        frequencies = posviz.Frequencies(rates, factor)
        return posviz.Rotary(frequencies=frequencies, layout=layout).at_query(q, range(3))

    def function(factor):
        angles = posviz.rotary_angles(range(3), rates)
        return posviz.apply_rotary(q, angles, layout=layout, attention_factor=factor)

    for run in (door, function):
        assert torch.autograd.gradcheck(run, factor)
        torch.testing.assert_close(run(factor), run(1.5))
    with pytest.raises(TypeError, match="attention_factor must be a NumPy array"):
        posviz.apply_rotary(q.numpy(), np.ones((3, 2)), attention_factor=factor)
    with pytest.raises(ValueError, match="attention_factor must be finite"):
        posviz.apply_rotary(q, np.ones((3, 2)), attention_factor=factor * torch.nan)


ORDER = ("NoPE", "FoX", "PaTH", "CoPE")  # what they read of positions, if anything, is the order


@pytest.mark.parametrize("name", [name for name in ENCODINGS if name not in (*ORDER, *WHOLE)])
def test_gradients_reach_positions(name):
    x, *w = map(torch.tensor, (random(1, 3, D_MODEL), *W))
    positions = torch.tensor([0.5, 2.0, 3.0], dtype=torch.float64, requires_grad=True)
    options = {"num_heads": HEADS, "encoding": ENCODINGS[name](torch.tensor)}
    assert torch.autograd.gradcheck(lambda p: attend(x, *w, positions=p, **options), positions)
    # Positions in a run are no shorter way past the gradient.
    run = torch.arange(3.0, dtype=torch.float64, requires_grad=True)
    [gradient] = torch.autograd.grad(attend(x, *w, positions=run, **options)[..., 0].sum(), run)
    assert gradient.abs().max() > 1e-6
