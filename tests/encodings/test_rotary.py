"""RoPE against loops, rotation identities and other libraries."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from posviz.encodings.doors import doors
from posviz.encodings.frequencies import (
    Frequencies,
    proportional_frequencies,
    rotary_angles,
    rotary_frequencies,
)
from posviz.encodings.rotary import Rotary, apply_rotary, change_layout, rotation_matrix

LAYOUTS = ("interleaved", "half_split")
both_layouts = pytest.mark.parametrize("layout", LAYOUTS)
POSITIONS = st.integers(-10_000, 100_000)


def random(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def slowly(x, angles, layout):
    """Turn one vector, one pair at a time."""
    turned, pairs = [float(number) for number in x], len(angles)
    for i, angle in enumerate(angles):
        a, b = (2 * i, 2 * i + 1) if layout == "interleaved" else (i, i + pairs)
        turned[a] = x[a] * math.cos(angle) - x[b] * math.sin(angle)
        turned[b] = x[a] * math.sin(angle) + x[b] * math.cos(angle)
    return turned


@both_layouts
@given(pairs=st.integers(1, 4), tail=st.integers(0, 3), length=st.integers(0, 4))
def test_pair_by_pair(layout, pairs, tail, length):
    x, angles = random(2, length, 2 * pairs + tail), random(length, pairs, seed=1)
    found = apply_rotary(x, angles, layout=layout)
    for batch, row in np.ndindex(2, length):
        expected = slowly(x[batch, row], angles[row], layout)
        np.testing.assert_allclose(found[batch, row], expected, atol=1e-14)


def test_a_quarter_turn_is_counter_clockwise():
    np.testing.assert_allclose(
        apply_rotary(np.array([[1.0, 0.0]]), [[math.pi / 2]]), [[0, 1]], atol=1e-16
    )
    np.testing.assert_allclose(rotation_matrix([math.pi / 2]), [[0, -1], [1, 0]], atol=1e-16)


def test_thirty_degrees():
    """(1, 0.5) by 30° is (cos 30° − 0.5 sin 30°, sin 30° + 0.5 cos 30°)."""
    found = apply_rotary(np.array([[1.0, 0.5]]), [[math.pi / 6]])
    np.testing.assert_allclose(found, [[math.sqrt(3) / 2 - 1 / 4, 1 / 2 + math.sqrt(3) / 4]])


@both_layouts
@given(m=POSITIONS, n=POSITIONS)
def test_the_score_is_that_of_the_rotation_by_n_minus_m(layout, m, n):
    q, k = random(2, 1, 8)
    inv_freq = rotary_frequencies(8)
    turned_q = apply_rotary(q, rotary_angles([m], inv_freq), layout=layout)
    turned_k = apply_rotary(k, rotary_angles([n], inv_freq), layout=layout)
    between = rotation_matrix(rotary_angles(n - m, inv_freq), layout=layout)
    assert (turned_q @ turned_k.T).item() == pytest.approx((q @ between @ k.T).item(), abs=1e-9)


def test_the_sign_of_the_offset():
    """q = (1, .5), k = (.3, 1.2), θ = .5, m = 7, n = 4: Re[q k* e^(i·1.5)], not with e^(−i·1.5)."""
    q, k = np.array([[1.0, 0.5]]), np.array([[0.3, 1.2]])
    score = apply_rotary(q, [[3.5]]) @ apply_rotary(k, [[2.0]]).T
    expected = ((1 + 0.5j) * (0.3 - 1.2j) * np.exp(1.5j)).real
    assert score.item() == pytest.approx(expected, abs=1e-14)
    assert score.item() == pytest.approx(1.1110, abs=5e-5)


@both_layouts
@pytest.mark.parametrize(
    ("positions", "score"),
    [((0, 5), 5.536925), ((10, 15), 5.536925), ((5, 0), 10.047676), ((15, 10), 10.047676)],
)
def test_known_scores_of_two_random_vectors(layout, positions, score):
    """q and k are two draws of 64 from torch's generator at seed 42, paired (i, i + 32)."""
    torch.manual_seed(42)
    q, k = torch.randn(64), torch.randn(64)
    inv_freq = rotary_frequencies(64)
    q, k = (
        apply_rotary(
            change_layout(x[None].double(), source="half_split", target=layout),
            rotary_angles([position], inv_freq),
            layout=layout,
        )
        for x, position in zip((q, k), positions, strict=True)
    )
    assert (q @ k.T).item() == pytest.approx(score, abs=2e-6)


@both_layouts
@given(start=st.integers(-(10**6), 10**6), pairs=st.integers(1, 4))
def test_turning_keeps_the_norm_of_each_pair(layout, start, pairs):
    x = random(3, 2 * pairs)
    turned = Rotary(layout=layout).at_query(x[None, None], range(start, start + 3))[0, 0]
    for i in range(pairs):
        pair = [2 * i, 2 * i + 1] if layout == "interleaved" else [i, i + pairs]
        norms = np.linalg.norm(turned[:, pair], axis=-1)
        np.testing.assert_allclose(norms, np.linalg.norm(x[:, pair], axis=-1), rtol=1e-14)


@both_layouts
@given(angles=st.lists(st.floats(-1e4, 1e4), min_size=1, max_size=5))
def test_the_matrix_is_a_rotation_and_does_what_apply_rotary_does(layout, angles):
    matrix = rotation_matrix(angles, layout=layout)
    x = random(1, 2 * len(angles))
    np.testing.assert_allclose(matrix @ matrix.T, np.eye(2 * len(angles)), atol=1e-14)
    assert np.linalg.det(matrix) == pytest.approx(1)
    expected = slowly(x[0], angles, layout)
    np.testing.assert_allclose(matrix @ x[0], expected, atol=1e-14)


def test_matrices_in_batches():
    angles = random(3, 2, 4)
    found = rotation_matrix(torch.tensor(angles), layout="half_split")
    assert found.shape == (3, 2, 8, 8)
    np.testing.assert_allclose(found[2, 1], rotation_matrix(angles[2, 1], layout="half_split"))


@both_layouts
def test_the_attention_factor_spares_the_tail(layout):
    x, angles = random(4, 10), random(4, 3)
    plain = apply_rotary(x, angles, layout=layout)
    found = apply_rotary(x, angles, layout=layout, attention_factor=1.5)
    np.testing.assert_allclose(found[:, :6], 1.5 * plain[:, :6])
    np.testing.assert_array_equal(found[:, 6:], x[:, 6:])


def strided_views():
    """The same numbers, laid out in memory in all the ways that arrays arrive."""
    x = torch.tensor(random(2, 3, 5, 8))
    return {
        "plain": x,
        "heads moved": x.transpose(1, 2).contiguous().transpose(1, 2),
        "odd rows": torch.nn.functional.pad(x, (0, 1))[..., :8],
        "odd start": torch.nn.functional.pad(x, (1, 0))[..., 1:],
        "one number late": torch.cat([torch.zeros(1), x.flatten()])[1:].view(x.shape),
        "transposed": x.transpose(2, 3).contiguous().transpose(2, 3),
        "every second": x.repeat_interleave(2, dim=-1)[..., ::2],
    }


@both_layouts
@pytest.mark.parametrize("x", list(strided_views().values()), ids=list(strided_views()))
def test_no_layout_in_memory_changes_the_numbers(layout, x):
    angles = random(5, 3)
    expected = apply_rotary(random(2, 3, 5, 8), angles, layout=layout)
    source = x.clone()
    np.testing.assert_allclose(apply_rotary(x, angles, layout=layout), expected, atol=1e-14)
    as_numpy = apply_rotary(x.numpy(), angles, layout=layout)
    np.testing.assert_allclose(as_numpy, expected, atol=1e-14)
    assert torch.equal(x, source), "the input was written to"


@both_layouts
def test_gradients_flow_to_x_and_to_the_angles(layout):
    x = torch.tensor(random(2, 3, 10), requires_grad=True)
    angles = torch.tensor(random(3, 4), requires_grad=True)
    assert torch.autograd.gradcheck(lambda x, a: apply_rotary(x, a, layout=layout), (x, angles))
    with_gradients = apply_rotary(x, angles, layout=layout).detach()
    torch.testing.assert_close(
        apply_rotary(x.detach(), angles.detach(), layout=layout), with_gradients
    )


@both_layouts
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16])
def test_every_precision_comes_back_as_it_came(layout, dtype):
    x = torch.tensor(random(4, 8)).to(dtype)
    angles = rotary_angles([0, 1, 1000, 131_072], rotary_frequencies(8))
    found = apply_rotary(x, angles, layout=layout)
    assert found.dtype == dtype
    expected = apply_rotary(x.double(), angles, layout=layout)
    torch.testing.assert_close(found.double(), expected, rtol=torch.finfo(dtype).eps, atol=1e-6)


def test_half_precision_in_numpy():
    found = apply_rotary(random(4, 8).astype(np.float16), random(4, 4))
    assert found.dtype == np.float16


@both_layouts
def test_angles_for_each_sentence_and_each_head(layout):
    x = random(2, 3, 4, 8)
    for shape in ((2, 1, 4, 4), (3, 4, 4), (1, 4), (2, 3, 1, 4)):
        angles = random(*shape, seed=2)
        found = apply_rotary(x, angles, layout=layout)
        full = np.broadcast_to(angles, (2, 3, 4, 4))
        for place in np.ndindex(2, 3, 4):
            np.testing.assert_allclose(found[place], slowly(x[place], full[place], layout))


@pytest.mark.slow("seconds")
@both_layouts
@pytest.mark.parametrize("gradients", [False, True])
def test_torch_compile_reads_it_in_one_piece(layout, gradients):
    x, angles = torch.tensor(random(2, 3, 5, 8)), torch.tensor(random(5, 3))
    x.requires_grad_(gradients)
    compiled = torch.compile(apply_rotary, fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(
        compiled(x, angles, layout=layout), apply_rotary(x, angles, layout=layout)
    )


def test_the_encoding_acts_at_query_and_key():
    assert doors(Rotary()) == ("at_query", "at_key")


def test_given_frequencies_turn_two_dimensions_each():
    q, frequencies = random(2, 3, 4, 10), Frequencies([1.0, 0.1, 0.0], attention_factor=1.5)
    found = Rotary(frequencies=frequencies, layout="half_split").at_query(q, range(4))
    for place in np.ndindex(2, 3, 4):
        position = place[-1]
        turned = slowly(q[place][:6], [position, 0.1 * position, 0.0], "half_split")
        np.testing.assert_allclose(found[place][:6], 1.5 * np.array(turned), atol=1e-14)
        np.testing.assert_array_equal(found[place][6:], q[place][6:])


def test_p_rope_lets_the_slow_pairs_stand():
    q = random(1, 1, 3, 8)
    half = Rotary(frequencies=Frequencies(proportional_frequencies(8, 0.5)))
    found = half.at_query(q, range(3))
    np.testing.assert_allclose(found[..., :4], Rotary().at_query(q, range(3))[..., :4])
    np.testing.assert_array_equal(found[..., 4:], q[..., 4:])


X = np.ones((2, 4, 8))
ANGLES = np.ones((4, 4))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: apply_rotary(X, np.ones((4, 5))), ValueError, r"angles must .* angles \(4, 5\)"),
        (lambda: apply_rotary(X, np.ones((3, 4))), ValueError, "angles must be"),
        (lambda: apply_rotary(X, np.ones((3, 2, 4, 4))), ValueError, "angles must be"),
        (lambda: apply_rotary(X, 1.0), ValueError, "angles must be"),
        (lambda: apply_rotary(np.float64(1), [1.0]), ValueError, "angles must be"),
        (lambda: apply_rotary(X, [[np.nan]]), ValueError, "angles must be finite"),
        (lambda: apply_rotary(X, ANGLES, layout="split"), ValueError, "layout must be one"),
        (lambda: apply_rotary(X.astype(int), ANGLES), TypeError, "x must be floating"),
        (lambda: apply_rotary(X.tolist(), ANGLES), TypeError, "x: expected a NumPy"),
        (lambda: apply_rotary(X, torch.ones(4, 4)), TypeError, "angles must be a NumPy array"),
        (lambda: apply_rotary(X, ANGLES, attention_factor=math.inf), ValueError, "attention_fact"),
        (lambda: rotation_matrix(1.0), ValueError, "angles must be"),
        (lambda: rotation_matrix([1.0], layout="concatenated"), ValueError, "layout must be one"),
        (lambda: rotation_matrix(np.zeros(10**7)), ValueError, "angles: an array of"),
        (lambda: Rotary(base=1), ValueError, "base must be above 1"),
        (lambda: Rotary(rotary_dim=3), ValueError, "rotary_dim must be even"),
        (lambda: Rotary(layout="x"), ValueError, "layout must be one of"),
        (lambda: Rotary(base=10**400), ValueError, "base must be finite"),
        (lambda: Rotary(frequencies=np.ones(2)), TypeError, "must be Frequencies.*got ndarray"),
        (lambda: Rotary().at_query(X, range(3)), ValueError, r"positions must be \[4\]"),
        (lambda: Rotary(base=500, frequencies=Frequencies([1.0])), ValueError, "base and rotary"),
        (
            lambda: Rotary(frequencies=Frequencies(np.ones(5))).at_key(X, range(4)),
            ValueError,
            "rotary_dim must be at most head_dim, 8, got 10",
        ),
        (
            lambda: Rotary(rotary_dim=16).at_query(X, range(4)),
            ValueError,
            "rotary_dim must be at most head_dim, 8, got 16",
        ),
        (lambda: Rotary().at_key(X[..., :7], range(4)), ValueError, "must be even"),
    ],
)
def test_bad_input_is_named(call, error, message):
    with pytest.raises(error, match=message):
        call()
