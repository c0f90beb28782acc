"""A trained model read past its length: SmolLM2, its RoPE stretched in many ways, untuned.

A text is read in one pass, with numbers to remember strewn over it and asked for later.
`scripts/measure_stretching.py` reads 16,384 tokens in each way and leaves what `stored` returns.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from posviz.encodings.checks import require_choice, require_integer
from posviz.encodings.frequencies import Frequencies, rotary_frequencies
from posviz.encodings.position_maps import (
    Map,
    MappedRotary,
    rerope_positions,
    self_extend_positions,
)
from posviz.encodings.rotary import Rotary
from posviz.encodings.stretching import dynamic_ntk, ntk, position_interpolation, yarn
from posviz.models.real import BASE, DATA, HEAD_DIM, LAYOUT, _load

RESULTS = DATA / "smollm2_stretched.json"
TRAINED = 8192  # tokens: llama.context_length in the model's file
LAYERS = 30
LENGTH = 16_384  # tokens that are read
BIN = 256  # tokens whose losses are averaged
METHODS = (
    *("nothing changed", "PI", "NTK", "dynamic NTK", "YaRN", "YaRN by turns"),
    *("YaRN without temperature", "larger base", "ReRoPE", "Self-Extend", "cropped"),
)
ASKED_EVERY, ROOM = 4096, 140  # tokens; before it, for five questions
DEPTHS = (0.1, 0.3, 0.5, 0.7, 0.9)  # of the text before the question
CITIES = (
    *("Paris", "London", "Berlin", "Madrid", "Rome", "Vienna", "Moscow", "Cairo", "Delhi", "Tokyo"),
    *("Lima", "Oslo", "Dublin", "Athens", "Boston", "Sydney", "Seattle", "Chicago", "Toronto"),
    "Lisbon",
)


class Needle(NamedTuple):
    """A number of five digits that was asked for: where, and how many tokens after it was said.

    loss is the mean of its digits, in nats: a guess has ln 10 = 2.30. right is the share of its
    digits that were the likeliest tokens.
    """

    asked: int
    distance: int
    loss: float
    right: float


class Reading(NamedTuple):
    """How a text was read: the mean loss of its tokens in nats, bin by bin, and needles.

    Shapes: losses [bins], NaN where nothing was read, counts [bins]: tokens of the text in each.
    """

    losses: np.ndarray
    counts: np.ndarray
    needles: list[Needle]

    def mean(self, start: int, stop: int) -> float:
        """The mean loss of the text between two places, in tokens: whole bins."""
        bins = slice(start // BIN, stop // BIN)
        return float(np.average(self.losses[bins], weights=self.counts[bins]))


class LongText(NamedTuple):
    """Tokens to read: ids and is_text [length]; answers, each (start, stop, where it was said)."""

    ids: np.ndarray
    is_text: np.ndarray
    answers: list[tuple[int, int, int]]


def stored() -> dict[str, Reading]:
    """Return what SmolLM2 read of 16,384 tokens in each way, by names as "PI × 2"."""
    entries = json.loads(RESULTS.read_text(encoding="utf-8"))["entries"]
    return {named(each["method"], each["factor"]): _reading(each) for each in entries}


def named(method: str, factor: float) -> str:
    """Return a name of a method and its factor, as "PI × 2"."""
    return method if factor == 1 else f"{method} × {factor:g}"


def read(method: str, factor: float = 1, *, length: int = LENGTH) -> Reading:
    """Let SmolLM2 read a long text in one of METHODS, and return its losses and needles.

    "cropped" changes nothing, but shows each token past the trained length only the 4096 to 8192
    before it. ReRoPE's window is the trained length divided by the factor; Self-Extend counts in
    groups of twice the factor beyond 1024 tokens. A pass of 4096 tokens takes half a minute, one of
    16,384 four or five.

    Raises:
        TypeError: when length is not an integer.
        ValueError: when the method is unknown, length is below 256, not a multiple of it, or
            longer than the text, or as the method itself does.
        ModuleNotFoundError: when a package that the model needs is not installed.
    """
    require_choice(method, "method", METHODS)
    if require_integer(length, "length", low=BIN) % BIN:
        raise ValueError(f"length must be a multiple of {BIN}, got {length}")
    tokenizer, model = _load()
    text = long_text(tokenizer, length)
    from tqdm import tqdm

    from posviz.models.stretched_attention import token_losses

    losses, likeliest = np.full(length, np.nan), np.zeros(length, dtype=bool)
    pieces = list(_pieces(method, length))
    with tqdm(total=LAYERS * len(pieces), unit="layer", file=sys.stdout) as bar:
        for shown, new in pieces:
            how = encoding(method, factor, length)
            both = token_losses(model, text.ids[shown], how, each_layer=bar.update)
            losses[new], likeliest[new] = (x[new.start - shown.start :] for x in both)
    return measured(text, losses, likeliest)


def _pieces(method: str, length: int) -> Iterator[tuple[slice, slice]]:
    """Yield what is shown to the model at once, and which tokens of it count."""
    if method != "cropped":
        yield slice(0, length), slice(0, length)
        return
    half = TRAINED // 2
    for start in range(half, length - TRAINED + 1, half):
        yield slice(start, start + TRAINED), slice(start + half, start + TRAINED)


def encoding(method: str, factor: float, length: int) -> MappedRotary:
    """Return RoPE stretched by a method, with its map of positions."""
    maps: dict[str, Map] = {
        "ReRoPE": partial(rerope_positions, window=int(TRAINED / factor)),
        "Self-Extend": partial(self_extend_positions, window=1024, group=int(2 * factor)),
    }
    as_they_are = partial(rerope_positions, window=length)  # no pair is that far apart
    rotary = Rotary(layout=LAYOUT, frequencies=frequencies(method, factor, length))
    return MappedRotary(maps.get(method, as_they_are), rotary)


def frequencies(method: str, factor: float, length: int = LENGTH) -> Frequencies:
    """Return how SmolLM2's pairs turn: as they were trained but for methods that change them."""
    trained: dict[str, Any] = {"original_max_seq_len": TRAINED, "base": BASE}
    made = {
        "PI": lambda: position_interpolation(HEAD_DIM, factor, base=BASE),
        "NTK": lambda: ntk(HEAD_DIM, factor, base=BASE),
        "dynamic NTK": lambda: dynamic_ntk(HEAD_DIM, factor, seq_len=length, **trained),
        "YaRN": lambda: yarn(HEAD_DIM, factor, **trained),
        "YaRN by turns": lambda: yarn(HEAD_DIM, factor, ramp="paper", **trained),
        "YaRN without temperature": lambda: yarn(HEAD_DIM, factor, attention_factor=1.0, **trained),
        "larger base": lambda: Frequencies(rotary_frequencies(HEAD_DIM, factor * BASE)),
    }
    as_trained = Frequencies(rotary_frequencies(HEAD_DIM, BASE))
    return made[method]() if method in made else as_trained


def source() -> str:
    """Return two long pages of Python's own reference; they differ from version to version."""
    from pydoc_data.topics import topics

    return topics["specialnames"] + topics["compound"]


def long_text(tokenizer: Any, length: int) -> LongText:
    """Return the first tokens of ``source``, with numbers to remember and questions about them.

    Before every 4096th token, five numbers are asked for that no question before was about.

    Raises ValueError when the text is not that long.
    """
    text = tokenizer(source())["input_ids"]
    ids: list[int] = []
    is_text: list[bool] = []
    said: dict[str, int] = {}
    answers = []
    for place, is_question, city, number in _needles(length):
        more = max(place - len(ids), 0)
        start = len(ids) + more
        before = tokenizer(f"\n\nThe magic number of {city} is ")["input_ids"]
        digits = tokenizer(number)["input_ids"]
        if is_question:
            answer = start + len(before)
            answers.append((answer, answer + len(digits), said[city]))
        else:
            said[city] = start
        inserted = before + digits + tokenizer(".\n\n")["input_ids"]
        ids += text[:more] + inserted
        is_text += [True] * more + [False] * len(inserted)
        text = text[more:]
    if length > len(ids) + len(text):
        raise ValueError(f"length must be at most {len(ids) + len(text)}, got {length}")
    is_text += [True] * len(text)
    whole = [answer for answer in answers if answer[1] <= length]
    return LongText(np.array((ids + text)[:length]), np.array(is_text[:length]), whole)


def _needles(length: int) -> list[tuple[int, bool, str, str]]:
    """Return in order what is said or asked: place, whether it is asked, city, number."""
    random, found = np.random.default_rng(0), []
    for at, city in enumerate(CITIES):
        asked = ASKED_EVERY * (at // len(DEPTHS) + 1)
        number = str(random.integers(10_000, 100_000))
        if asked <= length:
            place = int(DEPTHS[at % len(DEPTHS)] * asked)
            found.append((place, False, at, city, number))
            found.append((asked - ROOM, True, at, city, number))
    return [(place, asks, city, number) for place, asks, _, city, number in sorted(found)]


def measured(text: LongText, losses: np.ndarray, likeliest: np.ndarray) -> Reading:
    """Return the mean of each bin over the text itself, and of each needle over its digits.

    Shapes: losses and likeliest [length]; a loss is NaN where a token was not read.
    """
    own = (text.is_text & ~np.isnan(losses)).reshape(-1, BIN)
    counts = own.sum(axis=1)
    sums = np.where(own, losses.reshape(-1, BIN), 0.0).sum(axis=1)
    means = np.divide(sums, counts, where=counts > 0, out=np.full(len(counts), np.nan))
    needles = [
        Needle(a, a - said, float(losses[a:b].mean()), float(likeliest[a:b].mean()))
        for a, b, said in text.answers
        if not np.isnan(losses[a:b]).any()
    ]
    return Reading(means, counts, needles)


def _reading(entry: dict[str, Any]) -> Reading:
    losses = np.array([np.nan if x is None else x for x in entry["losses"]])
    needles = [Needle(**needle) for needle in entry["needles"]]
    return Reading(losses, np.array(entry["counts"]), needles)
