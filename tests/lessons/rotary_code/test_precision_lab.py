"""Errors as the picture has them, against torch, whose own dtypes these are."""

import numpy as np
import pytest
import torch

from posviz_course.lessons.rotary_code.precision_lab import HEAD_DIM, PrecisionLab

OFFSET, BASE = 5, 100_000


@pytest.mark.parametrize("name", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("position", [1, 1000, 30_000, 100_000])
def test_errors_with_rounded_angles_are_those_of_torch(name, position):
    q, k = np.random.default_rng(2).standard_normal((2, HEAD_DIM))
    rounded = torch_score(q, k, position, getattr(torch, name))
    exact = torch_score(q, k, 0, torch.float64)
    found = PrecisionLab(position=position).compute().here[name]
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
