"""A kind of layers: its frequencies, and what they do to the pairs and to the scores."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from posviz.configs.values import (
    base_of,
    factor_of,
    integer,
    is_latent,
    method_of,
    numbers,
    original_of,
    rotary_dim_of,
)
from posviz.encodings.checks import require_positive, require_real
from posviz.encodings.frequencies import Frequencies, proportional_frequencies, rotary_frequencies
from posviz.encodings.stretching import llama3, longrope, position_interpolation, yarn


@dataclass(frozen=True)
class Layers:
    """How position enters a kind of layer.

    base and rotary_dim: of its RoPE; method: how it was stretched; kept, blended, slowed: pairs
    that turn as in training, at the full factor slower, and between; on_scores: what scores are
    multiplied by for it. A kind without position has the method "none".
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

    def __str__(self) -> str:
        layers = f"{self.kind}, {self.count} layers" if self.count else self.kind
        if self.method == "none":
            return f"{layers}: no position"
        method = "RoPE" if self.method == "default" else f"{self.method} × {self.factor:g}"
        return (
            f"{layers}: {method}, base {self.base:,.0f}, {self.rotary_dim // 2} pairs, "
            f"{self.pairs_told()}; scores × {self.on_scores:.4f}"
        )

    def pairs_told(self) -> str:
        """Return how many pairs are kept, blended and slowed, in words."""
        if self.method == "proportional" and self.frequencies is not None:
            still = self.rotary_dim // 2 - np.count_nonzero(self.frequencies.inv_freq)
            return f"{self.rotary_dim // 2 - still} turn, {still} do not"
        return f"{self.kept} kept, {self.blended} blended, {self.slowed} slowed"


class Asked(NamedTuple):
    """What is asked of a method. Units: tokens."""

    entry: dict
    config: dict
    rotary_dim: int
    base: float
    factor: float
    original: int
    longest: int


def read_kind(kind: str, count: int, entry: dict, config: dict, warnings: list[str]) -> Layers:
    """Read the entry of a kind of layers, and add to the warnings.

    Raises TypeError and ValueError, naming the value that no model can have.
    """
    method = method_of(entry)
    longest = integer(config, "max_position_embeddings")
    original = original_of(entry, config) or longest
    ratio = longest / original if original and method in ("yarn", "longrope") else 1.0
    asked = Asked(
        entry,
        config,
        rotary_dim_of(entry, config),
        base_of(entry, warnings),
        factor_of(entry) or max(ratio, 1.0),
        original,
        longest,
    )
    frequencies = STRETCHED[method](asked)
    warnings += _warnings(method, asked)
    plain = rotary_frequencies(asked.rotary_dim, asked.base)
    masks = kept_and_slowed(frequencies.inv_freq / plain, asked.factor)
    kept, slowed = (int(mask.sum()) for mask in masks)
    return Layers(
        kind,
        count,
        method,
        asked.base,
        asked.rotary_dim,
        asked.factor,
        kept,
        len(plain) - kept - slowed,
        slowed,
        frequencies.attention_factor**2 * _of_latent_attention(asked),
        frequencies,
    )


def kept_and_slowed(ratio: np.ndarray, factor: float) -> tuple[np.ndarray, np.ndarray]:
    """Return of a stretch by ``factor`` which pairs it keeps and which it slows by all of it.

    Shapes: ratio, of frequencies after it to those before, and both masks [pairs].
    """
    least = 1 / factor if factor > 1 else 0.0
    return ratio > 1 - 1e-9, ratio < least + 1e-9


def _plain(asked: Asked) -> Frequencies:
    return Frequencies(rotary_frequencies(asked.rotary_dim, asked.base))


def _linear(asked: Asked) -> Frequencies:
    return position_interpolation(asked.rotary_dim, asked.factor, base=asked.base)


def _proportional(asked: Asked) -> Frequencies:
    fraction = require_real(asked.entry.get("partial_rotary_factor", 1), "partial_rotary_factor")
    turned = proportional_frequencies(asked.rotary_dim, fraction, asked.base)
    return Frequencies(turned / asked.factor)


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
        short_factors=numbers(asked.entry, "short_factor", asked.rotary_dim // 2),
        long_factors=numbers(asked.entry, "long_factor", asked.rotary_dim // 2),
        seq_len=max(asked.longest, 1),
        original_max_seq_len=asked.original,
        max_seq_len=max(round(asked.factor * asked.original), 1),
        base=asked.base,
        attention_factor=asked.entry.get("attention_factor"),
    )


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
    if not all_dim or method_of(asked.entry) == "default" or not is_latent(asked.config):
        return 1.0
    return (0.1 * require_real(all_dim, "mscale_all_dim") * math.log(asked.factor) + 1) ** 2


def _warnings(method: str, asked: Asked) -> Iterator[str]:
    if method in ("linear", "yarn", "llama3") and asked.factor == 1:
        yield f"{method}: the factor is 1, or no length tells it, so nothing is stretched"
    if method == "dynamic":
        yield (
            "dynamic: frequencies follow the length, and keys in a cache keep those of their time; "
            "tell the longest length from the start, or cache keys before they are turned"
        )
    if method == "llama3":
        for name in LLAMA_3.keys() - asked.entry.keys():
            yield f"{name} is missing: {LLAMA_3[name]} is taken, where transformers 5.23 stops"
    if method == "longrope" and asked.longest <= asked.original:
        yield f"longrope: up to {asked.original:,} tokens the short list is taken, here for all"
    elif method == "longrope":
        yield (
            f"longrope: beyond {asked.original:,} tokens all pairs take other frequencies; a cache "
            "that grows past it holds keys of both"
        )
    if method == "yarn":
        yield from _warnings_of_yarn(asked)


def _warnings_of_yarn(asked: Asked) -> Iterator[str]:
    yield (
        "yarn: the frequencies do not follow the length, so short texts are read with those for "
        "long ones, too"
    )
    mscale, all_dim = asked.entry.get("mscale"), asked.entry.get("mscale_all_dim")
    plain = 0.1 * math.log(asked.factor) + 1
    if asked.entry.get("attention_factor") is None and bool(mscale) != bool(all_dim):
        alone, other = ("mscale", "mscale_all_dim") if mscale else ("mscale_all_dim", "mscale")
        yield (
            f"{alone} without {other} is not used, both or none: the attention factor is "
            f"0.1 · ln s + 1 = {plain:.4f}"
        )
    if mscale and mscale == all_dim and not is_latent(asked.config):
        yield f"mscale equals mscale_all_dim: the attention factor is 1, not {plain:.4f}"
    if asked.entry.get("beta_fast") == 0:
        yield "beta_fast 0 is read as 32"
