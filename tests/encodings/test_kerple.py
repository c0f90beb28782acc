"""Kerple's two falls, number by number, beside the released formulas and ALiBi."""

import math

import numpy as np
import pytest
import torch

from posviz.attention import attention
from posviz.encodings.alibi import Alibi, alibi_bias, alibi_slopes
from posviz.encodings.kerple import KerpleLog, KerplePower, kerple_log_bias, kerple_power_bias
from posviz.encodings.relative import offsets

R1, R2 = np.array([0.5, 2.0, 0.01]), np.array([1.5, 0.3, 2.0])
KINDS = pytest.mark.parametrize("kind", [np.array, torch.tensor])
RULES = {
    kerple_log_bias: lambda r1, r2, apart: -r1 * math.log(1 + r2 * apart),
    kerple_power_bias: lambda r1, r2, apart: -r1 * apart**r2,
}
OBJECTS = {kerple_log_bias: KerpleLog, kerple_power_bias: KerplePower}
both = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)


@both
@KINDS
@pytest.mark.parametrize("positions", [[0, 1, 2, 3, 4], [[3, 3, 9, 0, 1], [0, 1, 2, 3, 4]]])
def test_number_by_number_at_the_function_and_at_the_door(rule, kind, positions):
    apart = offsets(positions, range(4))
    found = rule(kind(R1), kind(R2), kind(apart))
    rows = np.broadcast_to(positions, (2, 5))
    scores = kind(np.ones((2, 3, 5, 4)))
    at_door = OBJECTS[rule](kind(R1), kind(R2)).at_scores(scores, None, None, positions, range(4))
    for b, h, i, j in np.ndindex(2, 3, 5, 4):
        expected = RULES[rule](R1[h], R2[h], abs(rows[b, i] - j))
        assert at_door[b, h, i, j] == pytest.approx(1 + expected)
        assert found.reshape(-1, 3, 5, 4)[b % (found.ndim - 2), h, i, j] == pytest.approx(expected)


@KINDS
def test_the_power_one_is_alibi_exactly(kind):
    slopes, apart = alibi_slopes(8), offsets(range(5, 70), range(70))
    found = kerple_power_bias(kind(slopes), kind(np.ones(8)), kind(apart))
    assert np.array_equal(found, alibi_bias(kind(slopes), kind(apart)))
    q, k, v = (kind(np.random.default_rng(seed).normal(size=(1, 8, 70, 4))) for seed in range(3))
    places = {"q_positions": range(70), "k_positions": range(70)}
    ours = attention(q, k, v, encoding=KerplePower(kind(slopes), kind(np.ones(8))), **places)
    assert np.array_equal(ours, attention(q, k, v, encoding=Alibi(), **places))


def test_the_logarithm_is_that_of_the_released_code():
    """Written out as in ParallelKerpleLog: a triangle of distances, −p · log(1 + a · distance)."""
    p, a = torch.tensor(R1)[:, None, None], torch.tensor(R2)[:, None, None]
    triangle = torch.tril(torch.arange(9)[:, None] - torch.arange(9))
    found = kerple_log_bias(torch.tensor(R1), torch.tensor(R2), triangle)
    torch.testing.assert_close(found, -p * torch.log(1 + a * triangle), rtol=1e-15, atol=1e-15)


@both
def test_gradients_reach_both_numbers_and_a_distance_of_zero_has_one(rule):
    r1, r2 = (torch.tensor(r, requires_grad=True) for r in (R1, 0.9 * R2))
    apart = torch.tensor([[0.0, 1.0, 2.5]], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda r1, r2: rule(r1, r2, apart.detach()), (r1, r2))
    [slope] = torch.autograd.grad(rule(r1, r2, apart).sum(), apart)
    assert slope.isfinite().all()


@both
@pytest.mark.parametrize("dtype", [np.float16, torch.bfloat16, torch.float32])
def test_halves_are_computed_wide(rule, dtype):
    is_torch = isinstance(dtype, torch.dtype)
    r1, r2 = (torch.tensor(r).to(dtype) if is_torch else r.astype(dtype) for r in (R1, R2))
    found = rule(r1, r2, [[30], [150]])
    assert found.dtype == dtype
    wide = [np.asarray(r.double() if is_torch else r.astype(float)) for r in (r1, r2)]
    expected = rule(*wide, [[30], [150]])
    found = np.asarray(found.double() if is_torch else found.astype(float))
    np.testing.assert_allclose(found, expected, rtol=0.01)


def test_evenly_spaced_positions_need_one_number_per_distance():
    found = kerple_log_bias(R1, R2, offsets(range(100), range(100)))
    memory = found
    while memory.base is not None:
        memory = memory.base
    assert memory.nbytes == 3 * 199 * 8


SCORES = np.zeros((1, 2, 1, 1))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: KerpleLog(R1, 0 * R2), ValueError, "r2 must be above 0, got 0"),
        (lambda: KerpleLog(R1 - 1, R2), ValueError, "r1 must be above 0, got -0.5"),
        (lambda: KerpleLog(R1 * np.nan, R2), ValueError, "r1 must be above 0, got nan"),
        (lambda: KerpleLog(R1, R2[:2]), ValueError, r"must be \[heads\], got \(3,\) and \(2,\)"),
        (lambda: KerpleLog([1.0], R2), TypeError, "r1, r2: expected a NumPy array"),
        (lambda: KerplePower(R1, R2 + 1), ValueError, "r2 must be above 0 and at most 2, got 2.5"),
        (
            lambda: kerple_power_bias(R1, R2 + 1, [[0]]),
            ValueError,
            "r2 must be above 0 and at most 2",
        ),
        (lambda: kerple_log_bias(R1, R2, [0]), ValueError, r"offsets must be \[..., q_len, k_len"),
        (
            lambda: KerpleLog(R1, R2).at_scores(SCORES, None, None, [0], [0]),
            ValueError,
            "r1 must have the 2 heads of q, got 3 numbers",
        ),
    ],
)
def test_bad_input_is_named(call, error, message):
    with pytest.raises(error, match=message):
        call()
