"""NumPy or torch, and on which device: the mathematics is written once for both."""

from __future__ import annotations

import math
import mmap
import platform
import sys
from collections.abc import Callable
from importlib import metadata, util
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from posviz.wording import quoted, shortened

Array = Any  # a NumPy array or a torch tensor: torch may be absent, so its type cannot be named

TORCH_DEVICES = {"torch CPU": "cpu", "CUDA": "cuda", "MPS": "mps"}
DEVICE_NAMES = ("NumPy", *TORCH_DEVICES)
DTYPE_NAMES = ("float64", "float32", "float16", "bfloat16")


# ---------------------------------------------------------------- kinds


def is_torch(x: object) -> bool:
    """Tell whether ``x`` is a torch tensor, without importing torch."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(x, torch.Tensor)


def is_compiled(x: Array) -> bool:
    """Tell whether torch.compile is reading the code, and ``x`` holds no numbers yet."""
    return is_torch(x) and _torch().compiler.is_compiling()


def is_followed(*arrays: Array) -> bool:
    """Tell whether torch follows what is done to ``arrays``, for gradients or to compile it.

    What is followed may not be overwritten.
    """
    if not any(map(is_torch, arrays)):
        return False
    recorded = _torch().is_grad_enabled() and any(x.requires_grad for x in arrays)
    return recorded or is_compiled(arrays[0])


def is_floating(x: Array) -> bool:
    """Tell whether ``x`` holds real floating-point numbers, of any precision."""
    return bool(namespace(x).isdtype(x.dtype, "real floating"))


def namespace(*arrays: Array) -> ModuleType:
    """Return the array namespace that all ``arrays`` share.

    Raises:
        TypeError: for what is neither a NumPy array nor a torch tensor, or for both at once.
    """
    for x in arrays:
        if not (is_torch(x) or isinstance(x, (np.ndarray, np.generic))):
            raise TypeError(f"expected a NumPy array or a torch tensor, got {type(x).__name__}")
    if len({is_torch(x) for x in arrays}) > 1:
        raise TypeError("NumPy arrays and torch tensors cannot be mixed: move all to one of them")
    if not is_torch(arrays[0]):
        return np
    from array_api_compat import torch as torch_namespace

    return torch_namespace


def as_array(values: Any, name: str) -> Array:
    """Return ``values`` as an array of real numbers; lists and ranges become NumPy arrays.

    The values themselves are not read, for which a GPU would have to be waited for.

    Raises:
        TypeError: for anything but real numbers.
        ValueError: for ragged lists, or when memory is short.
    """
    x = values if is_torch(values) else _as_numpy(values, name)
    xp = namespace(x)
    kinds = ("integral", "real floating")
    if not xp.isdtype(x.dtype, kinds):
        raise TypeError(f"{name} must be real numbers, got dtype {shortened(x.dtype)}")
    return x


def _as_numpy(values: Any, name: str) -> np.ndarray:
    if isinstance(values, list | tuple | range):  # what is computed of them is as large
        check_memory(name, shape_of(values), copies=6)
    if isinstance(values, range):  # NumPy would make a number in Python of each
        return np.arange(values.start, values.stop, values.step)
    try:
        return np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{name} must be rectangular: {error}") from None
    except MemoryError as error:  # of texts, each takes as much as the longest
        raise ValueError(f"{name} must fit in memory: {error}") from None


def shape_of(values: Any) -> tuple[int, ...]:
    """Return the shape that ``values`` will have as an array; of ragged lists, that of the first.

    Nothing is made of them yet: what is computed from a range can be refused in time.
    """
    shape: list[int] = []
    while isinstance(values, list | tuple | range) and len(shape) < 64:  # NumPy's most
        shape.append(_length(values))
        values = values[0] if shape[-1] else None
    known = is_torch(values) or isinstance(values, np.ndarray)
    return (*shape, *values.shape) if known else tuple(shape)


def _length(values: list | tuple | range) -> int:
    try:
        return len(values)
    except OverflowError:  # of a range, and more than any memory holds
        return sys.maxsize


def as_numbers(values: Any, name: str) -> Array:
    """Return ``values`` as an array of finite real numbers: ``as_array``, and every value is read.

    Raises:
        TypeError: for anything but real numbers.
        ValueError: for NaN, infinity or ragged lists.
    """
    x = as_array(values, name)
    xp = namespace(x)
    check_memory(name, tuple(x.shape), itemsize=1, x=x)  # an array may repeat one number
    if is_floating(x) and not is_compiled(x) and not bool(xp.all(xp.isfinite(x))):
        raise ValueError(f"{name} must be finite, got NaN or infinity among the values")
    return x


def as_float64(values: Any, name: str) -> Array:
    """Return finite real ``values`` in float64, on the CPU where the device has no float64."""
    x = as_array(values, name)
    check_memory(name, tuple(x.shape), x=x, copies=6)  # what is computed of them is as large
    return in_float64(as_numbers(x, name))


def in_float64(x: Array) -> Array:
    """Return the array ``x`` in float64, on the CPU where the device has none."""
    if is_torch(x) and x.device.type == "mps":
        x = x.cpu()
    xp = namespace(x)
    return xp.astype(x, xp.float64)


def as_integers(values: Any, name: str) -> Array:
    """Return integer ``values`` as int64, in which nothing wraps around that a text can hold.

    Raises:
        TypeError: for anything but integers, floats that happen to be whole included.
        ValueError: for ragged lists.
    """
    x = as_array(values, name)
    if is_floating(x):
        raise TypeError(f"{name} must be integers, got dtype {x.dtype}")
    return namespace(x).astype(x, namespace(x).int64, copy=False)


def like(values: Array, x: Array, name: str, dtype: Any = None) -> Array:
    """Return ``values`` as ``x`` has it: same kind, same device, and ``dtype`` (default: its own).

    Lists and NumPy arrays follow a tensor wherever it is. A tensor stays where its owner put it,
    except that float64 waiting on the CPU is taken to a device that has none.

    Raises:
        TypeError: for a tensor beside a NumPy array.
        ValueError: for tensors on different devices.
    """
    if not is_torch(x):
        if is_torch(values):
            raise TypeError(f"{name} must be a NumPy array like its companion, got a torch tensor")
        return values if dtype is None else np.asarray(values).astype(dtype, copy=False)
    if not is_torch(values):
        values = _torch().from_numpy(np.array(values))
    elif values.device != x.device and x.device.type != "mps":
        raise ValueError(f"{name} must be on device {x.device}, got {values.device}")
    if dtype is None:
        dtype = _torch().float32 if _lacks_float64(values, x.device.type) else values.dtype
    return values.to(dtype=dtype).to(x.device)


def require_alike(**arrays: Array) -> ModuleType:
    """Return the namespace of floating arrays of one kind, dtype and device, given by name.

    Raises:
        TypeError: when one is not a floating array, or kinds or dtypes differ.
        ValueError: when devices differ.
    """
    names = ", ".join(arrays)
    try:
        xp = namespace(*arrays.values())
    except TypeError as error:
        raise TypeError(f"{names}: {error}") from None
    for name, x in arrays.items():
        if not is_floating(x):
            raise TypeError(f"{name} must be floating-point, got dtype {x.dtype}")
    for what, error_type in (("dtype", TypeError), ("device", ValueError)):
        found = {name: str(getattr(x, what)) for name, x in arrays.items()}
        if len(set(found.values())) > 1:
            came = ", ".join(f"{name}: {value}" for name, value in found.items())
            raise error_type(f"{names} must share one {what}, got {came}")
    return xp


def widened(*arrays: Array) -> tuple[Array, ...]:
    """Return ``arrays`` as they are, but halves in float32: sums of halves lose what they add."""
    xp = namespace(*arrays)
    return tuple(xp.astype(x, xp.float32) if x.dtype.itemsize < 4 else x for x in arrays)


def side_by_side(x: Array) -> Array:
    """Return complex ``x`` [..., n] as real and imaginary parts in turn, [..., 2n], uncopied."""
    if is_torch(x):
        return _torch().view_as_real(x).flatten(-2)
    return np.ascontiguousarray(x).view(x.real.dtype)


# ---------------------------------------------------------------- devices


def devices() -> dict[str, str]:
    """Return, for each of the four device names, why it cannot be chosen: "" where it can.

    Does not import torch: before torch is loaded, what it would find is judged from traces on the
    machine (a driver's device file, the build's name), and ``to_device`` asks torch itself.
    """
    reasons = {"NumPy": ""}
    for name in TORCH_DEVICES:
        if util.find_spec("torch") is None:
            reasons[name] = "torch is not installed"
        else:
            reasons[name] = _why_not(name)
    return reasons


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
    """Return ``x`` (array, tensor or nested list) as an array on the device called ``name``.

    Imports torch for every name but "NumPy". float64 becomes float32 on MPS, which has no float64.

    Raises:
        ValueError: for a name that is not one of the four, or a device that is not there.
    """
    if name not in DEVICE_NAMES:
        raise ValueError(f"device must be one of {', '.join(DEVICE_NAMES)}, got {quoted(name)}")
    if name == "NumPy":
        return to_numpy(x)
    if util.find_spec("torch") is None:
        raise ValueError(f"device {name} cannot be used: torch is not installed")
    torch = _torch()
    if reason := _why_not(name):
        raise ValueError(f"device {name} cannot be used: {reason}")
    tensor = x if is_torch(x) else torch.from_numpy(np.array(_as_numpy(x, "x")))
    if _lacks_float64(tensor, TORCH_DEVICES[name]):
        tensor = tensor.float()
    return tensor.to(TORCH_DEVICES[name])


def _lacks_float64(x: Array, device: str) -> bool:
    return device == "mps" and x.dtype == _torch().float64


def to_numpy(x: Any) -> np.ndarray:
    """Return ``x`` as a NumPy array; bfloat16, which NumPy lacks, becomes float32."""
    if not is_torch(x):
        return _as_numpy(x, "x")
    x = x.detach().cpu().resolve_conj().resolve_neg()
    return (x.float() if str(x.dtype) == "torch.bfloat16" else x).numpy()


def to_dtype(x: Any, name: str) -> np.ndarray:
    """Round ``x`` to what float64, float32, float16 or bfloat16 can hold; returned in float64.

    Beyond the largest number (65 504 in float16) it is infinite. Not for NaN.

    Raises:
        ValueError: for a name that is not one of the four.
    """
    if name not in DTYPE_NAMES:
        raise ValueError(f"dtype must be one of {', '.join(DTYPE_NAMES)}, got {name!r}")
    if name != "bfloat16":
        with np.errstate(over="ignore"):
            return np.asarray(x).astype(name).astype(np.float64)
    # NumPy lacks it. It is the upper half of a float32: of two neighbours the nearer one, and
    # halfway between them the even one.
    bits = np.asarray(x).astype(np.float32).view(np.uint32)
    bits = bits + np.uint32(0x7FFF) + (bits >> np.uint32(16) & np.uint32(1))
    return (bits & np.uint32(0xFFFF0000)).view(np.float32).astype(np.float64)


def _torch() -> ModuleType:
    import torch

    return torch


# ---------------------------------------------------------------- memory

UNQUESTIONED_BYTES = 2**26  # smaller arrays are made without asking the system


def check_memory(
    name: str, shape: tuple[int, ...], itemsize: int = 8, x: Array = None, copies: int = 1
) -> None:
    """Refuse an array that would not fit in the memory that is free on the device of ``x``.

    ``copies`` is how many arrays of that size exist at once while it is computed.

    Raises:
        ValueError: naming the argument(s) ``name``, what they ask for and what there is.
    """
    needed = math.prod(shape) * itemsize * copies
    if needed <= UNQUESTIONED_BYTES or needed <= (free := _free_memory(x)):
        return
    size = " × ".join(f"{length:,}" for length in shape)
    raise ValueError(
        f"{name}: an array of {size} numbers takes {needed / 2**30:,.1f} GiB, "
        f"and {free / 2**30:,.1f} GiB are free: ask for less"
    )


def _free_memory(x: Array) -> int:
    if is_torch(x) and x.device.type == "cuda":
        return int(_torch().cuda.mem_get_info(x.device)[0])
    return min(_free_on_machine(), _free_in_container(), _free_in_process())


def _free_on_machine() -> int:
    """Bytes the operating system can still give, 8 GiB where it does not say."""
    lines = _read("/proc/meminfo", str.splitlines) or []
    found = [int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable")]
    return found[0] if found else 2**33


def _free_in_container() -> int:
    """Bytes left below the limit of a container (cgroup v2), as classrooms' hubs set one."""
    limit = _read("/sys/fs/cgroup/memory.max", int)
    stat = _read("/sys/fs/cgroup/memory.stat", lambda text: dict(map(str.split, text.splitlines())))
    return sys.maxsize if limit is None or stat is None else limit - int(stat.get("anon", 0))


def _free_in_process() -> int:
    """Bytes left below the limit of this process (RLIMIT_AS, `ulimit -v`)."""
    used = _read("/proc/self/statm", lambda text: int(text.split()[0]) * mmap.PAGESIZE)
    if used is None:
        return sys.maxsize
    import resource  # not on Windows

    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return sys.maxsize if limit == resource.RLIM_INFINITY else max(limit - used, 0)


def _read(path: str, parse: Callable[[str], Any]) -> Any:
    try:
        return parse(Path(path).read_text())
    except (OSError, ValueError):  # not Linux, or "max": no limit
        return None
