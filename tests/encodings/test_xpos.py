"""xPos against loops, RoPE and torchscale."""

import math
from itertools import pairwise

import numpy as np
import pytest
import torch
from torchscale.component.xpos_relative_position import XPOS

from posviz import XPos, apply_xpos, change_layout, resolution, xpos_scale
from tests.every_encoding import random

both_layouts = pytest.mark.parametrize("layout", ["interleaved", "half_split"])


def scores_of(q, k, q_positions, k_positions, **options):
    q, k = apply_xpos(q, k, q_positions, k_positions, **options)
    return q @ k.swapaxes(-1, -2)


def slow_score(q, k, offset, gamma, scale_base, base):
    """Each pair as a complex number: q k* ζ^(offset/scale_base) e^(i·offset·inv_freq)."""
    pairs, score = len(q) // 2, 0.0
    for i in range(pairs):
        zeta = (i / pairs + gamma) / (1 + gamma)
        step = complex(math.log(zeta) / scale_base, base ** (-i / pairs))
        product = complex(q[2 * i], q[2 * i + 1]) * complex(k[2 * i], -k[2 * i + 1])
        score += (product * np.exp(offset * step)).real
    return score


def test_known_decay_without_scale_base():
    """At head_dim 16 the second pair has ζ = (1/8 + 0.4)/1.4 = 3/8; the first has 2/7."""
    found = xpos_scale([5, 20, 100, -1, -5], 16, scale_base=1)
    expected = [(3 / 8) ** offset for offset in (5, 20, 100, -1, -5)]
    np.testing.assert_allclose(found[:, 1], expected, rtol=1e-13)
    np.testing.assert_allclose(found[:, 1], [0.0074, 3.0e-9, 2.5e-43, 2.67, 134.8], rtol=0.02)
    assert found[1, 0] == pytest.approx(1.3e-11, rel=0.02)


@both_layouts
@pytest.mark.parametrize(("gamma", "scale_base"), [(0.4, 512.0), (1.0, 30.0)])
def test_scores_pair_by_pair(layout, gamma, scale_base):
    q, k = random(2, 3, 6), random(2, 4, 6, seed=1)
    q_positions, k_positions = [0, 7, 1000], [5, 0, 1000, 990]
    options = {"gamma": gamma, "scale_base": scale_base, "base": 1234.0}
    laid_out = [change_layout(x, source="interleaved", target=layout) for x in (q, k)]
    found = scores_of(*laid_out, q_positions, k_positions, layout=layout, **options)
    for batch, i, j in np.ndindex(2, 3, 4):
        offset = q_positions[i] - k_positions[j]
        expected = slow_score(q[batch, i], k[batch, j], offset, **options)
        assert found[batch, i, j] == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(("q_len", "k_len"), [(7, 7), (3, 20), (1, 64)])
@pytest.mark.parametrize("head_dim", [6, 64])
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


@both_layouts
def test_the_encoding_is_the_function_for_each_sentence(layout):
    q, positions = random(2, 3, 4, 8), np.array([[0, 1, 2, 3], [-2, -1, 0, 1]])
    encoding = XPos(scale_base=30.0, layout=layout)
    found = encoding.at_query(q, positions), encoding.at_key(q, positions)
    places = positions[:, None]
    expected = apply_xpos(q, q, places, places, scale_base=30.0, layout=layout)
    for ours, wanted in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, wanted, atol=1e-13)
    assert (XPos().gamma, XPos().scale_base) == (0.4, 512)


@pytest.mark.parametrize(
    ("dtype", "scale_base", "last"),
    [
        (torch.float32, 512, 36_260),
        (torch.float32, 1, 70),
        (torch.float16, 512, 4_532),
        (torch.float16, 1, 8),
    ],
)
def test_where_numbers_overflow(dtype, scale_base, last):
    """The first pair points to (1, 0) once rotated, so that nothing but its scale counts."""
    exact = math.log(torch.finfo(dtype).max) / math.log(7 / 2) * scale_base
    assert last == math.floor(exact)
    encoding = XPos(scale_base=scale_base)
    for position, overflows in ((last, False), (last + 1, True)):
        cos, sin = math.cos(position), math.sin(position)
        key = encoding.at_key(torch.tensor([[[[cos, -sin, 1, 1]]]], dtype=dtype), [position])
        query = encoding.at_query(torch.tensor([[[[cos, sin, 1, 1]]]], dtype=dtype), [-position])
        for found in (key, query):
            assert found.dtype == dtype
            assert found[..., 0].isinf().item() == overflows
            assert not found[..., 0].isnan()


def test_resolution_term_by_term():
    scores = 3 * random(2, 8)
    for row, found in zip(scores, resolution(scores), strict=True):
        powers = [math.exp(score) for score in row]
        terms = [a * (a - b) for a, b in pairwise(powers)]
        assert found == pytest.approx(math.fsum(terms) / math.fsum(powers) ** 2, rel=1e-9)


def test_resolution_of_two_distances():
    """With e^s of 3 and 1, it is 3 · (3 − 1) / (3 + 1)²."""
    assert resolution(np.log([3.0, 1.0])) == pytest.approx(3 / 8)
    assert resolution(np.log([1.0, 3.0])) == pytest.approx(-1 / 8)


@pytest.mark.parametrize("kind", [np.asarray, torch.tensor])
def test_resolution_where_powers_overflow_or_are_masked(kind):
    scores = [[3e4, 3e4, -np.inf], [-3e4, 2e4, 2e4], [-np.inf] * 3]
    assert resolution(kind(scores)).tolist() == [0.25, 0.0, 0.0]
