"""What every encoding does alike: in both kinds of arrays, with a cache, padded, shifted."""

import itertools

import numpy as np
import pytest
import torch

from posviz import KeyValueCache, attend, causal_mask, devices, to_device, to_numpy
from posviz.attention import attention
from tests.every_encoding import (
    D_MODEL,
    ENCODINGS,
    HEAD_DIM,
    HEADS,
    LOOKED_UP,
    RELATIVE,
    random,
)

every_encoding = pytest.mark.parametrize("name", ENCODINGS)
DEVICES = [name for name, missing in devices().items() if not missing and name != "NumPy"]
SHUFFLED = [4, 2, 0, 5, 1, 3]


def projections(kv_heads=HEADS):
    columns = (D_MODEL, kv_heads * HEAD_DIM, kv_heads * HEAD_DIM)
    return [random(D_MODEL, width, seed=i + 1) / 2 for i, width in enumerate(columns)]


def causal(length):
    return causal_mask(range(length), range(length))


@every_encoding
@pytest.mark.parametrize("device", DEVICES)
def test_numpy_and_torch_agree_and_the_dtype_is_kept(name, device):
    options = {"num_heads": HEADS, "positions": range(5), "mask": causal(5)}
    given = (random(2, 5, D_MODEL), *projections())
    ours = attend(*given, encoding=ENCODINGS[name](np.asarray), **options)
    tensors = [to_device(array, device) for array in given]
    options["encoding"] = ENCODINGS[name](lambda array: to_device(array, device))
    theirs = attend(*tensors, **options)
    assert (theirs.dtype, theirs.device) == (tensors[0].dtype, tensors[0].device)
    tolerance = 500 * torch.finfo(theirs.dtype).eps  # MPS has no float64
    np.testing.assert_allclose(to_numpy(theirs), ours, atol=tolerance)
    for dtype in (torch.float32, torch.bfloat16):
        coarse = attend(*(tensor.to(dtype) for tensor in tensors), **options)
        assert coarse.dtype == dtype
        tolerance = 16 * torch.finfo(dtype).eps
        torch.testing.assert_close(coarse.to(theirs.dtype), theirs, atol=tolerance, rtol=0.05)


@every_encoding
def test_gradients_reach_the_input_and_all_that_is_learned(name):
    """They stay finite where a query may look nowhere."""
    learned = []

    def collect(array):
        if array.dtype.kind == "f":
            learned.append(torch.tensor(array, requires_grad=True))
        return torch.tensor(array)

    ENCODINGS[name](collect)
    mask = torch.tensor([[False, False, False], [True, True, False], [True, True, True]])
    given = [torch.tensor(array, requires_grad=True) for array in (random(1, 3, 8), *projections())]

    def run(x, w_q, w_k, w_v, *learned):
        left = iter(learned)
        encoding = ENCODINGS[name](
            lambda array: next(left) if array.dtype.kind == "f" else torch.tensor(array)
        )
        options = {"num_heads": HEADS, "positions": range(3), "mask": mask}
        return attend(x, w_q, w_k, w_v, encoding=encoding, **options)

    assert not run(*given, *learned)[0, 0].any()
    assert torch.autograd.gradcheck(run, (*given, *learned), fast_mode=True)


@every_encoding
def test_a_cache_changes_no_output(name):
    x, *weights = random(2, 6, D_MODEL), *projections(kv_heads=1)
    options = {"num_heads": HEADS, "encoding": ENCODINGS[name](np.asarray)}
    whole = attend(x, *weights, positions=range(6), mask=causal(6), **options)
    cache = KeyValueCache()
    for start, stop in itertools.pairwise((0, 1, 4, 6)):
        here = {"positions": range(start, stop), "mask": causal_mask, "cache": cache}
        step = attend(x[:, start:stop], *weights, **here, **options)
        np.testing.assert_allclose(step, whole[:, start:stop], atol=1e-13)
    assert cache.positions.tolist() == list(range(6))
    assert cache.keys.shape[:3] == cache.values.shape[:3] == (2, 1, 6)


@every_encoding
def test_shared_key_heads_are_key_heads_repeated(name):
    x, (w_q, w_k, w_v) = random(2, 5, D_MODEL), projections(kv_heads=1)
    options = {"num_heads": HEADS, "encoding": ENCODINGS[name](np.asarray), "positions": range(5)}
    shared = attend(x, w_q, w_k, w_v, **options)
    repeated = attend(x, w_q, np.tile(w_k, HEADS), np.tile(w_v, HEADS), **options)
    np.testing.assert_allclose(shared, repeated, atol=1e-13)


@every_encoding
def test_left_padding_changes_nothing_for_real_tokens(name):
    """The sentences of a batch have positions of their own."""
    x, encoding, lengths = random(2, 5, D_MODEL), ENCODINGS[name](np.asarray), np.array([3, 5])
    positions = np.arange(5) - (5 - lengths)[:, None]
    mask = causal_mask(positions, positions) & (positions >= 0)[:, None, None]
    if name in LOOKED_UP:
        positions = positions.clip(0)
    options = {"num_heads": HEADS, "encoding": encoding}
    found = attend(x, *projections(), positions=positions, mask=mask, **options)
    for sentence, length in enumerate(lengths):
        own = x[sentence : sentence + 1, -length:]
        here = {"positions": range(length), "mask": causal(length)}
        alone = attend(own, *projections(), **here, **options)
        np.testing.assert_allclose(found[sentence, -length:], alone[0], atol=1e-13)


@every_encoding
def test_only_without_position_is_order_unseen(name):
    x = random(1, 6, D_MODEL)
    options = {"num_heads": HEADS, "encoding": ENCODINGS[name](np.asarray), "positions": range(6)}
    plain = attend(x, *projections(), **options)
    shuffled = attend(x[:, SHUFFLED], *projections(), **options)
    difference = np.abs(shuffled - plain[:, SHUFFLED]).max()
    assert difference < 1e-13 if name == "NoPE" else difference > 1e-3


@pytest.mark.parametrize("name", RELATIVE)
def test_a_relative_encoding_sees_no_common_shift(name):
    encoding = RELATIVE[name](np.asarray)
    q, k, v = (random(1, HEADS, 4, HEAD_DIM, seed=seed) for seed in range(3))
    plain, shifted = (
        attention(q, k, v, encoding=encoding, q_positions=places, k_positions=places)
        for places in (range(4), range(1000, 1004))
    )
    np.testing.assert_allclose(shifted, plain, atol=1e-10)


@every_encoding
def test_a_text_may_have_one_token(name):
    options = {"num_heads": HEADS, "encoding": ENCODINGS[name](np.asarray)}
    found = attend(random(2, 1, D_MODEL), *projections(), positions=[0], **options)
    assert found.shape == (2, 1, D_MODEL)
    assert np.isfinite(found).all()
