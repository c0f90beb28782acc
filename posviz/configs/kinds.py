"""A kind of layers: its frequencies, and what they do to the pairs and to the scores."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from posviz.configs.model_types import integer, value_of
from posviz.encodings.checks import require_positive, require_real
from posviz.encodings.frequencies import Frequencies, proportional_frequencies, rotary_frequencies
from posviz.encodings.stretching import llama3, longrope, position_interpolation, yarn
from posviz.wording import quoted


@dataclass(frozen=True)
class Layers:
    """How position enters the layers that are alike in that, of one or more kinds.

    base and rotary_dim: of its RoPE; method: how it was stretched; kept, blended, slowed: pairs
    that rotate as in training, at the full factor slower, and between; on_scores: what scores are
    multiplied by for it. Without RoPE the method is "none", and position says what there is.
    """

    kind: str
    count: int
    method: str
    base: float = 0.0
    rotary_dim: int = 0
    factor: float = 1.0
    kept: int = 0
    blended: int = 0
    slowed: int = 0
    on_scores: float = 1.0
    frequencies: Frequencies | None = None
    position: str = ""

    @property
    def name(self) -> str:
        """The method in the words of a table: RoPE, yarn × 32, or what there is without RoPE."""
        if self.frequencies is None:
            return self.position
        method = "RoPE" if self.method == "default" else self.method
        return method + f" × {self.factor:g}" * (self.factor > 1)

    @property
    def still(self) -> int:
        """Pairs that never rotate, as Gemma 4 has them."""
        return 0 if self.frequencies is None else int((self.frequencies.inv_freq == 0).sum())


class Asked(NamedTuple):
    """What is asked of a method. Units: tokens."""

    entry: dict
    rotary_dim: int
    base: float
    factor: float
    original: int
    longest: int


def read_kind(kind: str, entry: dict, longest: int, is_latent: bool) -> Layers:
    """Return a kind of layers with the frequencies of its entry, its count left open.

    Raises TypeError and ValueError, naming the value that no model can have.
    """
    method, original = entry["rope_type"], original_of(entry) or longest
    ratio = longest / original if original and method in ("yarn", "longrope") else 1.0
    factor = factor_of(entry) or max(ratio, 1.0)
    asked = Asked(entry, entry["rotary_dim"], entry["rope_theta"], factor, original, longest)
    frequencies = STRETCHED[method](asked)
    plain = rotary_frequencies(asked.rotary_dim, asked.base)
    kept, slowed = (int(m.sum()) for m in kept_and_slowed(frequencies.inv_freq / plain, factor))
    return Layers(
        kind,
        1,
        method,
        asked.base,
        asked.rotary_dim,
        factor,
        kept,
        len(plain) - kept - slowed,
        slowed,
        frequencies.attention_factor**2 * (_of_latent_attention(asked) if is_latent else 1.0),
        frequencies,
        "RoPE",
    )


def factor_of(entry: dict) -> float | None:
    """Return by how much the context is extended, None where no entry says; at least 1."""
    if entry.get("factor") is None:
        return None
    number = require_real(entry["factor"], "factor")
    if number < 1:
        raise ValueError(f"factor must be at least 1, because it extends, got {number:g}")
    return number


def original_of(entry: dict) -> int:
    """Return the length of the training where the entry says it, else 0."""
    return integer(entry, "original_max_position_embeddings")


def kept_and_slowed(ratio: np.ndarray, factor: float) -> tuple[np.ndarray, np.ndarray]:
    """Return which pairs an extension by ``factor`` keeps, and which it slows by all of it.

    Shapes: ratio, of frequencies after it to those before, and both masks [pairs].
    """
    least = 1 / factor if factor > 1 else 0.0
    return ratio > 1 - 1e-9, ratio < least + 1e-9


def _plain(asked: Asked) -> Frequencies:
    return Frequencies(rotary_frequencies(asked.rotary_dim, asked.base))


def _linear(asked: Asked) -> Frequencies:
    return position_interpolation(asked.rotary_dim, asked.factor, base=asked.base)


def _proportional(asked: Asked) -> Frequencies:
    fraction = require_real(asked.entry["partial_rotary_factor"], "partial_rotary_factor")
    rotating = proportional_frequencies(asked.rotary_dim, fraction, asked.base)
    return Frequencies(rotating / asked.factor)


LLAMA_3 = {"low_freq_factor": 1, "high_freq_factor": 4}  # those of all released models


def _llama3(asked: Asked) -> Frequencies:
    bounds = {name: asked.entry.get(name, value) for name, value in LLAMA_3.items()}
    return llama3(
        asked.rotary_dim,
        asked.factor,
        original_max_seq_len=asked.original,
        base=asked.base,
        **{name: require_positive(value, name) for name, value in bounds.items()},
    )


def _yarn(asked: Asked) -> Frequencies:
    entry, scales = asked.entry, {}
    if entry.get("mscale") and entry.get("mscale_all_dim"):
        scales = {name: entry[name] for name in ("mscale", "mscale_all_dim")}
    return yarn(
        asked.rotary_dim,
        asked.factor,
        original_max_seq_len=asked.original,
        base=asked.base,
        beta_fast=require_positive(entry.get("beta_fast") or 32, "beta_fast"),
        beta_slow=require_positive(entry.get("beta_slow") or 1, "beta_slow"),
        truncate=bool(entry.get("truncate", True)),
        attention_factor=entry.get("attention_factor"),
        **scales,
    )


def _longrope(asked: Asked) -> Frequencies:
    """Those for long texts, if the model is one for long texts."""
    return longrope(
        asked.rotary_dim,
        short_factors=_numbers(asked.entry, "short_factor", asked.rotary_dim // 2),
        long_factors=_numbers(asked.entry, "long_factor", asked.rotary_dim // 2),
        seq_len=max(asked.longest, 1),
        original_max_seq_len=asked.original,
        max_seq_len=max(round(asked.factor * asked.original), 1),
        base=asked.base,
        attention_factor=asked.entry.get("attention_factor"),
    )


def _numbers(entry: dict, name: str, count: int) -> np.ndarray:
    """Return a list of so many positive numbers as an array [count]."""
    values = value_of(entry, name)
    if not isinstance(values, list) or len(values) != count:
        raise ValueError(f"{name} must be a list of {count} numbers, got {quoted(values)}")
    return np.array([require_positive(value, name) for value in values])


STRETCHED: dict[str, Callable[[Asked], Frequencies]] = {
    "default": _plain,
    "linear": _linear,
    "dynamic": _plain,  # until a text is longer than max_position_embeddings
    "yarn": _yarn,
    "longrope": _longrope,
    "llama3": _llama3,
    "proportional": _proportional,
}


def _of_latent_attention(asked: Asked) -> float:
    """Return what models with latent attention (DeepSeek's) multiply their scores by besides."""
    all_dim = asked.entry.get("mscale_all_dim")
    if not all_dim or asked.entry["rope_type"] == "default":
        return 1.0
    return (0.1 * require_real(all_dim, "mscale_all_dim") * math.log(asked.factor) + 1) ** 2
