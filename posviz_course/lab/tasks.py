"""Tasks: texts, the target at each place, and how answers are measured.

Every text is drawn from a generator that is given, so all arms of a seed read the same.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

IGNORED = -100  # a place without a target
CHARACTERS, BLOCK, HELD_OUT = 2**20, 2**12, 5  # of Python's library; every fifth block is held out
NAMES, VALUES = 8, 8  # of recall: a token for each value of each name, and one to ask for it
UNIQUE, REPEATED = 64, 16  # tokens that a text to be copied is made of


class Batch(NamedTuple):
    """Texts: their tokens, the targets (IGNORED: none), and the bin that each place counts for.

    Shapes: each [batch, len], int64.
    """

    tokens: np.ndarray
    targets: np.ndarray
    places: np.ndarray


@dataclass(frozen=True)
class Task:
    """How texts are drawn, up to how many times the trained length, and what is measured.

    ``draw(rng, batch, length, test)`` makes a Batch; ``measure`` is "loss", in nats, or "accuracy".
    With ``by_distance`` places are distances.
    """

    draw: Callable[[np.random.Generator, int, int, bool], Batch]
    measure: str = "accuracy"
    farthest: int = 8
    by_distance: bool = False

    def lengths(self, seq_len: int) -> tuple[int, ...]:
        """Return the lengths at which a model is tested, from the trained one on, doubling."""
        return tuple(seq_len * 2**k for k in range(self.farthest.bit_length()))

    def places(self, length: int) -> np.ndarray:
        """Return where each bin of ``by_place`` begins: positions, or distances 1, 2, 4, …"""
        if self.by_distance:
            return 2 ** np.arange(length.bit_length() - 1)
        return np.arange(length)


def training_batch(task: str, seed: int, step: int, batch: int, seq_len: int) -> Batch:
    """Return the texts of a step: they depend on these numbers alone, not on what came before."""
    return TASKS[task].draw(np.random.default_rng((seed, step)), batch, seq_len, False)


def held_out_batch(task: str, length: int, texts: int) -> Batch:
    """Return texts to test with, the same for every arm and seed."""
    return TASKS[task].draw(np.random.default_rng((2**32 - 1, length)), texts, length, True)


# ---------------------------------------------------------------- the tasks


def _bytes(rng: np.random.Generator, batch: int, length: int, test: bool) -> Batch:
    """Characters of Python's library: predict the next one. Test blocks are never trained on."""
    blocks = _blocks(test)
    last = BLOCK - length - 1
    if test:
        block, first = np.divmod(np.linspace(0, len(blocks) * last - 1, batch).astype(int), last)
    else:
        block, first = rng.integers(len(blocks), size=batch), rng.integers(last, size=batch)
    read = blocks[block[:, None], first[:, None] + np.arange(length + 1)].astype(np.int64)
    return Batch(read[:, :-1], read[:, 1:], _positions(batch, length))


@functools.cache
def _blocks(test: bool) -> np.ndarray:
    """[blocks, characters]: those held out, or all others."""
    from posviz_course.models.training import standard_library_text  # which needs torch

    text = np.frombuffer(standard_library_text(CHARACTERS).encode(), dtype=np.uint8)
    blocks = text.reshape(-1, BLOCK)
    return blocks[(np.arange(len(blocks)) % HELD_OUT == HELD_OUT - 1) == test]


def _recall(rng: np.random.Generator, batch: int, length: int, test: bool) -> Batch:
    """Names are given a value, one token for both, once each; all other tokens ask for a name.

    Predict the value of the name that is asked for: any known so far, at any distance.
    """
    rows, places = np.arange(batch)[:, None], np.arange(length)
    given = rng.random((batch, length)).argsort(axis=1)[:, :NAMES]
    values = rng.integers(VALUES, size=(batch, NAMES))
    known = given[:, None, :] < places[:, None]  # [batch, len, names]
    asked = np.where(known, rng.random(known.shape), -1.0).argmax(axis=2)
    asks = np.any(known, axis=2)
    asks[rows, given] = False
    tokens = np.where(asks, NAMES * VALUES + asked, NAMES * VALUES + NAMES)  # or a blank
    tokens[rows, given] = np.arange(NAMES) * VALUES + values
    targets = np.where(asks, values[rows, asked], IGNORED)
    apart = np.where(asks, places - given[rows, asked], 1)
    return Batch(tokens, targets, np.log2(apart).astype(np.int64))


def _copy(rng: np.random.Generator, batch: int, length: int, test: bool, unique: bool) -> Batch:
    """The same text again and again: predict the next token from the second time on.

    In training a text has a quarter to half of the length, so no distance is fixed; at test half.
    """
    half = length // 2
    if unique:
        text = rng.random((batch, UNIQUE)).argsort(axis=1)[:, :half]
    else:
        text = rng.integers(REPEATED, size=(batch, half))
    period = np.full(batch, half) if test else rng.integers(half // 2, half + 1, size=batch)
    places = np.arange(length + 1)
    tokens = np.take_along_axis(text, places % period[:, None], axis=1)
    again = places[1:] >= period[:, None]
    return Batch(tokens[:, :-1], np.where(again, tokens[:, 1:], IGNORED), _positions(batch, length))


def _parity(rng: np.random.Generator, batch: int, length: int, test: bool) -> Batch:
    """Zeros and ones: predict whether the number of ones so far is odd."""
    bits = rng.integers(2, size=(batch, length))
    return Batch(bits, bits.cumsum(axis=1) % 2, _positions(batch, length))


def _majority(rng: np.random.Generator, batch: int, length: int, test: bool) -> Batch:
    """Zeros and ones: predict which are more so far; no target where they are as many."""
    bits = rng.integers(2, size=(batch, length))
    ahead = (2 * bits - 1).cumsum(axis=1)
    targets = np.where(ahead == 0, IGNORED, (ahead > 0).astype(np.int64))
    return Batch(bits, targets, _positions(batch, length))


def _positions(batch: int, length: int) -> np.ndarray:
    return np.broadcast_to(np.arange(length), (batch, length))


TASKS = {
    "bytes": Task(_bytes, measure="loss"),
    "recall": Task(_recall, by_distance=True),
    "copy unique": Task(partial(_copy, unique=True), farthest=4),
    "copy repeats": Task(partial(_copy, unique=False), farthest=4),
    "parity": Task(_parity),
    "majority": Task(_majority),
}
