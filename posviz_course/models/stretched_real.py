"""A trained model read past its length: SmolLM2, its RoPE stretched in many ways, untuned.

`scripts/measure_stretching.py` let it read 16,384 tokens in each way, with numbers to remember
strewn over the text and asked for later.
"""

import json
from typing import NamedTuple

import numpy as np

from posviz_course.models.real import DATA

RESULTS = DATA / "smollm2_stretched.json"
TRAINED = 8192  # tokens: llama.context_length in the model's file
LENGTH = 16_384  # tokens that are read
BIN = 256  # tokens whose losses are averaged
ASKED_EVERY = 4096  # tokens, before which five numbers are asked for


class Needle(NamedTuple):
    """A number of five digits that was asked for: where, and how many tokens after it was said.

    loss is the mean of its digits, in nats: a guess has ln 10 = 2.30. right is the share of its
    digits that were the likeliest tokens.
    """

    asked: int
    distance: int
    loss: float
    right: float


class LongReading(NamedTuple):
    """How a text was read: the mean loss of its tokens in nats, bin by bin, and needles.

    Shapes: losses [bins], NaN where nothing was read, counts [bins]: tokens of the text in each.
    """

    losses: np.ndarray
    counts: np.ndarray
    needles: list[Needle]

    def mean(self, start: int, stop: int) -> float:
        """Return the mean loss of the text between two places, in tokens: whole bins."""
        bins = slice(start // BIN, stop // BIN)
        return float(np.average(self.losses[bins], weights=self.counts[bins]))


def stored() -> dict[str, LongReading]:
    """Return what SmolLM2 read of 16,384 tokens in each way, by names as "PI × 2"."""
    readings = {}
    for entry in json.loads(RESULTS.read_text(encoding="utf-8"))["entries"]:
        losses = np.array(entry["losses"], dtype=float)  # None becomes NaN
        needles = [Needle(**needle) for needle in entry["needles"]]
        name = name_of(entry["method"], entry["factor"])
        readings[name] = LongReading(losses, np.array(entry["counts"]), needles)
    return readings


def name_of(method: str, factor: float) -> str:
    """Return the name of a method and its factor, as "PI × 2"."""
    return method if factor == 1 else f"{method} × {factor:g}"
