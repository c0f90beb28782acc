"""An encoding in a PyTorch model: its arrays are saved, moved and trained with the model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from typing import Any

import numpy as np
import torch
from torch import nn

from posviz.arrays import in_native_order
from posviz.encodings.doors import Encoding, doors


class EncodingModule(nn.Module):
    """Register the arrays of an encoding; calling the module returns it with these arrays.

    In a model's __init__, ``self.position = EncodingModule(Rotary(frequencies=…))``, and in its
    forward ``attend(…, encoding=self.position())``. Arrays that are torch.nn.Parameter become
    parameters and are trained; all others, of NumPy too, become buffers. They have the names that
    they have in the encoding, and are in state_dict. ``.to(device)`` moves them all, and
    ``.to(dtype)`` parameters alone: a frequency in bfloat16 turns tokens by wrong angles. An
    encoding inside another becomes a module inside it.

    Raises:
        TypeError: for what is not an Encoding, or keeps parameters in a list, tuple or dict.
    """

    def __init__(self, encoding: Encoding) -> None:
        super().__init__()
        doors(encoding)  # refuses what is no Encoding
        self._plain = encoding
        for _, name, value in _arrays(encoding):
            if isinstance(value, nn.Parameter):
                self.register_parameter(name, value)
            else:
                is_numpy = isinstance(value, np.ndarray)
                own = torch.tensor(in_native_order(value)) if is_numpy else value.clone()
                self.register_buffer(name, own)
        for field, value in vars(encoding).items():
            if isinstance(value, Encoding):
                self.add_module(field, EncodingModule(value))

    def forward(self) -> Encoding:
        """Return the encoding, with the arrays as they are now."""
        made = copy(self._plain)
        for field, name, _ in _arrays(made):
            value = getattr(self, name)
            if field != name:
                value = getattr(made, field)._replace(**{name: value})
            object.__setattr__(made, field, value)  # the dataclass is frozen; the copy is ours
        for field, inner in self.named_children():
            object.__setattr__(made, field, inner())
        return made

    def extra_repr(self) -> str:
        """Name the encoding where the model is printed."""
        return type(self._plain).__name__

    def _apply(self, fn: Callable[[torch.Tensor], torch.Tensor], recurse: bool = True) -> Any:
        before = dict(self._buffers)
        super()._apply(fn, recurse)
        for name, old in before.items():
            new = self._buffers[name]
            if old is not None and new is not None and new.dtype != old.dtype:
                self._buffers[name] = old.to(new.device)
        return self


def _arrays(encoding: Encoding) -> Iterator[tuple[str, str, Any]]:
    """Yield (field, name, array) of each array; those of Frequencies have their own names."""
    for field, value in list(vars(encoding).items()):
        inner = value._asdict() if hasattr(value, "_asdict") else {field: value}
        _refuse_hidden(field, inner.get(field))
        for name, array in inner.items():
            if isinstance(array, np.ndarray | torch.Tensor):
                yield field, name, array


def _refuse_hidden(field: str, value: Any) -> None:
    """Refuse parameters that would be neither saved nor moved nor trained."""
    within = value.values() if isinstance(value, dict) else value
    if isinstance(value, list | tuple | dict) and any(isinstance(x, nn.Parameter) for x in within):
        raise TypeError(
            f"{field} must be a parameter, Frequencies or an Encoding to be registered, "
            f"got a {type(value).__name__} of parameters"
        )
