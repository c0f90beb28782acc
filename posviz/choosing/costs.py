"""What an encoding costs on this machine: memory and time of one layer, with torch, beside none."""

import weakref
from collections.abc import Callable
from functools import cache, partial
from time import process_time

import numpy as np
import torch
from torch.utils._python_dispatch import TorchDispatchMode  # documented under "Extending PyTorch"
from torch.utils._pytree import tree_leaves

from posviz.attention import attend
from posviz.attention.masks import causal_mask
from posviz.choosing.rows import D_MODEL, HEADS, NONE, ROWS, Cell

LENGTH = 1024  # tokens
MIB = 2**20
ENOUGH = 0.5  # seconds of passes


def memory(row: str, length: int = LENGTH) -> Cell:
    """What a layer holds at most beyond one without positions, in MiB for 1024 tokens."""
    extra = (_peak(row, length) - _peak(NONE, length)) / MIB
    return Cell(extra, f"{extra:.1f}", extra < 1)


def time(row: str, length: int = LENGTH) -> Cell:
    """The time of a layer for each of 1024 tokens, as a multiple of one without positions."""
    ratio = _fastest(row, length) / _fastest(NONE, length)
    return Cell(ratio, f"× {ratio:.2f}", ratio < 1.5)


def pass_of(row: str, length: int = LENGTH) -> Callable[[], torch.Tensor]:
    """Return a function that passes random tokens through one causal layer, in float32."""
    numbers = torch.Generator().manual_seed(0)
    x = torch.randn(1, length, D_MODEL, generator=numbers)
    projections = torch.randn(3, D_MODEL, D_MODEL, generator=numbers) / D_MODEL**0.5
    encoding, places = ROWS[row](_single, length), torch.arange(length)
    go = partial(attend, num_heads=HEADS, encoding=encoding, positions=places, mask=causal_mask)
    return partial(go, x, *projections)


def _single(array: np.ndarray) -> torch.Tensor:
    return torch.tensor(array, dtype=torch.float32 if array.dtype.kind == "f" else None)


@cache
def _peak(row: str, length: int) -> int:
    go = pass_of(row, length)
    with Held() as held:
        go()
    return held.most


@cache
def _fastest(row: str, length: int) -> float:
    """Processor seconds of the fastest pass: what else the machine does only slows them."""
    go, found = pass_of(row, length), [float("inf")]
    go()  # the first one also makes what the next find ready
    while len(found) < 4 and sum(found[1:]) < ENOUGH:
        start = process_time()
        go()
        found.append(process_time() - start)
    return min(found)


class Held(TorchDispatchMode):
    """Counts the bytes that tensors made within it hold together; most: at the worst moment."""

    def __init__(self) -> None:
        super().__init__()
        self.now = self.most = 0
        self._known: set[int] = set()

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        made = function(*args, **(kwargs or {}))
        for tensor in tree_leaves(made):
            if isinstance(tensor, torch.Tensor):
                self._count(tensor.untyped_storage())
        return made

    def _count(self, storage: torch.UntypedStorage) -> None:
        name, size = storage._cdata, storage.nbytes()
        if name not in self._known:
            self._known.add(name)
            self.now += size
            self.most = max(self.most, self.now)
            weakref.finalize(storage, self._drop, name, size)

    def _drop(self, name: int, size: int) -> None:
        self._known.discard(name)
        self.now -= size
