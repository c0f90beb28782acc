"""The rows of the comparison: every encoding of the map, at one size; and what a cell is."""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np

from posviz.encodings.alibi import Alibi
from posviz.encodings.cope import CoPE
from posviz.encodings.deberta import DeBERTa
from posviz.encodings.doors import Encoding, NoPosition
from posviz.encodings.fire import FIRE
from posviz.encodings.fox import FoX
from posviz.encodings.inkling import Inkling
from posviz.encodings.kerple import KerpleLog
from posviz.encodings.learned import Learned
from posviz.encodings.path import PaTH
from posviz.encodings.pope import PoPE
from posviz.encodings.rotary import Rotary
from posviz.encodings.rotary2d import AxialRotary, raster
from posviz.encodings.shaw import Shaw
from posviz.encodings.sinusoidal import Sinusoidal
from posviz.encodings.stretching import dynamic_ntk, yarn
from posviz.encodings.t5 import T5
from posviz.encodings.transformer_xl import TransformerXL
from posviz.encodings.xpos import XPos

HEADS, HEAD_DIM = 8, 64
D_MODEL = HEADS * HEAD_DIM
TRAINED = 1024  # tokens: the rows of the learned table; as an image, 32 × 32 patches
LINE = 32  # patches in a line of that image
SHORT = 4  # tokens that dynamic NTK takes for its training, so that few tokens are a long text

NONE = "none (NoPE)"  # what all are compared with
HYBRID, TWO_BASES = "RoPE + NoPE layers", "RoPE, two bases"
PLANS = {HYBRID: "RoPE", TWO_BASES: "RoPE"}
"""Plans of layers: the row that measures their windowed layers.

Their full layers, without position or with a larger base, spoil nothing that these can do.
"""

Make = Callable[[int], Encoding]  # for a text of so many tokens


class Cell(NamedTuple):
    """A measured number, its text, and whether the encoding can do it.

    can: None where it was not measured, as not every encoding was trained for loss and recall.
    """

    number: float
    said: str
    can: bool | None = True


def marked(number: float, said: str, can: bool) -> Cell:
    """Return a cell that begins with ✓ or ✗."""
    return Cell(number, f"{'✓' if can else '✗'} {said}", can)


@cache
def _random(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape)


def _small(*shape: int, seed: int = 0) -> np.ndarray:
    """A projection as models begin with it: what comes out is as large as what goes in."""
    return _random(*shape, seed=seed) / np.sqrt(shape[0])


ROWS: dict[str, Make] = {
    NONE: lambda length: NoPosition(),
    "sinusoidal": lambda length: Sinusoidal(),
    "learned": lambda length: Learned(_random(TRAINED, D_MODEL)),
    "Shaw": lambda length: Shaw(_random(33, HEAD_DIM), _random(33, HEAD_DIM, seed=1)),
    "Transformer-XL": lambda length: TransformerXL(
        _small(D_MODEL, D_MODEL),
        _random(HEADS, HEAD_DIM, seed=1),
        _random(HEADS, HEAD_DIM, seed=2),
    ),
    "T5": lambda length: T5(_random(32, HEADS)),
    "DeBERTa": lambda length: DeBERTa(
        _random(HEADS, 512, HEAD_DIM),
        _random(HEADS, 512, HEAD_DIM, seed=1),
        bucket_size=256,
        max_position=512,
    ),
    "RoPE": lambda length: Rotary(),
    "RoPE in 2-D": lambda length: AxialRotary(raster(TRAINED // LINE, LINE)),
    "stretched RoPE": lambda length: Rotary(
        frequencies=yarn(HEAD_DIM, 4.0, original_max_seq_len=TRAINED)
    ),
    "dynamic NTK": lambda length: Rotary(
        frequencies=dynamic_ntk(HEAD_DIM, 4.0, seq_len=length, original_max_seq_len=SHORT)
    ),
    "ALiBi": lambda length: Alibi(),
    "xPos": lambda length: XPos(),
    "Kerple": lambda length: KerpleLog(1 + _random(HEADS) ** 2, 0.5 + _random(HEADS, seed=1) ** 2),
    "FIRE": lambda length: FIRE(
        _random(32, seed=3),
        _random(32, seed=3),
        _random(32, HEADS, seed=3),
        _random(HEADS, seed=3),
    ),
    "FoX": lambda length: FoX(_small(D_MODEL, HEADS), _random(HEADS, seed=1)),
    "CoPE": lambda length: CoPE(_random(64, HEAD_DIM)),
    "PaTH": lambda length: PaTH(
        _small(D_MODEL, D_MODEL), _small(D_MODEL, HEADS, seed=1), _random(HEADS, seed=2)
    ),
    "Inkling": lambda length: Inkling(_small(D_MODEL, 8 * HEADS), _random(8, 512, seed=1)),
    "PoPE": lambda length: PoPE(-1 - _random(HEADS, HEAD_DIM) ** 2 / 9),
}
"""The encodings of the map of lesson 00, and dynamic NTK, which stretches RoPE as a text grows."""


def parameters_of(encoding: Encoding) -> int:
    """Return how many numbers of the encoding are learned: those it holds in arrays of floats."""
    parts = [part for part in vars(encoding).values() if isinstance(part, np.ndarray)]
    return sum(part.size for part in parts if part.dtype.kind == "f")
