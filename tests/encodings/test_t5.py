"""T5's buckets against exact arithmetic, and its attention against Hugging Face's."""

from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import T5Config
from transformers.models.t5.modeling_t5 import T5Attention

from posviz.attention import KeyValueCache, attend
from posviz.encodings import t5
from posviz.encodings.doors import doors
from posviz.encodings.relative import offsets
from posviz.encodings.t5 import T5, t5_bias, t5_bucket
from posviz.attention.masks import causal_mask

TABLE = np.random.default_rng(0).normal(size=(32, 3))
RULES = [  # bidirectional, num_buckets, max_distance: T5 first, then odd ones
    (True, 32, 128),
    (False, 32, 128),
    (True, 64, 256),
    (True, 320, 800),
    (True, 4, 2),
    (True, 16, 5),
    (False, 16, 64),
    (False, 7, 50),
    (False, 2, 3),
    (False, 3, 10**6),
]
rules = pytest.mark.parametrize(("bidirectional", "num_buckets", "max_distance"), RULES)


def in_one_direction(distance, buckets, max_distance):
    """Climb bucket by bucket while (d/m)^(n−m) ≥ (max/m)^t, in exact fractions."""
    single = buckets // 2
    if distance < single:
        return distance
    step, power = 0, Fraction(distance, single) ** (buckets - single)
    while single + step + 1 < buckets and power >= Fraction(max_distance, single) ** (step + 1):
        step += 1
    return single + step


def slowly(offset, bidirectional, num_buckets, max_distance):
    if bidirectional:
        later = num_buckets // 2 if offset < 0 else 0
        return later + in_one_direction(abs(offset), num_buckets // 2, max_distance)
    return in_one_direction(max(offset, 0), num_buckets, max_distance)


def ours(found, rule):
    bidirectional, buckets, reach = rule
    return t5_bucket(found, bidirectional=bidirectional, num_buckets=buckets, max_distance=reach)


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_every_offset_is_where_exact_arithmetic_puts_it(rule):
    around = [*range(-300, 301), *(sign * 10**6 + i for sign in (-1, 1) for i in (-1, 0, 1))]
    assert ours(around, rule).tolist() == [slowly(offset, *rule) for offset in around]


def test_a_distance_at_which_a_bucket_starts_exactly():
    """(64/8)^8 is (128/8)^6, but 8 / log(16) * log(8) is less than 6 in float64."""
    assert t5_bucket([63, 64]).tolist() == [8 + 5, 8 + 6]


def test_boundaries_are_found_once_for_all_layers(monkeypatch):
    first = t5_bucket(range(99), num_buckets=40, max_distance=77)
    monkeypatch.setattr(t5, "bisect_left", None)
    assert t5_bucket(range(99), num_buckets=40, max_distance=77).tolist() == first.tolist()
    with pytest.raises(TypeError, match="max_distance must be an integer"):
        t5_bucket([0], num_buckets=40, max_distance=77.0)  # it equals 77, and would be found


def starts(buckets):
    return [0, *(np.flatnonzero(np.diff(buckets)) + 1).tolist()]


def test_where_the_buckets_of_t5_start():
    one_way = t5_bucket(range(1000), bidirectional=False)
    expected = "19 21 24 27 31 35 40 46 52 59 67 77 87 99 113"
    assert starts(one_way) == [*range(17), *map(int, expected.split())]
    assert starts(t5_bucket(range(1000))) == [*range(9), 12, 16, 23, 32, 46, 64, 91]


def test_bucket_16_of_32_is_never_reached():
    found = t5_bucket(range(-1000, 1000)).tolist()
    assert sorted(set(found)) == [*range(16), *range(17, 32)]
    assert t5_bucket([5, -5]).tolist() == [5, 21], "keys after the query are in the upper half"
    assert set(t5_bucket(range(-9, 1), bidirectional=False).tolist()) == {0}


@rules
def test_buckets_are_those_of_hugging_face(bidirectional, num_buckets, max_distance):
    """Their float32 logarithms may err where two buckets meet exactly at an integer, not else."""
    rule = (bidirectional, num_buckets, max_distance)
    relative = torch.arange(-2000, 2001)  # key − query
    theirs = T5Attention._relative_position_bucket(relative, *rule)
    differs = (ours(-relative, rule) != theirs).nonzero().flatten().tolist()
    n = num_buckets // 2 if bidirectional else num_buckets
    m = n // 2
    ties = {
        distance
        for distance in range(m, 2001)
        for t in range(1, n - m + 1)
        if n < 100 and distance ** (n - m) == max_distance**t * m ** (n - m - t)
    }
    assert {abs(relative[place].item()) for place in differs} <= ties


@given(
    half=st.integers(2, 40),
    bidirectional=st.booleans(),
    extra=st.one_of(st.integers(1, 60), st.integers(1, 10**7)),
    distances=st.lists(st.integers(0, 10**8), min_size=2, max_size=6),
)
def test_buckets_never_fall_with_distance_and_end_at_the_last(
    half, bidirectional, extra, distances
):
    buckets = 2 * half if bidirectional else half
    reach = half // 2 + extra
    rule = (bidirectional, buckets, reach)
    found = ours(sorted(distances), rule)
    assert (np.diff(found) >= 0).all()
    assert ours([0, reach, 10**12], rule).tolist() == [0, half - 1, half - 1]
    assert found.tolist() == [slowly(distance, *rule) for distance in sorted(distances)]
    if bidirectional:
        later = ours([-distance for distance in sorted(distances)], rule)
        assert later.tolist() == [b + half * (b > 0) for b in found.tolist()]


def test_the_bias_entry_by_entry_in_any_batch():
    positions = np.array([[0, 1, 2, 3], [0, 0, 0, 1]])
    buckets = t5_bucket(offsets(positions, positions[:, 1:]))
    found = t5_bias(TABLE, buckets)
    assert found.shape == (2, 3, 4, 3)
    for b, h, i, j in np.ndindex(found.shape):
        offset = int(positions[b, i] - positions[b, j + 1])
        assert found[b, h, i, j] == TABLE[slowly(offset, True, 32, 128), h]


@pytest.mark.parametrize("table", [TABLE, torch.tensor(TABLE)], ids=["numpy", "torch"])
@given(q_len=st.integers(1, 6), k_len=st.integers(1, 6), start=st.integers(-9, 30))
def test_consecutive_positions_need_one_number_per_distance(table, q_len, k_len, start):
    found = t5_bias(table, t5_bucket(offsets(range(start, start + q_len), range(k_len))))
    assert found.shape == (3, q_len, k_len)
    for h, i, j in np.ndindex(3, q_len, k_len):
        assert found[h, i, j] == TABLE[slowly(start + i - j, True, 32, 128), h]
    if isinstance(found, np.ndarray):
        memory = found
        while memory.base is not None:
            memory = memory.base
        assert memory.nbytes == 3 * (q_len + k_len - 1) * 8


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16])
def test_torch_and_numpy_agree(dtype):
    positions, table = torch.arange(0, 200, 7), torch.tensor(TABLE, dtype=dtype)
    found = t5_bias(table, t5_bucket(offsets(positions, positions)))
    assert found.dtype == dtype
    expected = t5_bias(TABLE, t5_bucket(offsets(positions.numpy(), positions.numpy())))
    np.testing.assert_allclose(found.double(), expected, rtol=torch.finfo(dtype).eps, atol=1e-6)


def theirs(is_decoder, heads=3, head_dim=6):
    torch.manual_seed(0)
    config = T5Config(
        d_model=10, d_kv=head_dim, num_heads=heads, is_decoder=is_decoder, dropout_rate=0.0
    )
    config._attn_implementation = "eager"
    layer = T5Attention(config, has_relative_attention_bias=True, layer_idx=0)
    layer.o = torch.nn.Identity()
    return layer.double().eval()


def through_our_doors(layer, x, encoding, **options):
    w_q, w_k, w_v = (projection.weight.T for projection in (layer.q, layer.k, layer.v))
    return attend(x, w_q, w_k, w_v, num_heads=layer.n_heads, encoding=encoding, **options)


@pytest.mark.sampled(quick=3)
@pytest.mark.parametrize("heads", [1, 3, 12])
@pytest.mark.parametrize("is_decoder", [False, True])
def test_attention_is_that_of_hugging_face(is_decoder, heads):
    layer, x = theirs(is_decoder, heads), torch.randn(2, 150, 10, dtype=torch.float64)
    encoding = T5(layer.relative_attention_bias.weight, bidirectional=not is_decoder)
    positions, mask = torch.arange(150), None
    if is_decoder:
        mask = causal_mask(positions, positions)
    unmasked = 0 if mask is None else torch.where(mask, 0.0, -torch.inf).double()[None, None]
    expected = layer(x, mask=None if mask is None else unmasked)[0]
    found = through_our_doors(layer, x, encoding, positions=positions, mask=mask)
    torch.testing.assert_close(found, expected, rtol=1e-12, atol=1e-12)
    bias = layer.compute_bias(4, 150, past_seen_tokens=146)[0]
    buckets = t5_bucket(offsets(positions[146:], positions), bidirectional=not is_decoder)
    assert torch.equal(t5_bias(layer.relative_attention_bias.weight, buckets), bias)


def test_a_cache_changes_nothing():
    layer, x = theirs(True), torch.randn(1, 9, 10, dtype=torch.float64)
    encoding = T5(layer.relative_attention_bias.weight, bidirectional=False)
    positions, cache = torch.arange(9), KeyValueCache()
    mask = causal_mask(positions, positions)
    whole = through_our_doors(layer, x, encoding, positions=positions, mask=mask)
    for start, end in ((0, 5), (5, 8), (8, 9)):
        part = {"positions": positions[start:end], "mask": mask[start:end, :end], "cache": cache}
        found = through_our_doors(layer, x[:, start:end], encoding, **part)
        torch.testing.assert_close(found, whole[:, start:end])


@pytest.mark.parametrize("positions", [[30, 31, 32], [0, 9, 25], [[3, 4, 25], [0, 0, 1]]], ids=str)
@pytest.mark.parametrize("kind", [np.array, torch.tensor])
def test_every_option_counts_at_the_door(kind, positions):
    encoding = T5(kind(TABLE[:12]), bidirectional=False, max_distance=40)
    found = encoding.at_scores(kind(np.ones((2, 3, 3, 2))), None, None, positions, kind([1, 2]))
    rows = np.broadcast_to(positions, (2, 3))
    for b, h, i, j in np.ndindex(2, 3, 3, 2):
        expected = 1 + TABLE[slowly(int(rows[b, i]) - (1 + j), False, 12, 40), h]
        assert found[b, h, i, j] == pytest.approx(expected)


def test_gradients_reach_the_table():
    table = torch.tensor(TABLE[:8], requires_grad=True)
    buckets = t5_bucket(offsets(range(9), range(9)), num_buckets=8, max_distance=9)
    assert torch.autograd.gradcheck(lambda rows: t5_bias(rows, buckets), table)


@pytest.mark.parametrize("scores", [np.float64, np.float32, torch.float64, torch.float32], ids=str)
def test_the_encoding_acts_at_the_scores_in_their_dtype(scores):
    encoding = T5(TABLE)
    assert doors(encoding) == ("at_scores",)
    assert encoding.scale(64) == 1
    is_torch = isinstance(scores, torch.dtype)
    zeros = torch.zeros(1, 3, 2, 2, dtype=scores) if is_torch else np.zeros((1, 3, 2, 2), scores)
    found = encoding.at_scores(zeros, None, None, [3, 4], [3, 4])
    assert found.dtype == scores
    np.testing.assert_allclose(found[0, :, 0, 1], TABLE[17], rtol=1e-6)
    np.testing.assert_allclose(found[0, :, 1, 0], TABLE[1], rtol=1e-6)


SCORES = np.zeros((1, 3, 1, 1))


def at_scores(q_positions, k_positions):
    return T5(TABLE).at_scores(SCORES, None, None, q_positions, k_positions)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: t5_bucket([0.0]), TypeError, "offsets must be integers, got dtype float64"),
        (lambda: t5_bucket(["a"]), TypeError, "offsets must be real numbers"),
        (lambda: t5_bucket([0], num_buckets=2), ValueError, "num_buckets must be at least 4"),
        (
            lambda: t5_bucket([0], num_buckets=7),
            ValueError,
            "must be even when bidirectional",
        ),
        (lambda: t5_bucket([0], num_buckets=1026), ValueError, "num_buckets must be at most 1024"),
        (lambda: t5_bucket([0], num_buckets=4.5), TypeError, "num_buckets must be an integer"),
        (lambda: t5_bucket([0], max_distance=8), ValueError, "max_distance must be at least 9"),
        (lambda: t5_bucket([0], max_distance=2**63), ValueError, r"max_distance must be below 2"),
        (lambda: t5_bias(TABLE, [[32]]), IndexError, "buckets must be in 0 … 31 .*, got 32"),
        (lambda: t5_bias(TABLE, [[-1]]), IndexError, "buckets must be in 0 … 31 .*, got -1"),
        (lambda: t5_bias(TABLE, [0]), ValueError, r"buckets must be \[..., q_len, k_len\]"),
        (lambda: t5_bias(TABLE[0], [[0]]), ValueError, r"table must be \[rows, columns\]"),
        (lambda: t5_bias(TABLE, torch.tensor([[0]])), TypeError, "buckets must be a NumPy array"),
        (lambda: T5(TABLE[:5]), ValueError, "must be even when bidirectional"),
        (lambda: T5(TABLE, max_distance=1), ValueError, "max_distance must be at least 9"),
        (lambda: T5(TABLE.tolist()), TypeError, "expected a NumPy array"),
        (lambda: at_scores([0.0], [0]), TypeError, "q_positions must be integers, got dtype float"),
        (lambda: at_scores([0], [0.5]), TypeError, "k_positions must be integers, got dtype float"),
        (
            lambda: T5(TABLE[:, :2]).at_scores(SCORES, None, None, [0], [0]),
            ValueError,
            "table must have the 3 heads of q, got 2",
        ),
        (
            lambda: T5(torch.tensor(TABLE)).at_scores(SCORES, None, None, [0], [0]),
            TypeError,
            "table must be a NumPy array like its companion",
        ),
    ],
)
def test_bad_input_is_named(call, error, message):
    with pytest.raises(error, match=message):
        call()
