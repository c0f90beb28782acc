"""Ten programs that rotate. Their numbers say nothing; readers find out what each one does.

Shapes: x [len, head_dim], positions [len], result [len, head_dim].
"""

import numpy as np

from posviz.arrays import to_dtype
from posviz.encodings.frequencies import rotary_angles, rotary_frequencies
from posviz.encodings.rotary import apply_rotary, change_layout


def reference(x, positions, base=10_000.0, layout="interleaved"):
    """Rotate x as lesson 05 does."""
    angles = rotary_angles(positions, rotary_frequencies(x.shape[-1], base))
    return apply_rotary(x, angles, layout=layout)


def _half_split(x, positions):
    return reference(x, positions, layout="half_split")


def _reversed(x, positions):
    return reference(x, -positions)


def _from_one(x, positions):
    return reference(x, positions + 1)


def _quarter(x, positions):
    first, rest = np.split(x, [x.shape[-1] // 4], axis=-1)
    return np.concatenate([reference(first, positions), rest], axis=-1)


def _interpolated(x, positions):
    return reference(x, positions / 4)


def _other_base(x, positions):
    return reference(x, positions, base=100_000.0)


def _larger(x, positions):
    return 1.2 * reference(x, positions)  # the attention factor of YaRN


def _rounded(x, positions):
    return reference(x, to_dtype(positions, "bfloat16"))


def _reordered(x, positions):
    return change_layout(reference(x, positions), source="interleaved", target="half_split")


_BOXES = (  # mixed by hand: box 1 is the first
    *(_other_base, _reversed, _reordered, _larger, _quarter),
    *(_from_one, reference, _interpolated, _half_split, _rounded),
)
COUNT = len(_BOXES)


def box(number):
    """Return black box 1 … 10: a function of x [len, head_dim] and positions [len]."""
    if number not in range(1, COUNT + 1):
        raise ValueError(f"number must be one of 1 to {COUNT}, got {number!r}.")
    return _BOXES[number - 1]
