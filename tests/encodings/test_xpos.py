"""xPos against loops, RoPE, torchscale and other libraries."""

import math
from itertools import pairwise

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from rotary_embedding_torch import RotaryEmbedding
from torchscale.component.xpos_relative_position import XPOS

from posviz.encodings.doors import doors
from posviz.encodings.rotary import Rotary, change_layout
from posviz.encodings.xpos import XPos, apply_xpos, resolution, xpos_scale

both_layouts = pytest.mark.parametrize("layout", ["interleaved", "half_split"])
kinds = pytest.mark.parametrize("kind", [np.array, torch.tensor])


def random(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def rounding(dtype):
    """Halves are computed in float32 and rounded once, by half an eps; others at each step."""
    return torch.finfo(dtype).eps * (4 if dtype in (torch.float32, torch.float64) else 0.501)


def scores_of(q, k, q_positions, k_positions, **options):
    q, k = apply_xpos(q, k, q_positions, k_positions, **options)
    return q @ k.swapaxes(-1, -2)


def slow_score(q, k, offset, gamma, scale_base, base=10_000.0):
    """Each pair as a complex number: q k* ζ^(offset/scale_base) e^(i·offset·inv_freq)."""
    pairs, score = len(q) // 2, 0.0
    for i in range(pairs):
        zeta = (i / pairs + gamma) / (1 + gamma)
        turn = complex(math.log(zeta) / scale_base, base ** (-i / pairs))
        product = complex(q[2 * i], q[2 * i + 1]) * complex(k[2 * i], -k[2 * i + 1])
        score += (product * np.exp(offset * turn)).real
    return score


@kinds
@given(positions=st.lists(st.integers(-1000, 10**6), max_size=4), pairs=st.integers(1, 6))
def test_scales_one_by_one(kind, positions, pairs):
    found = xpos_scale(kind(positions), 2 * pairs, gamma=0.3, scale_base=700.0)
    assert tuple(found.shape) == (len(positions), pairs)
    for (t, i), scale in np.ndenumerate(np.asarray(found)):
        expected = ((2 * i / (2 * pairs) + 0.3) / 1.3) ** (positions[t] / 700)
        assert scale == pytest.approx(expected, rel=1e-11)


def test_known_decay_without_scale_base():
    """At head_dim 16 the second pair has ζ = (1/8 + 0.4)/1.4 = 3/8; the first has 2/7."""
    found = xpos_scale([5, 20, 100, -1, -5], 16, scale_base=1)
    expected = [(3 / 8) ** offset for offset in (5, 20, 100, -1, -5)]
    np.testing.assert_allclose(found[:, 1], expected, rtol=1e-13)
    np.testing.assert_allclose(found[:, 1], [0.0074, 3.0e-9, 2.5e-43, 2.67, 134.8], rtol=0.02)
    assert found[1, 0] == pytest.approx(1.3e-11, rel=0.02)


@both_layouts
@pytest.mark.parametrize("head_dim", [2, 6, 16])
@pytest.mark.parametrize(("gamma", "scale_base"), [(0.4, 512.0), (1.0, 30.0)])
def test_scores_pair_by_pair(layout, head_dim, gamma, scale_base):
    q, k = random(2, 3, head_dim), random(2, 4, head_dim, seed=1)
    q_positions, k_positions = [0, 7, 1000], [5, 0, 1000, 990]
    options = {"gamma": gamma, "scale_base": scale_base, "base": 1234.0}
    found = scores_of(
        *(change_layout(x, source="interleaved", target=layout) for x in (q, k)),
        *(q_positions, k_positions),
        layout=layout,
        **options,
    )
    for batch, i, j in np.ndindex(2, 3, 4):
        offset = q_positions[i] - k_positions[j]
        expected = slow_score(q[batch, i], k[batch, j], offset, **options)
        assert found[batch, i, j] == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(("q_len", "k_len"), [(1, 1), (7, 7), (20, 20), (3, 20), (1, 64)])
@pytest.mark.parametrize("head_dim", [2, 6, 16, 64])
@pytest.mark.parametrize("scale_base", [512, 16])
def test_causal_scores_are_those_of_torchscale(q_len, k_len, head_dim, scale_base):
    """torchscale centres the positions, of cached keys too, and computes in float32."""
    theirs = XPOS(head_dim, scale_base)
    q, k = (
        torch.tensor(random(2, length, head_dim, seed=length), dtype=torch.float32)
        for length in (q_len, k_len)
    )
    offset = k_len - q_len
    expected = theirs(q, offset=offset) @ theirs(k, downscale=True).mT
    q_positions, k_positions = torch.arange(offset, k_len), torch.arange(k_len)
    found = scores_of(q.double(), k.double(), q_positions, k_positions, scale_base=scale_base)
    causal = q_positions[:, None] >= k_positions
    torch.testing.assert_close(found[:, causal].float(), expected[:, causal], atol=1e-3, rtol=1e-4)


@pytest.mark.parametrize("length", [1, 6, 33])
def test_causal_scores_are_those_of_rotary_embedding_torch(length):
    q, k = (torch.tensor(random(1, 3, length, 12, seed=seed)).float() for seed in (0, 1))
    theirs = RotaryEmbedding(12, use_xpos=True, cache_if_possible=False)
    their_q, their_k = theirs.rotate_queries_and_keys(q, k)
    positions = torch.arange(length)
    found = scores_of(q, k, positions, positions)
    torch.testing.assert_close(found.tril(), (their_q @ their_k.mT).tril(), atol=1e-4, rtol=1e-4)


@both_layouts
def test_with_an_endless_gamma_it_is_rope(layout):
    x = random(2, 3, 5, 8)
    xpos, rope = XPos(gamma=1e12, layout=layout), Rotary(layout=layout)
    positions = range(100, 105)
    for door in ("at_query", "at_key"):
        found = getattr(xpos, door)(x, positions)
        np.testing.assert_allclose(found, getattr(rope, door)(x, positions), atol=1e-11)


@pytest.mark.slow("seconds")
@both_layouts
@given(centre=st.integers(-3000, 3000), q_at=st.integers(0, 2000), k_at=st.integers(0, 2000))
def test_a_common_centre_cancels(layout, centre, q_at, k_at):
    q, k = random(2, 1, 6)
    plain = scores_of(q, k, [q_at], [k_at], layout=layout)
    moved = scores_of(q, k, [q_at - centre], [k_at - centre], layout=layout)
    np.testing.assert_allclose(moved, plain, rtol=1e-8, atol=1e-8)


@given(pair=st.integers(0, 3), near=st.integers(0, 500), step=st.integers(1, 500))
def test_the_past_fades_and_the_future_is_amplified(pair, near, step):
    """With one pair alone, the ratio to the score of RoPE is ζ^(offset/scale_base)."""
    q = np.zeros((1, 8))
    q[0, 2 * pair : 2 * pair + 2] = 0.6, 0.8
    here = 1000
    offsets = [near + step, near, 0, -near, -near - step]
    keys = np.repeat(q, 5, axis=0)
    positions = [here - offset for offset in offsets]
    lengths = np.linalg.norm(apply_xpos(q, keys, [here], positions)[1], axis=-1)
    lengths *= np.linalg.norm(apply_xpos(q, keys, [here], positions)[0])
    assert lengths[0] < lengths[1] <= lengths[2] <= lengths[3] < lengths[4]
    assert lengths[2] == pytest.approx(1)
    zeta = (pair / 4 + 0.4) / 1.4
    assert lengths[0] == pytest.approx(zeta ** ((near + step) / 512), rel=1e-9)


def test_cached_keys_do_not_depend_on_the_length():
    k = torch.tensor(random(2, 3, 9, 8))
    together = XPos().at_key(k, range(9))
    one_by_one = [XPos().at_key(k[:, :, t : t + 1], [t]) for t in range(9)]
    torch.testing.assert_close(torch.cat(one_by_one, dim=2), together)


@both_layouts
@kinds
def test_positions_for_each_sentence(layout, kind):
    """Left padding: the second sentence starts two places late, in all of its heads."""
    x, positions = kind(random(2, 3, 4, 8)), np.array([[0, 1, 2, 3], [-2, -1, 0, 1]])
    encoding = XPos(layout=layout)
    for door in (encoding.at_query, encoding.at_key):
        found = door(x, kind(positions))
        for batch in range(2):
            expected = door(x[batch : batch + 1], positions[batch])
            np.testing.assert_allclose(found[batch : batch + 1], expected)


@pytest.mark.parametrize(
    ("dtype", "scale_base", "last"),
    [
        (torch.float32, 512, 36_260),
        (torch.float32, 1, 70),
        (torch.float16, 512, 4_532),
        (torch.float16, 1, 8),
        (torch.float64, 512, 100_000),
    ],
)
def test_where_numbers_overflow(dtype, scale_base, last):
    """The first pair points to (1, 0) once turned, so that nothing but its scale counts."""
    exact = math.log(torch.finfo(dtype).max) / math.log(7 / 2) * scale_base
    if dtype != torch.float64:
        assert last == math.floor(exact)
    encoding = XPos(scale_base=scale_base)
    for position, overflows in ((last, False), (last + 1, dtype != torch.float64)):
        cos, sin = math.cos(position), math.sin(position)
        key = encoding.at_key(torch.tensor([[[[cos, -sin, 1, 1]]]], dtype=dtype), [position])
        query = encoding.at_query(torch.tensor([[[[cos, sin, 1, 1]]]], dtype=dtype), [-position])
        for found in (key, query):
            assert found.dtype == dtype
            assert found[..., 0].isinf().item() == overflows
            assert not found.isnan().any()


@both_layouts
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16])
def test_every_precision_comes_back_as_it_came(layout, dtype):
    q, k = (torch.tensor(random(2, 4, 8, seed=seed)).to(dtype) for seed in (0, 1))
    positions = [0, 1, 200, 1000]
    found = apply_xpos(q, k, positions, positions, layout=layout)
    wide = apply_xpos(q.double(), k.double(), positions, positions, layout=layout)
    as_numpy = apply_xpos(*(x.double().numpy() for x in (q, k)), *[positions] * 2, layout=layout)
    for ours, exact, other in zip(found, wide, as_numpy, strict=True):
        assert ours.dtype == dtype
        torch.testing.assert_close(ours.double(), exact, rtol=rounding(dtype), atol=1e-6)
        np.testing.assert_allclose(exact, other, rtol=1e-13, atol=1e-13)


def test_half_precision_in_numpy():
    x = random(1, 2, 3, 8).astype(np.float16)
    assert XPos().at_key(x, range(3)).dtype == np.float16


@both_layouts
def test_gradients_flow_to_q_and_k(layout):
    q, k = (torch.tensor(random(2, 3, 6, seed=seed), requires_grad=True) for seed in (0, 1))
    assert torch.autograd.gradcheck(
        lambda q, k: apply_xpos(q, k, [5, 6, 7], [600, 0, 1], layout=layout), (q, k)
    )


def test_the_encoding_acts_at_query_and_key():
    assert doors(XPos()) == ("at_query", "at_key")


@kinds
@given(scores=st.lists(st.floats(-30, 30), min_size=2, max_size=8))
def test_resolution_term_by_term(kind, scores):
    powers = [math.exp(score) for score in scores]
    terms = [a * (a - b) for a, b in pairwise(powers)]
    found = resolution(kind(np.array([scores, scores])))
    expected = math.fsum(terms) / math.fsum(powers) ** 2
    np.testing.assert_allclose(found, [expected, expected], rtol=1e-9, atol=1e-12)


def test_resolution_of_two_distances():
    """With e^s of 3 and 1, it is 3 · (3 − 1) / (3 + 1)²."""
    assert resolution(np.log([3.0, 1.0])) == pytest.approx(3 / 8)
    assert resolution(np.log([1.0, 3.0])) == pytest.approx(-1 / 8)
    assert resolution(np.array([5.0, 5.0, 5.0])) == 0


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_resolution_in_every_precision(dtype):
    scores = torch.tensor(random(20, 9)).to(dtype)
    found = resolution(scores).double()
    torch.testing.assert_close(found, resolution(scores.double()), rtol=rounding(dtype), atol=1e-6)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
def test_resolution_where_powers_overflow_or_are_masked(dtype):
    scores = torch.tensor([[3e4, 3e4, -torch.inf], [-3e4, 2e4, 2e4], [-torch.inf] * 3], dtype=dtype)
    found = resolution(scores)
    assert found.dtype == dtype
    assert found.tolist() == [0.25, 0.0, 0.0]


def test_gradients_flow_to_the_scores_of_a_resolution():
    scores = torch.tensor(random(2, 5), requires_grad=True)
    assert torch.autograd.gradcheck(resolution, scores)


Q, AT = np.ones((2, 4, 8)), range(4)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: xpos_scale([0], 7), ValueError, "head_dim must be even"),
        (lambda: xpos_scale([np.nan], 8), ValueError, "positions must be finite"),
        (lambda: xpos_scale(["a"], 8), TypeError, "positions must be real numbers"),
        (lambda: xpos_scale([0], 8, gamma=0), ValueError, "gamma must be above 0, got 0"),
        (lambda: xpos_scale([0], 8, scale_base=-1), ValueError, "scale_base must be above 0"),
        (lambda: xpos_scale(np.zeros(10**7), 10**6), ValueError, "positions × pairs: an array of"),
        (lambda: apply_xpos(Q, Q[..., :6], AT, AT), ValueError, "q and k must share head_dim, got"),
        (lambda: apply_xpos(Q[..., :7], Q[..., :7], AT, AT), ValueError, "head_dim must be even"),
        (lambda: apply_xpos(Q, Q, AT, range(5)), ValueError, r"k must be .* positions \(5,\)"),
        (lambda: apply_xpos(Q, Q, [AT] * 3, AT), ValueError, r"q must be .* positions \(3, 4\)"),
        (lambda: apply_xpos(Q[0, 0], Q, 0, AT), ValueError, r"q must be \[..., len, head_dim\]"),
        (lambda: apply_xpos(Q, Q, AT, [np.inf] * 4), ValueError, "k_positions must be finite"),
        (lambda: apply_xpos(Q, Q, AT, torch.arange(4)), TypeError, "k_positions must be a NumPy"),
        (lambda: apply_xpos(Q, Q.astype(np.float32), AT, AT), TypeError, "q, k must share one"),
        (lambda: apply_xpos(Q, torch.ones(2, 4, 8), AT, AT), TypeError, "q, k: NumPy arrays and"),
        (lambda: apply_xpos(Q.astype(int), Q.astype(int), AT, AT), TypeError, "q must be floating"),
        (lambda: apply_xpos(Q, Q, AT, AT, base=1), ValueError, "base must be above 1"),
        (lambda: apply_xpos(Q, Q, AT, AT, layout="x"), ValueError, "layout must be one of"),
        (lambda: XPos(base=0), ValueError, "base must be above 1"),
        (lambda: XPos(gamma="a"), TypeError, "gamma must be a real number"),
        (lambda: XPos(scale_base=0), ValueError, "scale_base must be above 0"),
        (lambda: XPos(layout="x"), ValueError, "layout must be one of"),
        (lambda: XPos().at_query(Q[None], range(3)), ValueError, "positions must be"),
        (lambda: XPos().at_key([[1.0]], [0]), TypeError, "expected a NumPy array"),
        (lambda: resolution(np.array([1.0])), ValueError, "scores must be .* at least 2"),
        (lambda: resolution(np.array([1, 2])), TypeError, "scores must be floating-point"),
    ],
)
def test_bad_input_is_named(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_by_default_it_is_that_of_the_paper():
    assert (XPos().gamma, XPos().scale_base) == (0.4, 512)
