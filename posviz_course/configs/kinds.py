"""A kind of layers: its frequencies, and what they do to the pairs and to the scores."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from posviz.encodings.checks import require_factor, require_real
from posviz.encodings.frequencies import Frequencies, proportional_frequencies, rotary_frequencies
from posviz.encodings.stretching import llama3, longrope, position_interpolation, yarn
from posviz.wording import shortened
from posviz_course.configs.config_file import ROPE, ConfigFile, integer

WITHOUT = "without position"


@dataclass(frozen=True)
class LayerKind:
    """Layers in which position enters in the same way.

    kept, blended, slowed: pairs that rotate as in training, slower by a part of the factor, slower
    by all of it; on_scores: what scores are multiplied by for it, or where some dimensions do not
    rotate (on_rotated_part) what the others add to a score. Without RoPE the method is "none", and
    position says what there is.
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
    on_rotated_part: bool = False

    @property
    def name(self) -> str:
        """The method in the words of a table: RoPE, yarn × 32, or what there is without RoPE."""
        if self.frequencies is None:
            return self.position
        method = "RoPE" if self.method == "default" else self.method
        return f"{method} × {self.factor:g}" if self.factor > 1 else method

    @property
    def still(self) -> int:
        """Pairs that never rotate, as Gemma 4 has them."""
        return 0 if self.frequencies is None else int((self.frequencies.inv_freq == 0).sum())


def kinds_of(file: ConfigFile, in_order: bool) -> tuple[list[LayerKind], list[LayerKind]]:
    """Return the kinds of layers that differ in position, and the kind of each layer."""
    keys = [json.dumps(entry, sort_keys=True, default=str) for entry in file.entries]
    rotating = {name for name, entry in zip(file.names, file.entries, strict=True) if entry}
    kinds: dict[str, LayerKind] = {}
    for key, entry in dict(zip(keys, file.entries, strict=True)).items():
        names = [name for name, other in zip(file.names, keys, strict=True) if other == key]
        of_one_kind = file.size("layers") if len({*keys}) == 1 else 0
        count = len(names) if in_order else of_one_kind
        kind = shortened(", ".join(dict.fromkeys(names)))
        if entry is None:
            kind = WITHOUT if rotating & {*names} else kind
            position = "no position" if file.position == ROPE else file.position
            kinds[key] = LayerKind(kind, count, "none", position=position)
        else:
            if any(kind == other.kind for other in kinds.values()):
                kind = f"{kind}, base {entry['rope_theta']:,.0f}"
            kinds[key] = _rotating_kind(kind, count, file, entry)
    return [*kinds.values()], [kinds[key] for key in keys]


def _rotating_kind(kind: str, count: int, file: ConfigFile, entry: dict) -> LayerKind:
    """Return a kind of so many layers with the frequencies of its entry, by `entry_of`."""
    method, rotary_dim, base = entry["rope_type"], entry["rotary_dim"], entry["rope_theta"]
    longest, is_latent = file.size("longest"), bool(file.latent)
    original = original_of(entry) or longest
    implied = longest / original if original and method in ("yarn", "longrope") else 1.0
    factor = 1.0 if method == "default" else factor_of(entry) or max(implied, 1.0)
    frequencies = _frequencies(entry, factor, original, longest)
    ratio = frequencies.inv_freq / rotary_frequencies(rotary_dim, base)
    kept, slowed = (int(mask.sum()) for mask in kept_and_slowed(ratio, factor))
    blended, on_scores = len(ratio) - kept - slowed, frequencies.attention_factor**2
    if is_latent and method != "default" and (all_dim := entry.get("mscale_all_dim")):
        # DeepSeek's latent attention multiplies its scores besides.
        on_scores *= (0.1 * require_real(all_dim, "mscale_all_dim") * math.log(factor) + 1) ** 2
    is_partial = (is_latent or entry["is_partial"]) and frequencies.attention_factor != 1
    numbers = (kept, blended, slowed, on_scores, frequencies, "RoPE", is_partial)
    return LayerKind(kind, count, method, base, rotary_dim, factor, *numbers)


def _frequencies(entry: dict, factor: float, original: int, longest: int) -> Frequencies:
    """Return what the method of an entry makes of its pairs. Units: tokens."""
    method, dim, base = entry["rope_type"], entry["rotary_dim"], entry["rope_theta"]
    lengths: dict[str, Any] = {"original_max_seq_len": original, "base": base}
    options: dict[str, Any] = {"attention_factor": entry.get("attention_factor")}

    def numbers(*names: str) -> dict[str, Any]:
        return {n: require_real(entry[n], n, above=0) for n in names if entry.get(n)}

    if method == "linear":
        return position_interpolation(dim, factor, base=base)
    if method == "ntk":  # of Alibaba's GTE, as vLLM has it: one step more than ntk(), at all pairs
        return Frequencies(rotary_frequencies(dim, base * factor) / factor ** (2 / dim))
    if method == "proportional":
        fraction = require_real(entry["partial_rotary_factor"], "partial_rotary_factor")
        return Frequencies(proportional_frequencies(dim, fraction, base) / factor)
    if method == "llama3":
        return llama3(dim, factor, **lengths, **numbers("low_freq_factor", "high_freq_factor"))
    if method == "yarn":
        options |= numbers("beta_fast", "beta_slow")
        if len(scales := numbers("mscale", "mscale_all_dim")) == 2:
            options |= scales
        return yarn(dim, factor, **lengths, **options, truncate=bool(entry.get("truncate", True)))
    if method == "longrope":  # those for long texts, if the model is one for long texts
        if not {"short_factor", "long_factor"} <= entry.keys():
            raise ValueError(
                f"longrope needs short_factor and long_factor, {dim // 2} numbers each"
            )
        options |= {f"{name}s": entry[name] for name in ("short_factor", "long_factor")}
        lengths |= {"seq_len": max(longest, 1), "max_seq_len": max(round(factor * original), 1)}
        return longrope(dim, **lengths, **options)
    return Frequencies(rotary_frequencies(dim, base))  # dynamic: until a text is longer


def factor_of(entry: dict) -> float | None:
    """Return by how much the context is extended, None where no entry says; at least 1."""
    return None if entry.get("factor") is None else require_factor(entry["factor"])


def original_of(entry: dict) -> int:
    """Return the length of the unscaled frequencies where the entry says it, else 0."""
    return integer(entry, "original_max_position_embeddings")


def kept_and_slowed(ratio: np.ndarray, factor: float) -> tuple[np.ndarray, np.ndarray]:
    """Return which pairs an extension by ``factor`` keeps, and which it slows by all of it.

    Shapes: ratio, of frequencies after it to those before, and both masks [pairs].
    """
    least = 1 / factor if factor > 1 else 0.0
    return ratio > 1 - 1e-9, ratio < least + 1e-9
