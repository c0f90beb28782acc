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
from posviz.encodings.learned import Learned
from posviz.encodings.rotary import Rotary
from posviz_course.models.archive import load_archive

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
    """A causal ``posviz_course.models.training.SmallTransformer`` that was trained, in NumPy.

    arrays are its state_dict's; longest: how many characters it reads, None where there is no end.
    """

    def __init__(
        self, name: str, arrays: Mapping[str, Any], encoding: Encoding, num_heads: int
    ) -> None:
        self.name, self.encoding, self.num_heads = name, encoding, num_heads
        self.arrays = {key: np.asarray(x, dtype=np.float64) for key, x in arrays.items()}
        self.num_layers = sum(key.endswith(".w_q") for key in self.arrays)
        self.longest = len(encoding.table) if isinstance(encoding, Learned) else None

    def ids(self, text: str) -> list[int]:
        """Return the characters' codes; what is not ASCII is read as a question mark."""
        return list(text.encode("ascii", errors="replace"))

    def words(self, ids: Sequence[int]) -> list[str]:
        """Return the characters; a blank is shown as ␣."""
        return [chr(i).replace(" ", "␣") for i in ids]

    def weights(self, ids: Sequence[int]) -> np.ndarray:
        """Return the attention weights of all heads, [layers, heads, len, len]."""
        positions, seen = np.arange(len(ids)), []
        x = self.encoding.at_input(self.arrays["embedding"][list(ids)][None], positions)
        inner = NoPosition() if doors(self.encoding) == ("at_input",) else self.encoding
        for at in range(self.num_layers):
            start = f"layers.{at}."
            layer = {k.removeprefix(start): x for k, x in self.arrays.items() if start in k}
            x_norm = _layer_norm(x, layer, "attention_norm")
            output, weights = attend(
                *(x_norm, layer["w_q"], layer["w_k"], layer["w_v"]),
                num_heads=self.num_heads,
                encoding=inner,
                positions=positions,
                mask=causal_mask,
                return_weights=True,
            )
            seen.append(weights[0])
            x = x + output @ layer["w_o"]
            wide = _layer_norm(x, layer, "network_norm") @ layer["widen"] + layer["bias"]
            x = x + _gelu(wide) @ layer["narrow"]
        return np.stack(seen)


@functools.cache
def small_model(arm: str) -> SmallModel:
    """Return the stored model of an arm, trained to predict the next character."""
    arrays, card = load_archive(FOLDER / f"bytes_{arm.lower()}.npz")
    name = "the model without position" if arm == "none" else f"the {arm} model"
    return SmallModel(name, arrays, ENCODINGS[arm](arrays), card["config"]["num_heads"])


def table_snapshots() -> dict[int, np.ndarray]:
    """Return the table of lesson 03 by step of its training: each [48, 32], the last as trained."""
    arrays, _ = load_archive(TABLE_RUN)
    return {int(step): table.astype(float) for step, table in arrays.items()}


def _layer_norm(x: np.ndarray, layer: Mapping[str, np.ndarray], name: str) -> np.ndarray:
    """Layer normalisation, as torch has it."""
    x = x - x.mean(axis=-1, keepdims=True)
    x = x / np.sqrt(np.square(x).mean(axis=-1, keepdims=True) + 1e-5)
    return x * layer[f"{name}.weight"] + layer[f"{name}.bias"]


def _gelu(x: np.ndarray) -> np.ndarray:
    return x / 2 * (1 + _erf(x / 2**0.5))
