"""Functions apart from encodings: NumPy and torch agree, dtypes are kept, gradients flow."""

import numpy as np
import pytest
import torch

import posviz
from tests.every_encoding import random

APART = posviz.offsets(range(2, 5), range(5))  # 3 queries after 2 tokens
Q, K = (1, 2, 3, 4), (1, 2, 5, 4)
SPLIT = {"source": "interleaved", "target": "half_split"}
ANGLES = random(3, 2, seed=9)


def shapes(*each):
    return [random(*shape, seed=seed) for seed, shape in enumerate(each)]


def positive(*shape, seed=0):
    return 0.5 + random(*shape, seed=seed) ** 2 % 1


# The function and its floating-point arrays.
FUNCTIONS = {
    "apply_rotary": (lambda x: posviz.apply_rotary(x, ANGLES, attention_factor=1.2), shapes(Q)),
    "change_layout": (lambda x: posviz.change_layout(x, **SPLIT), shapes(Q)),
    "change_projection_layout": (
        lambda w: posviz.change_projection_layout(w, num_heads=2, **SPLIT),
        shapes((3, 8)),
    ),
    "deberta_scores": (
        lambda *arrays: posviz.deberta_scores(*arrays, APART),
        shapes(Q, K, (2, 4, 4), (2, 4, 4)),
    ),
    "rel_shift": (lambda x: posviz.rel_shift(x)[..., :3], shapes((2, 3, 5))),  # past keys
    "resolution": (posviz.resolution, shapes((2, 5))),
    "softmax": (posviz.softmax, shapes((2, 5))),
}
# Positions and angles are computed in float64, whatever comes.
IN_FLOAT64 = {
    "rotation_matrix": (posviz.rotation_matrix, shapes((3, 2))),
    "rotary_angles": (posviz.rotary_angles, shapes((3,), (4,))),
    "shift_matrix": (lambda offset: posviz.shift_matrix(offset, 4), shapes((3,))),
    "wavelengths": (posviz.wavelengths, [positive(4)]),
}
# Its torch tables are float32 unless positions say more.
SINUSOIDAL = {"sinusoidal": (lambda p: posviz.sinusoidal(p, 4), shapes((3,)))}
ALL = FUNCTIONS | IN_FLOAT64 | SINUSOIDAL


@pytest.mark.parametrize("name", ALL)
def test_a_function_gives_the_same_with_numpy_and_torch(name):
    function, given = ALL[name]
    ours, theirs = function(*given), function(*map(torch.tensor, given))
    assert isinstance(ours, np.ndarray | np.float64)
    assert isinstance(theirs, torch.Tensor)
    assert tuple(theirs.shape) == ours.shape
    assert (ours.dtype, theirs.dtype) == (np.float64, torch.float64)
    np.testing.assert_allclose(theirs, ours, atol=1e-12)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_keeps_the_dtype_and_rounds_once(name):
    function, given = FUNCTIONS[name]
    for dtype in (torch.float32, torch.bfloat16):
        coarse = [torch.tensor(array).to(dtype) for array in given]
        found, exact = function(*coarse), function(*(array.double() for array in coarse))
        assert found.dtype == dtype
        tolerance = 2 * torch.finfo(dtype).eps + 32 * torch.finfo(torch.float32).eps
        torch.testing.assert_close(found.double(), exact, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name", IN_FLOAT64)
def test_positions_and_angles_are_computed_in_float64(name):
    function, given = IN_FLOAT64[name]
    coarse = [array.astype(np.float32) for array in given]
    exact = function(*(array.astype(np.float64) for array in coarse))
    for kind in (np.asarray, torch.tensor):
        found = function(*map(kind, coarse))
        assert "float64" in str(found.dtype)
        np.testing.assert_allclose(found, exact, rtol=1e-14)


@pytest.mark.parametrize("name", ALL)
def test_gradients_reach_all_arrays_of_a_function(name):
    function, given = ALL[name]
    arrays = [torch.tensor(array, requires_grad=True) for array in given]
    assert torch.autograd.gradcheck(function, arrays, fast_mode=True)
