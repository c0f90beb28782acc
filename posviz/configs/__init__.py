"""Read what a model's `config.json` says about position, and warn of what is often misread."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

from posviz.configs.entries import (
    WITHOUT,
    Layer,
    entries_of,
    layers_of,
    lengths_of,
    loaded,
    own_values,
)
from posviz.configs.kinds import Layers, read_kind
from posviz.configs.values import method_of
from posviz.wording import shortened

__all__ = ["Layer", "Layers", "Reading", "read_config"]

# Of these kinds of layers the code turns none, whatever their configuration says.
UNTURNED = {("cohere2", "full_attention"), ("exaone4", "full_attention")}
# What models have whose position is no rotation: where no entry tells of one, there is none.
ELSEWHERE = (
    "n_positions",
    "position_embedding_type",
    "alibi",
    "relative_attention_num_buckets",
    "relative_attention",
)


@dataclass(frozen=True)
class Reading:
    """What a configuration says: kinds of layers, lengths in tokens (0: it does not say), warnings.

    trained: the length at which the model learned its frequencies; promised: the longest text;
    layers: each in order, none where only the model's code says which is of which kind.
    """

    model: str
    kinds: tuple[Layers, ...]
    trained: int
    promised: int
    warnings: tuple[str, ...]
    layers: tuple[Layer, ...] = ()

    def __str__(self) -> str:
        trained, promised = (f"{n:,}" if n else "?" for n in (self.trained, self.promised))
        lengths = f"{self.model}: trained on {trained} tokens, {promised} promised"
        return "\n".join([lengths, *map(str, self.kinds), *(f"! {w}" for w in self.warnings)])

    def to_json(self) -> str:
        """Return all of it as JSON, frequencies in radians per token."""
        return json.dumps(asdict(self), default=lambda array: array.tolist(), ensure_ascii=False)


def read_config(source: Any) -> Reading:
    """Read a configuration: a dict, the text of a `config.json`, or the path of one.

    The methods are those of Hugging Face's `modeling_rope_utils`; of a model with images and texts
    the part for texts is read. Units: tokens; radians per token.

    Raises:
        TypeError: for another kind of source, or a value of the wrong type.
        ValueError: for what is no JSON object or too large, an unknown method, or a value that no
            model can have.
        OSError: for a file that cannot be read.

    Source: transformers 5.23, `modeling_rope_utils` and the models named in warnings.
    """
    config = loaded(source)
    for name in ("text_config", "llm_config", "language_config"):
        if isinstance(config.get(name), dict):
            config = config[name]
    warnings: list[str] = []
    entries = entries_of(config, warnings)
    trained, promised = lengths_of(config, entries, warnings)
    counts, layers = layers_of(config, entries, warnings)
    own = own_values(config)
    kinds = tuple(
        read_kind(kind, count, entry, config | own.get(kind, {}), warnings)
        if (entry := _turned_by(kind, config, entries)) is not None
        else Layers(kind, count, "none")
        for kind, count in counts.items()
    )
    _warn_of_whole(config, entries, counts, warnings)
    model = shortened(config.get("model_type") or "a model")
    return Reading(model, kinds, trained, promised, tuple(dict.fromkeys(warnings)), layers)


def _turned_by(kind: str, config: dict, entries: dict) -> dict | None:
    """Return the entry by which layers of this kind turn queries and keys, if they do."""
    if kind == WITHOUT or kind.startswith("linear") or (config.get("model_type"), kind) in UNTURNED:
        return None
    entry = entries.get(kind, entries.get(""))
    is_elsewhere = not entry and any(name in config for name in ELSEWHERE)
    return None if is_elsewhere else entry


def _warn_of_whole(config: dict, entries: dict, counts: Counter, warnings: list[str]) -> None:
    for kind in counts:
        own = entries.get(kind, entries.get(""))
        stretched = own and method_of(own) not in ("default", "proportional")
        if stretched and kind.startswith(("sliding", "chunked")):
            rest = " by an entry of their own" if kind in entries else " like the rest"
            warnings.append(
                f"{kind} layers look no further than their window, and are stretched{rest}"
            )
    entry = entries.get("")
    if entry is not None and not entry:
        elsewhere = [name for name in ELSEWHERE if name in config]
        warnings.append(
            f"no entry tells of RoPE, and {elsewhere[0]} of another encoding"
            if elsewhere
            else "no entry tells of RoPE: that of a first Llama is taken, base 10 000"
        )
    for each in filter(None, entries.values()):
        if "type" in each and each.get("rope_type", each["type"]) != each["type"]:
            warnings.append(f"type and rope_type differ: {method_of(each)}, of rope_type, is taken")
        if each.get("llama_4_scaling_beta"):
            warnings.append("llama_4_scaling_beta: queries grow with their position p, from 0")
    if config.get("attn_temperature_tuning"):
        warnings.append(
            "attn_temperature_tuning: queries of layers without position grow with p + 1"
        )
