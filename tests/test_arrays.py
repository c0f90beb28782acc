"""Devices by name, the way to a device and back, and rounding to a dtype."""

import numpy as np
import pytest
import torch

from posviz import devices, to_device, to_dtype, to_numpy
from posviz.arrays import as_float64, as_like


class OnMps(torch.Tensor):
    """A tensor that says that it is on Apple's GPU, which has no float64."""

    device = torch.device("mps")


NAMES = ["NumPy", "torch CPU", "CUDA", "MPS"]


def test_devices_say_yes_or_why_not(monkeypatch):
    for is_there, reason in ((True, ""), (False, "torch finds no CUDA device")):
        monkeypatch.setattr(torch.cuda, "is_available", lambda answer=is_there: answer)
        assert list(devices()) == NAMES
        assert [devices()[name] for name in NAMES[:3]] == ["", "", reason]


def test_a_device_that_is_not_there_or_unknown_is_refused(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(ValueError, match="CUDA"):
        to_device([1.0], "CUDA")
    with pytest.raises(ValueError, match="'TPU'"):
        to_device([1.0], "TPU")


@pytest.mark.parametrize("x", [np.arange(6.0).reshape(2, 3)[:, ::-1], [[1, 2]], np.float32(3)])
def test_an_array_goes_to_torch_and_back_unchanged(x):
    there = to_device(x, "torch CPU")
    assert isinstance(there, torch.Tensor)
    back = to_device(there, "NumPy")
    assert back.dtype == np.asarray(x).dtype
    np.testing.assert_array_equal(back, x)


def test_moving_leaves_the_source_alone():
    x = np.zeros(3)
    to_device(x, "torch CPU")[0] = 1
    assert x.tolist() == [0, 0, 0]


def test_numpy_gets_tensors_with_gradients_and_bfloat16():
    assert to_numpy(torch.ones(2, requires_grad=True)).tolist() == [1, 1]
    assert to_numpy(torch.ones(2, dtype=torch.bfloat16)).dtype == np.float32


def test_no_float64_goes_to_mps_and_what_is_there_comes_to_the_cpu_first(monkeypatch):
    asked = []
    monkeypatch.setattr(torch.Tensor, "to", lambda x, device, **_: asked.append((x.dtype, device)))
    there = torch.ones(2).as_subclass(OnMps)
    as_like(np.ones(2), there)
    assert asked == [(torch.float32, torch.device("mps"))]
    monkeypatch.setattr(OnMps, "cpu", lambda x: torch.full((2,), 7.0), raising=False)
    assert as_float64(there, "x").tolist() == [7, 7]


def float32_patterns():
    """Finite float32 numbers of every size, from all bit patterns, and the halfway cases."""
    some = np.arange(0, 2**32, 99_991, dtype=np.uint64).astype(np.uint32)
    halfway = np.arange(0x8000, 2**32, 0x10000, dtype=np.uint64).astype(np.uint32)
    values = np.concatenate([some, halfway]).view(np.float32)
    return values[np.isfinite(values)]


@pytest.mark.parametrize("name", ["float64", "float32", "float16", "bfloat16"])
def test_rounding_to_a_dtype_is_that_of_torch(name):
    values = float32_patterns()
    expected = torch.from_numpy(values).to(getattr(torch, name)).double().numpy()
    np.testing.assert_array_equal(to_dtype(values, name), expected)


def test_a_dtype_that_is_unknown_is_refused():
    with pytest.raises(ValueError, match="'float8'"):
        to_dtype(1.0, "float8")
