"""Rounding as the picture does it, against torch, whose own dtypes these are."""

import numpy as np
import pytest
import torch

from posviz.pictures.rotary_code.precision_lab import HEAD_DIM, POSITIONS, PrecisionLab, to_dtype
from tests.pictures.by_hand import drawn

NARROW = ["float32", "float16", "bfloat16"]
OFFSET, BASE = 5, 10_000


def float32_patterns():
    """Finite float32 numbers of every size, from all bit patterns, and the halfway cases."""
    some = np.arange(0, 2**32, 9973, dtype=np.uint64).astype(np.uint32)
    halfway = np.arange(0x8000, 2**32, 0x10000, dtype=np.uint64).astype(np.uint32)
    values = np.concatenate([some, halfway]).view(np.float32)
    return values[np.isfinite(values)]


@pytest.mark.parametrize("name", NARROW)
def test_rounding_is_that_of_torch(name):
    values = float32_patterns()
    expected = torch.from_numpy(values).to(getattr(torch, name)).double().numpy()
    np.testing.assert_array_equal(to_dtype(values, name), expected)


def test_bfloat16_rounds_halves_to_even():
    assert to_dtype([257, 259, 30_000, 30_005, 2.0**-126], "bfloat16").tolist() == [
        256,
        260,
        29_952,
        29_952,
        2.0**-126,
    ]


@pytest.mark.parametrize("name", NARROW)
@pytest.mark.parametrize("position", [1, 1000, 30_000, 100_000])
def test_errors_with_rounded_angles_are_those_of_torch(name, position):
    q, k = np.random.default_rng(7).standard_normal((2, HEAD_DIM))
    rounded = torch_score(q, k, position, getattr(torch, name))
    exact = torch_score(q, k, 0, torch.float64)
    picture = PrecisionLab(position=position, offset=OFFSET, base=BASE, seed=7)
    found = picture.compute().here[name]
    np.testing.assert_allclose(found, abs(rounded - exact), rtol=0, atol=1e-9)


def torch_score(q, k, position, dtype):
    """q at position + OFFSET with k at position, pair by pair, angles in the dtype."""
    total = 0.0
    for i in range(0, HEAD_DIM, 2):
        inv_freq = torch.tensor(BASE ** (-i / HEAD_DIM), dtype=torch.float64).to(dtype)
        places = torch.tensor([position + OFFSET, position]).to(dtype)
        a, b = (places * inv_freq).double().tolist()
        if not np.isfinite([a, b]).all():
            return np.nan
        (q0, q1), (k0, k1) = q[i : i + 2], k[i : i + 2]
        total += (q0 * np.cos(a) - q1 * np.sin(a)) * (k0 * np.cos(b) - k1 * np.sin(b))
        total += (q0 * np.sin(a) + q1 * np.cos(a)) * (k0 * np.sin(b) + k1 * np.cos(b))
    return total


def test_only_the_angles_of_float16_overflow():
    for rounded, overflows in (("angles", True), ("cos and sin", False)):
        curves = PrecisionLab(rounded=rounded).compute().curves
        assert np.isnan(curves["float16"][POSITIONS >= 65_520]).all() == overflows
        finite = [name for name, errors in curves.items() if np.isfinite(errors).all()]
        assert ("float16" in finite) != overflows
        assert {"bfloat16", "float32", "float64"} <= set(finite)


def test_rounded_waves_err_alike_at_every_position():
    errors = PrecisionLab(rounded="cos and sin").compute().curves
    assert errors["float32"].max() < 1e-5 < 1e-3 < errors["bfloat16"].max() < 1


@pytest.mark.parametrize(("rounded", "crosses"), [("angles", 1), ("cos and sin", 0)])
def test_the_cross_stands_only_where_something_overflows(rounded, crosses):
    _, (*_, cross) = drawn(PrecisionLab(rounded=rounded))
    assert len(cross.line.get_xdata()) == crosses
