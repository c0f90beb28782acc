"""NumPy or torch, and on which device: the one place that knows of backends."""

from __future__ import annotations

import platform
import sys
from importlib import metadata, util
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

Array = Any  # a NumPy array or a torch tensor: torch may be absent, so its type cannot be named

TORCH_DEVICES = {"torch CPU": "cpu", "CUDA": "cuda", "MPS": "mps"}
DEVICE_NAMES = ("NumPy", *TORCH_DEVICES)
DTYPE_NAMES = ("float64", "float32", "float16", "bfloat16")


# ---------------------------------------------------------------- one notation for both


def is_torch(x: object) -> bool:
    """Tell whether ``x`` is a torch tensor, without importing torch."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(x, torch.Tensor)


def namespace(*arrays: Array) -> ModuleType:
    """Return the module whose functions take ``arrays``: NumPy, or torch under NumPy's names."""
    torch_count = sum(map(is_torch, arrays))
    if torch_count == 0:
        return np
    if torch_count < len(arrays):
        raise TypeError("NumPy arrays and torch tensors cannot be mixed: move all to one of them.")
    import array_api_compat.torch as torch_namespace

    return torch_namespace


def as_array(values: Any, name: str) -> Array:
    """Return real numbers as an array; lists and ranges become NumPy arrays, integers int64."""
    x = values if is_torch(values) else np.asarray(values)
    xp = namespace(x)
    if not xp.isdtype(x.dtype, ("integral", "real floating")):
        raise TypeError(f"{name} must be real numbers, got dtype {x.dtype}.")
    is_integer = xp.isdtype(x.dtype, "integral")
    return xp.astype(x, xp.int64, copy=False) if is_integer else x


def as_integers(values: Any, name: str) -> Array:
    """Return integers as an int64 array; floats are refused, whole ones too."""
    x = as_array(values, name)
    if not namespace(x).isdtype(x.dtype, "integral"):
        raise TypeError(f"{name} must be integers, got dtype {x.dtype}.")
    return x


def as_like(values: Any, x: Array, dtype: Any = None) -> Array:
    """Return ``values`` of the kind and on the device of ``x``, in ``dtype`` (None: their own)."""
    if not is_torch(x):
        return np.asarray(values, dtype)
    torch = sys.modules["torch"]
    tensor = values if is_torch(values) else torch.from_numpy(np.array(values))
    if x.device.type == "mps" and tensor.dtype == torch.float64:
        tensor = tensor.float()  # which has no float64
    return tensor.to(device=x.device, dtype=dtype)


def together(*arrays: Array) -> tuple[Array, ...]:
    """Return ``arrays`` of one kind: if one is a tensor, the others follow it to its device."""
    tensor = next(filter(is_torch, arrays), None)
    return arrays if tensor is None else tuple(as_like(x, tensor) for x in arrays)


def as_float64(values: Any, name: str) -> Array:
    """Return real numbers in float64, on the CPU where the device has none."""
    x = as_array(values, name)
    if not is_torch(x):
        return x.astype(np.float64, copy=False)
    return (x.cpu() if x.device.type == "mps" else x).double()


def upcast_half(x: Array) -> Array:
    """Return float16 and bfloat16 in float32, others as they are: sums of halves lose digits."""
    xp = namespace(x)
    return xp.astype(x, xp.float32) if x.dtype.itemsize < 4 else x


def sigmoid(x: Array) -> Array:
    """Return 1/(1 + e^−x), without overflow."""
    return namespace(x).exp(-softplus(-x))


def softplus(x: Array) -> Array:
    """Return ln(1 + e^x), without overflow."""
    xp = namespace(x)
    return xp.logaddexp(x, xp.zeros_like(x))


def softmax(scores: Array) -> Array:
    """Return exp(scores) / Σ exp(scores) over the last axis, and 0 where all scores are −∞.

    Shapes: [..., k_len], result alike. The largest score is subtracted first, so that exp cannot
    overflow.

    >>> softmax(np.array([[0.0, 1000.0], [-np.inf, -np.inf]])).tolist()  # without a key 0, not NaN
    [[0.0, 1.0], [0.0, 0.0]]
    """
    xp = namespace(scores)
    if scores.ndim == 0 or scores.shape[-1] == 0:
        return xp.ones_like(scores)
    wide = upcast_half(scores)
    peak = xp.max(wide, axis=-1, keepdims=True)
    # Lessons 03 and 12 train with it: torch's own takes a third of the time.
    if is_torch(wide) and not bool((peak == -xp.inf).any()):
        return xp.astype(wide.softmax(-1), scores.dtype, copy=False)
    powers = xp.exp(wide - xp.where(peak == -xp.inf, 0.0, peak))
    total = xp.sum(powers, axis=-1, keepdims=True)
    return xp.astype(powers / xp.where(total == 0, 1.0, total), scores.dtype, copy=False)


# ---------------------------------------------------------------- devices


def devices() -> dict[str, str]:
    """Return for each of the four device names why it cannot be chosen: "" where it can.

    It never imports torch; before torch is loaded, it looks for the files of drivers.
    """
    absent = util.find_spec("torch") is None
    reasons = {
        name: "torch is not installed" if absent else _why_not(name) for name in TORCH_DEVICES
    }
    return {"NumPy": "", **reasons}


def _why_not(name: str) -> str:
    torch = sys.modules.get("torch")
    if name == "CUDA":
        if torch is not None:
            return "" if torch.cuda.is_available() else "torch finds no CUDA device"
        if metadata.version("torch").endswith("+cpu"):
            return "the installed torch is a CPU build"
        traces = ("/dev/nvidiactl", "/dev/dxg", "/dev/kfd", "C:/Windows/System32/nvcuda.dll")
        return "" if any(Path(trace).exists() for trace in traces) else "no GPU driver found"
    if name == "MPS":
        if (platform.system(), platform.machine()) != ("Darwin", "arm64"):
            return "needs a Mac with Apple silicon"
        if torch is not None and not torch.backends.mps.is_available():
            return "torch finds no MPS device"
    return ""


def to_device(x: Any, name: str) -> Array:
    """Return ``x`` (array, tensor or list) on the device called ``name``; float32 on MPS.

    Imports torch for every name but "NumPy".
    """
    if name not in DEVICE_NAMES:
        raise ValueError(f"device must be one of {', '.join(DEVICE_NAMES)}, got {name!r}.")
    if name == "NumPy":
        return to_numpy(x)
    if util.find_spec("torch") is not None:
        import torch  # so that `devices` asks torch itself
    if reason := devices()[name]:
        raise ValueError(f"device {name} cannot be used: {reason}.")
    return as_like(x, torch.empty(0, device=TORCH_DEVICES[name]))


def to_numpy(x: Any) -> np.ndarray:
    """Return ``x`` as a NumPy array; bfloat16, which NumPy lacks, becomes float32."""
    if not is_torch(x):
        return np.asarray(x)
    x = x.detach().cpu().resolve_conj().resolve_neg()
    return (x.float() if str(x.dtype) == "torch.bfloat16" else x).numpy()


def to_dtype(x: Any, name: str) -> np.ndarray:
    """Round ``x`` to what float64, float32, float16 or bfloat16 can hold; returned in float64.

    Beyond the largest number (65 504 in float16) it is infinite. Not for NaN.

    >>> [to_dtype([257, 70_000], name).tolist() for name in ("float16", "bfloat16")]
    [[257.0, inf], [256.0, 70144.0]]
    """
    if name not in DTYPE_NAMES:
        raise ValueError(f"dtype must be one of {', '.join(DTYPE_NAMES)}, got {name!r}.")
    if name != "bfloat16":
        with np.errstate(over="ignore"):
            return np.asarray(x).astype(name).astype(np.float64)
    # bfloat16 is the upper half of a float32: the nearer of two neighbours, halfway the even one.
    bits = np.asarray(x).astype(np.float32).view(np.uint32)
    bits = bits + np.uint32(0x7FFF) + (bits >> np.uint32(16) & np.uint32(1))
    return (bits & np.uint32(0xFFFF0000)).view(np.float32).astype(np.float64)
