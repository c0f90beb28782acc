"""NumPy or torch, and on which device: the mathematics is written once for both."""

from __future__ import annotations

import math
import mmap
import platform
import sys
from collections.abc import Callable
from functools import lru_cache
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


def is_compiling() -> bool:
    """Tell whether torch compiles or exports the code: arrays hold no numbers yet."""
    torch = sys.modules.get("torch")
    return torch is not None and torch.compiler.is_compiling()


def is_abstract(x: Any) -> bool:
    """Tell whether ``x`` has a shape, but no numbers to look at.

    So it is while torch compiles or exports, within torch.vmap and its kin, and of fake and meta
    tensors.
    """
    torch = sys.modules.get("torch")
    if torch is None:
        return False
    if torch.compiler.is_compiling():
        return True
    if not isinstance(x, torch.Tensor):
        return False
    plain = type(x) is torch.Tensor or type(x) is torch.nn.Parameter
    return not plain or x.is_meta or torch._C._functorch.is_functorch_wrapped_tensor(x)


def is_readable(x: Any) -> bool:
    """Tell whether the numbers of ``x`` can be looked at, with no wait for a device.

    Only then they are checked, and shortcuts taken that depend on them.
    """
    return not is_abstract(x) and (not is_torch(x) or x.device.type == "cpu")


def version_of(x: Array) -> int:
    """Return a number that rises when the tensor ``x`` is written to; 0 for inference alone."""
    return 0 if x.is_inference() else x._version


def is_followed(*arrays: Array) -> bool:
    """Tell whether torch follows what is done to ``arrays``, for gradients or to transform it.

    What is followed may not be overwritten.
    """
    for x in arrays:
        if is_abstract(x) or (is_torch(x) and x.requires_grad and _torch().is_grad_enabled()):
            return True
    return False


def is_floating(x: Array) -> bool:
    """Tell whether ``x`` holds real floating-point numbers, of any precision."""
    dtype = x.dtype
    return dtype.kind == "f" if isinstance(dtype, np.dtype) else dtype.is_floating_point


def is_real(x: Array) -> bool:
    """Tell whether ``x`` holds real numbers, which booleans are not."""
    if isinstance(x.dtype, np.dtype):
        return x.dtype.kind in "iuf"
    return not (x.dtype.is_complex or x.dtype == sys.modules["torch"].bool)


def namespace(*arrays: Array) -> ModuleType:
    """Return the array namespace that all ``arrays`` share.

    Raises:
        TypeError: for what is neither a NumPy array nor a torch tensor, or for both at once.
    """
    if all(map(is_torch, arrays)):
        import array_api_compat.torch as torch_namespace

        return torch_namespace
    for x in arrays:
        if not (is_torch(x) or isinstance(x, (np.ndarray, np.generic))):
            raise TypeError(f"expected a NumPy array or a torch tensor, got {type(x).__name__}")
    if any(map(is_torch, arrays)):
        raise TypeError("NumPy arrays and torch tensors cannot be mixed: move all to one of them")
    return np


def as_array(values: Any, name: str) -> Array:
    """Return ``values`` as an array of real numbers; lists and ranges become NumPy arrays.

    The values themselves are not read, for which a GPU would have to be waited for.

    Raises:
        TypeError: for anything but real numbers.
        ValueError: for ragged lists, or when memory is short.
    """
    if is_torch(values):
        x = values
    else:
        x = _as_numpy(values, name)
        if isinstance(values, list | tuple) and x.size == 0:
            x = x.astype(np.int64)  # nothing, which NumPy takes for floats
        if is_compiling():  # where a NumPy array does not tell its dtype
            x = _as_tensor(x)
    if not is_real(x):
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
    """Return ``values`` as an array of finite real numbers: ``as_array``, and each is looked at.

    Not so where it cannot be, or a device would have to be waited for.

    Raises:
        TypeError: for anything but real numbers.
        ValueError: for NaN, infinity or ragged lists.
    """
    x = as_array(values, name)
    if is_floating(x) and is_readable(x):
        check_memory(name, tuple(x.shape), itemsize=1, x=x)  # an array may repeat one number
        if not bool(namespace(x).isfinite(x).all()):
            raise ValueError(f"{name} must be finite, got NaN or infinity among the values")
    return x


def as_float64(values: Any, name: str) -> Array:
    """Return finite real ``values`` in float64, on the CPU where the device has no float64."""
    x = as_array(values, name)
    check_memory(name, tuple(x.shape), x=x, copies=6)  # what is computed of them is as large
    return in_float64(as_numbers(x, name))


def in_float64(x: Array) -> Array:
    """Return the array ``x`` in float64, on the CPU where the device has none."""
    if not is_torch(x):
        return x.astype(np.float64, copy=False)
    return (x.cpu() if x.device.type == "mps" else x).double()


def as_integers(values: Any, name: str) -> Array:
    """Return integer ``values`` as int64, in which nothing wraps around that a text can hold.

    Raises:
        TypeError: for anything but integers, floats that happen to be whole included.
        ValueError: for ragged lists.
    """
    x = as_array(values, name)
    if is_floating(x):
        raise TypeError(f"{name} must be integers, got dtype {x.dtype}")
    return in_int64(x)


def in_int64(x: Array) -> Array:
    """Return the array ``x`` in int64."""
    return x.long() if is_torch(x) else x.astype(np.int64, copy=False)


def wide_integers(x: Array) -> Array:
    """Return integers ``x`` in int64, whose differences do not wrap around; floats as they are."""
    return x if is_floating(x) else in_int64(x)


def like(values: Array, x: Array, name: str, dtype: Any = None) -> Array:
    """Return ``values`` as ``x`` has it: same kind, same device, and ``dtype`` (default: its own).

    Lists and NumPy arrays follow a tensor wherever it is; so does, compiled, a tensor on the CPU,
    which these have become. Else a tensor stays where its owner put it, except that float64
    waiting on the CPU is taken to a device that has none.

    Raises:
        TypeError: for a tensor beside a NumPy array.
        ValueError: for tensors on different devices.
    """
    if not is_torch(x):
        if is_torch(values):
            raise TypeError(f"{name} must be a NumPy array like its companion, got a torch tensor")
        return values if dtype is None else np.asarray(values).astype(dtype, copy=False)
    if not is_torch(values):
        values = _as_tensor(values)
    elif values.device == x.device:
        return values if dtype in (None, values.dtype) else values.to(dtype)
    elif x.device.type != "mps" and not (is_compiling() and values.device.type == "cpu"):
        raise ValueError(f"{name} must be on device {x.device}, got {values.device}")
    if dtype is None:
        dtype = _torch().float32 if _lacks_float64(values, x.device.type) else values.dtype
    return values.to(dtype=dtype).to(x.device)


def _as_tensor(values: Any) -> Array:
    values = np.asarray(values)
    if is_compiling():
        return _torch().from_numpy(values)
    # Where tensors are fake, from_numpy would make a real one.
    return _torch().tensor(in_native_order(values))


def in_native_order(x: np.ndarray) -> np.ndarray:
    """x in the machine's own order of bytes, and steps that are not backwards."""
    return np.asarray(x, x.dtype.newbyteorder("="), order="C")


def beside(x: Array, make: Callable[..., np.ndarray], *arguments: Any, dtype: Any = None) -> Array:
    """Return the array make(*arguments) as ``like`` does, beside x.

    Tensors are kept, so that a device gets them once: they must not be written to.
    """
    if not is_torch(x) or is_abstract(x):
        return like(make(*arguments), x, "x", dtype)
    return _kept(x.device, dtype, make, *arguments)


@lru_cache(maxsize=256)
def _kept(device: Any, dtype: Any, make: Callable[..., np.ndarray], *arguments: Any) -> Array:
    torch = _torch()
    with torch.inference_mode(False):  # the next caller may want gradients
        return like(make(*arguments), torch.empty(0, device=device), "x", dtype)


def require_alike(**arrays: Array) -> ModuleType:
    """Return the namespace of floating arrays of one kind, dtype and device, given by name.

    Raises:
        TypeError: when one is not a floating array, or kinds or dtypes differ.
        ValueError: when devices differ.
    """
    try:
        xp = namespace(*arrays.values())
    except TypeError as error:
        raise TypeError(f"{', '.join(arrays)}: {error}") from None
    for name, x in arrays.items():
        if not is_floating(x):
            raise TypeError(f"{name} must be floating-point, got dtype {x.dtype}")
    first, *rest = arrays.values()
    for x in rest:
        if x.dtype != first.dtype or x.device != first.device:
            what = "device" if x.dtype == first.dtype else "dtype"
            came = ", ".join(f"{name}: {getattr(x, what)}" for name, x in arrays.items())
            refused = f"{', '.join(arrays)} must share one {what}, got {came}"
            raise TypeError(refused) if what == "dtype" else ValueError(refused)
    return xp


def widened(*arrays: Array) -> tuple[Array, ...]:
    """Return ``arrays`` as they are, but halves in float32: sums of halves lose what they add."""
    return tuple(in_float32(x) if x.dtype.itemsize < 4 else x for x in arrays)


def in_float32(x: Array) -> Array:
    """Return the array ``x`` in float32."""
    return x.float() if is_torch(x) else x.astype(np.float32, copy=False)


def in_dtype(x: Array, dtype: Any) -> Array:
    """Return the array ``x`` in ``dtype``, uncopied where that is its own."""
    return x.to(dtype) if is_torch(x) else x.astype(dtype, copy=False)


def wide_dtype(x: Array) -> Any:
    """Return the dtype in which ``x`` is computed with: its own, but float32 for halves."""
    return x.dtype if x.dtype.itemsize >= 4 else namespace(x).float32


def take_rows(table: Array, index: Array) -> Array:
    """Return ``table[index]`` for a table [rows, columns]; torch counts no row from the end."""
    if not is_torch(table):
        return table[index]
    return _torch().nn.functional.embedding(index, table)


def softplus(x: Array) -> Array:
    """Return ln(1 + e^x) of floating ``x``, at least 0, where no power overflows."""
    xp = namespace(x)
    return xp.logaddexp(x, xp.zeros_like(x))


def sigmoid(x: Array) -> Array:
    """Return 1/(1 + e^−x) of floating ``x``, where no power overflows."""
    return namespace(x).exp(-softplus(-x))


def through_unit_lower(rows: Array, lower: Array) -> Array:
    """Return rows (I + lower)⁻¹ for a matrix that is 0 on its diagonal and above.

    Shapes: rows [..., m, n], lower [..., n, n], result as rows.
    """
    if is_torch(rows):
        solve = _torch().linalg.solve_triangular
        return solve(lower, rows, upper=False, left=False, unitriangular=True)
    whole = np.eye(lower.shape[-1], dtype=lower.dtype) + lower
    return np.linalg.solve(whole.mT, rows.mT).mT


def plus_product(x: Array, a: Array, b: Array) -> Array:
    """Return x + a·b; torch does not write the product down."""
    return x.addcmul(a, b) if is_torch(x) else x + a * b


def as_complex(real: Array, imaginary: Array) -> Array:
    """Return real + i·imaginary."""
    return _torch().complex(real, imaginary) if is_torch(real) else real + 1j * imaginary


def side_by_side(x: Array) -> Array:
    """Return complex ``x`` [..., n] as real and imaginary parts in turn, [..., 2n], uncopied."""
    if is_torch(x):
        return _torch().view_as_real(x).flatten(-2)
    return np.ascontiguousarray(x).view(x.real.dtype)


def in_pairs(x: Array) -> Array:
    """Return ``x`` [..., 2n] as complex [..., n], copied only where it lies in no such order.

    The inverse of ``side_by_side``.
    """
    if not is_torch(x):
        if x.strides[-1] != x.itemsize or not x.dtype.isnative:
            x = in_native_order(x)
        return x.view(np.result_type(x.dtype, np.complex64))
    torch = _torch()
    start = 0 if is_compiling() else x.storage_offset()  # torch.compile cannot ask for it
    if start % 2 or not x.is_contiguous():  # a pair must start at an even place
        last, steps = x.stride(-1), x.stride()[:-1]
        if start % 2 or last != 1 or any(step % 2 for step in steps):
            x = x.clone(memory_format=torch.contiguous_format)
    return torch.view_as_complex(x.view(*x.shape[:-1], x.shape[-1] // 2, 2))


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
    _torch()
    if reason := _why_not(name):
        raise ValueError(f"device {name} cannot be used: {reason}")
    tensor = x if is_torch(x) else _as_tensor(_as_numpy(x, "x"))
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
    if is_compiling():
        return  # how large a shape is may not be asked
    needed = math.prod(shape) * itemsize * copies
    if needed <= UNQUESTIONED_BYTES or is_abstract(x) or needed <= (free := _free_memory(x)):
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
