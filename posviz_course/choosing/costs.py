"""What an encoding costs on this machine: memory and time of one layer, with torch, beside none."""

import weakref
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from statistics import median
from time import process_time
from timeit import timeit
from typing import Any

import numpy as np
import torch
from torch.utils._python_dispatch import TorchDispatchMode  # documented under "Extending PyTorch"
from torch.utils._pytree import tree_leaves

from posviz.attention import attend
from posviz.attention.masks import causal_mask
from posviz.encodings.doors import Encoding
from posviz_course.choosing.rows import D_MODEL, HEADS, NONE, ROWS, Cell

LENGTH = 512  # tokens: a fourth of the pairs of 1024, and the same order of costs
MIB = 2**20
PAIRS = 3  # of passes


def memory(row: str, length: int = LENGTH) -> Cell:
    """What a layer holds at most beyond one without positions, in MiB for 512 tokens."""
    extra = (_peak(row, length) - _peak(NONE, length)) / MIB
    return Cell(extra, f"{extra:.1f}", extra < 1)


def time(row: str, length: int = LENGTH) -> Cell:
    """The time of a layer, as a multiple of one without positions: median, lowest to highest."""
    ratios = _ratios(row, length)
    low, middle, high = min(ratios), median(ratios), max(ratios)
    # What only adds work cannot take less time: below 1 it is the machine that differs.
    said = "≈ 1" if low <= 1 else f"× {middle:.1f} ({low:.1f} to {high:.1f})"
    return Cell(middle, said, middle < 1.5)


def pass_of(row: str, length: int = LENGTH) -> Callable[[], torch.Tensor]:
    """Return a function that passes random tokens through one causal layer, in float32."""
    numbers = torch.Generator().manual_seed(0)
    x = torch.randn(1, length, D_MODEL, generator=numbers)
    projections = torch.randn(3, D_MODEL, D_MODEL, generator=numbers) / D_MODEL**0.5
    encoding, places = in_torch(ROWS[row](length)), torch.arange(length)
    go = partial(attend, num_heads=HEADS, encoding=encoding, positions=places, mask=causal_mask)
    return partial(go, x, *projections)


def in_torch(encoding: Any) -> Encoding:
    """Return the encoding with tensors for its arrays, in float32."""
    arrays = {name: part for name, part in vars(encoding).items() if isinstance(part, np.ndarray)}
    return replace(encoding, **{name: torch.tensor(x).float() for name, x in arrays.items()})


@cache
def _peak(row: str, length: int) -> int:
    go = pass_of(row, length)
    with Held() as held:
        go()
    return held.most


def _ratios(row: str, length: int) -> list[float]:
    """Processor seconds of passes, each divided by those of a pass without positions."""
    passes = [pass_of(name, length) for name in (row, NONE)]
    pairs = [[timeit(go, timer=process_time, number=1) for go in passes] for _ in range(1 + PAIRS)]
    return [own / plain for own, plain in pairs[1:]]  # the first prepares the others


class Held(TorchDispatchMode):
    """Counts the bytes that tensors made within it hold together; most: at the worst moment."""

    def __init__(self) -> None:
        super().__init__()
        self.most = 0
        self._storages = weakref.WeakSet[torch.UntypedStorage]()

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        made = function(*args, **(kwargs or {}))
        tensors = (leaf for leaf in tree_leaves(made) if isinstance(leaf, torch.Tensor))
        self._storages.update(tensor.untyped_storage() for tensor in tensors)
        self.most = max(self.most, sum(storage.nbytes() for storage in self._storages))
        return made
