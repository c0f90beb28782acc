"""The course's small trained models, read in NumPy: a picture of them needs no torch."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from posviz.attention import attend
from posviz.attention.masks import causal_mask
from posviz.encodings.alibi import Alibi
from posviz.encodings.doors import Encoding, NoPosition, doors
from posviz.encodings.frequencies import Frequencies, rotary_frequencies
from posviz.encodings.learned import Learned
from posviz.encodings.rotary import Rotary
from posviz.models.archive import load_archive
from posviz.models.reading import HeadTrace

FOLDER = Path(__file__).parent / "data" / "small"
TABLE_RUN = FOLDER / "table_run.npz"
ENCODINGS: dict[str, Callable[[Mapping[str, np.ndarray]], Encoding]] = {  # by arm, from arrays
    "none": lambda arrays: NoPosition(),
    "learned": lambda arrays: Learned(arrays["encoding_parameters.table"]),
    "ALiBi": lambda arrays: Alibi(),
    "RoPE": lambda arrays: Rotary(),
}
_erf = np.vectorize(math.erf, otypes=[float])


class SmallModel:
    """A causal ``posviz.models.training.SmallTransformer`` that was trained, in NumPy.

    arrays are its state_dict's; longest: how many characters it reads, None where there is no end.
    """

    def __init__(
        self,
        arrays: Mapping[str, Any],
        encoding: Encoding,
        *,
        num_heads: int,
        name: str = "a small model",
    ) -> None:
        self.arrays = {key: np.asarray(x, dtype=np.float64) for key, x in arrays.items()}
        self.encoding, self.num_heads, self.name = encoding, num_heads, name
        self.num_layers = sum(key.endswith(".w_q") for key in self.arrays)
        self.rotary = (self._rotary(),) * self.num_layers
        self.longest = len(encoding.table) if isinstance(encoding, Learned) else None

    def _rotary(self) -> Rotary | None:
        """Return how the model rotates, with frequencies, also where these follow from a base."""
        if not isinstance(rotary := self.encoding, Rotary):
            return None
        width = self.arrays["layers.0.w_q"].shape[1] // self.num_heads
        made = Frequencies(rotary_frequencies(width, rotary.base))
        return Rotary(layout=rotary.layout, frequencies=rotary.frequencies or made)

    def ids(self, text: str) -> list[int]:
        """Return the characters' codes; what is not ASCII is read as a question mark."""
        return list(text.encode("ascii", errors="replace"))

    def words(self, ids: Sequence[int]) -> list[str]:
        """Return the characters; a blank is shown as ␣."""
        return [chr(i).replace(" ", "␣") for i in ids]

    def read(self, ids: Sequence[int]) -> HeadTrace:
        """Return what every head does with these characters."""
        return self._run(ids)[0]

    def logits(self, ids: Sequence[int]) -> np.ndarray:
        """Return what the model says of the character after each: [len, 128]."""
        x = _layer_norm(self._run(ids)[1], self._part("norm"))
        return x[0] @ self.arrays["output"]

    def _run(self, ids: Sequence[int]) -> tuple[HeadTrace, np.ndarray]:
        positions, seen = np.arange(len(ids)), []
        x = self.encoding.at_input(self.arrays["embedding"][list(ids)][None], positions)
        inner = NoPosition() if doors(self.encoding) == ("at_input",) else self.encoding
        for at in range(self.num_layers):
            layer = self._part(f"layers.{at}")
            x_norm = _layer_norm(x, layer, "attention_norm.")
            w_q, w_k, w_v, w_o = (layer[f"w_{part}"] for part in "qkvo")
            output, weights = attend(
                *(x_norm, w_q, w_k, w_v),
                num_heads=self.num_heads,
                encoding=inner,
                positions=positions,
                mask=causal_mask,
                return_weights=True,
            )
            seen.append((weights[0], self._heads(x_norm @ w_q), self._heads(x_norm @ w_k)))
            x = x + output @ w_o
            wide = _layer_norm(x, layer, "network_norm.") @ layer["widen"] + layer["bias"]
            x = x + _gelu(wide) @ layer["narrow"]
        return HeadTrace(*map(np.stack, zip(*seen, strict=True))), x

    def _part(self, name: str) -> dict[str, np.ndarray]:
        """Return the arrays of a part of the model, by their names in it."""
        start = f"{name}."
        return {k.removeprefix(start): x for k, x in self.arrays.items() if k.startswith(start)}

    def _heads(self, x: np.ndarray) -> np.ndarray:
        """[1, len, d_model] → [heads, len, head_dim]"""
        return x[0].reshape(x.shape[1], self.num_heads, -1).swapaxes(0, 1)


@functools.cache
def small_model(arm: str) -> SmallModel:
    """Return the stored model of an arm, trained to predict the next character."""
    arrays, _ = load_archive(_file(arm))
    name = "the model without position" if arm == "none" else f"the {arm} model"
    heads = card(arm)["config"]["num_heads"]
    return SmallModel(arrays, ENCODINGS[arm](arrays), num_heads=heads, name=name)


def card(arm: str) -> dict[str, Any]:
    """Return what the file of a model tells: its configuration, loss in nats, date and versions."""
    return load_archive(_file(arm))[1]


def table_snapshots() -> dict[int, np.ndarray]:
    """Return the table of lesson 03 by step of its training: each [48, 32], the last as trained."""
    arrays, _ = load_archive(TABLE_RUN)
    return {int(step): table.astype(float) for step, table in arrays.items()}


def _file(arm: str) -> Path:
    return FOLDER / f"bytes_{arm.lower()}.npz"


def _layer_norm(x: np.ndarray, layer: Mapping[str, np.ndarray], name: str = "") -> np.ndarray:
    """Layer normalisation, as torch has it."""
    x = x - x.mean(axis=-1, keepdims=True)
    x = x / np.sqrt(np.square(x).mean(axis=-1, keepdims=True) + 1e-5)
    return x * layer[f"{name}weight"] + layer[f"{name}bias"]


def _gelu(x: np.ndarray) -> np.ndarray:
    return x / 2 * (1 + _erf(x / 2**0.5))
