"""Arrays that the course ships: a compressed .npz file, with a card of where they come from."""

import functools
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

CARD = "card"  # the name of the card among the arrays, as JSON
PHOTOGRAPH = Path(__file__).parent / "data" / "cat.npz"  # by scripts/make_photograph.py


def save_archive(path: Path, arrays: Mapping[str, np.ndarray], card: Mapping[str, Any]) -> None:
    """Write arrays by their names, and their card."""
    contents: Any = {**arrays, CARD: np.array(json.dumps(card, ensure_ascii=False))}
    np.savez_compressed(path, **contents)


@functools.cache
def load_archive(path: Path) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Return the arrays by their names, and the card; read once, so change neither."""
    with np.load(path) as file:
        arrays = dict(file)
    return arrays, json.loads(str(arrays.pop(CARD)))


def photograph() -> np.ndarray:
    """Return the pixels [168, 168] of a photograph of a cat, from 0, black, to 1, white."""
    arrays, _ = load_archive(PHOTOGRAPH)
    return arrays["pixels"] / 255
