"""What a NoPE layer with a causal mask makes of the last word of a sentence."""

import numpy as np

from posviz.attention import attend
from posviz.attention.masks import causal_mask
from posviz.encodings.doors import Encoding, NoPosition

WORDS = ("dog", "bites", "man")
_RNG = np.random.default_rng(0)
VECTORS = dict(zip(WORDS, _RNG.normal(size=(3, 16)), strict=True))
PROJECTIONS_BELOW, PROJECTIONS = _RNG.normal(size=(2, 3, 16, 16)) / 4  # of both layers


def change_at_last(first: str, second: str, *, below: Encoding | None = None) -> float:
    """Return the largest change of the last word's output from one sentence to the other.

    below: the encoding of a layer below the NoPE layer, or None if there is no such layer.
    """
    return float(abs(_last(first, below) - _last(second, below)).max())


def _last(sentence, below):
    """The output of the NoPE layer for the last word [16]."""
    x = np.array([VECTORS[word] for word in sentence.split()])[None]
    if below is not None:
        x = x + _layer(x, PROJECTIONS_BELOW, below)
    return _layer(x, PROJECTIONS, NoPosition())[0, -1]


def _layer(x, projections, encoding):
    positions = np.arange(x.shape[1])
    how = {"encoding": encoding, "mask": causal_mask, "positions": positions}
    return attend(x, *projections, num_heads=2, **how)
