"""Every function that takes arrays: NumPy and torch agree, dtypes are kept, gradients flow."""

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
    "alibi_bias": (lambda slopes: posviz.alibi_bias(slopes, APART), [positive(2)]),
    "apply_pope": (lambda x: posviz.apply_pope(x, random(3, 4)), shapes(Q)),
    "apply_rotary": (lambda x: posviz.apply_rotary(x, ANGLES, attention_factor=1.2), shapes(Q)),
    "apply_rotary, half_split": (
        lambda x: posviz.apply_rotary(x, ANGLES[:, :1], layout="half_split"),
        shapes(Q),
    ),
    "apply_xpos, q": (lambda q, k: posviz.apply_xpos(q, k, range(3), range(5))[0], shapes(Q, K)),
    "apply_xpos, k": (
        lambda q, k: posviz.apply_xpos(q, k, range(3), range(5), layout="half_split")[1],
        shapes(Q, K),
    ),
    "change_layout": (lambda x: posviz.change_layout(x, **SPLIT), shapes(Q)),
    "change_projection_layout": (
        lambda w: posviz.change_projection_layout(w, num_heads=2, **SPLIT),
        shapes((3, 8)),
    ),
    "cope_bias": (posviz.cope_bias, [*shapes(Q, (3, 4)), 2 * positive(1, 2, 3, 5)]),
    "cope_gates": (lambda scores: posviz.cope_gates(scores, APART), shapes((2, 3, 5))),
    "cope_positions": (posviz.cope_positions, [positive(2, 3, 5)]),
    "deberta_scores": (
        lambda *arrays: posviz.deberta_scores(*arrays, APART),
        shapes(Q, K, (2, 4, 4), (2, 4, 4)),
    ),
    "fire_bias": (posviz.fire_bias, [positive(3, 5), *shapes((6,), (6,), (6, 2), (2,))]),
    "fox_bias": (posviz.fox_bias, [-positive(2, 5)]),
    "inkling_bias": (
        lambda states, bank: posviz.inkling_bias(states, bank, APART),
        shapes((1, 2, 3, 3), (3, 4)),
    ),
    "kerple_log_bias": (
        lambda *r: posviz.kerple_log_bias(*r, APART),
        [positive(2), positive(2, seed=1)],
    ),
    "kerple_power_bias": (
        lambda *r: posviz.kerple_power_bias(*r, APART),
        [positive(2), positive(2, seed=1)],
    ),
    "learned": (lambda table: posviz.learned(table, [[0, 3], [3, 6]]), shapes((7, 4))),
    "rel_shift": (lambda x: posviz.rel_shift(x, bidirectional=True), shapes((2, 3, 8))),
    "resolution": (posviz.resolution, shapes((2, 5))),
    "shaw_key_scores": (
        lambda q, table: posviz.shaw_key_scores(q, table, posviz.shaw_index(APART, 2)),
        shapes(Q, (5, 4)),
    ),
    "shaw_values": (
        lambda weights, table: posviz.shaw_values(weights, table, posviz.shaw_index(APART, 2)),
        shapes((1, 2, 3, 5), (5, 4)),
    ),
    "softmax": (posviz.softmax, shapes((2, 5))),
    "t5_bias": (lambda table: posviz.t5_bias(table, posviz.t5_bucket(APART)), shapes((32, 2))),
    "transformer_xl_scores": (
        lambda *arrays: posviz.transformer_xl_scores(*arrays, bidirectional=True),
        shapes(Q, K, (2, 8, 4), (2, 4), (2, 4)),
    ),
}
# Positions and angles are computed in float64, whatever comes.
IN_FLOAT64 = {
    "axial_angles": (lambda *places: posviz.axial_angles(*places, 8), shapes((3,), (3,))),
    "fire_distances": (lambda p: posviz.fire_distances(p, range(3)), [np.arange(4.0)]),
    "log_n_factor": (lambda seen: posviz.log_n_factor(seen, 0.7), [1 + positive(4)]),
    "mixed_angles": (posviz.mixed_angles, shapes((3,), (3,), (2, 4))),
    "mrope_angles": (
        lambda *given: posviz.mrope_angles(*given, (2, 1, 1)),
        [random(3, 5), positive(4)],
    ),
    "rotation_matrix": (posviz.rotation_matrix, shapes((3, 2))),
    "rotary_angles": (posviz.rotary_angles, shapes((3,), (4,))),
    "shift_matrix": (lambda offset: posviz.shift_matrix(offset, 4), shapes((3,))),
    "wavelengths": (posviz.wavelengths, [positive(4)]),
    "xpos_scale": (lambda p: posviz.xpos_scale(p, 8), shapes((3,))),
}
# Sums are in float32, halves are not solved, and torch's tables are float32 unless positions differ.
OTHERS = {
    "path_bias": (posviz.path_bias, [*shapes(Q, K, K), positive(1, 2, 5)]),
    "log_forget_gates": (posviz.log_forget_gates, shapes((1, 5, 4), (4, 2), (2,))),
    "sinusoidal": (lambda p: posviz.sinusoidal(p, 4), shapes((3,))),
}
ALL = FUNCTIONS | IN_FLOAT64 | OTHERS


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
