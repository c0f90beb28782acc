"""A photograph of a cat, in small: `scripts/make_photograph.py` cuts it out."""

from pathlib import Path

import numpy as np

from posviz.models.archive import load_archive

PHOTOGRAPH = Path(__file__).parent / "data" / "cat.npz"


def photograph() -> np.ndarray:
    """Return the pixels [168, 168] of the photograph, from 0, black, to 1, white."""
    arrays, _ = load_archive(PHOTOGRAPH)
    return arrays["pixels"] / 255
