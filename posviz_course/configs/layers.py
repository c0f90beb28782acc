"""Which layers there are, which attend and which rotate: by the file and the rule of its type."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from posviz.encodings.temperatures import Llama4Temperature, Ministral3Temperature
from posviz.wording import quoted
from posviz_course.configs.model_types import integer, size_of, table, value_of

MOST_LAYERS = 10_000
ROPE, UNKNOWN = "rope", "this file does not say"
LEARNED = "a learned table"


@dataclass(frozen=True)
class Layer:
    """A layer: its kind, how many tokens it sees by a window or a chunk (0: no limit), and how hot.

    A chunk begins at every multiple of its length, a window at each query.
    """

    kind: str
    window: int = 0
    chunk: int = 0
    temperature: Llama4Temperature | Ministral3Temperature | None = None


def names_of(config: dict, rule: dict) -> list[str]:
    """Return the kind of each layer, by a list of the file, its type's plan, or "all"."""
    number, plan = size_of(config, rule, "layers"), rule.get("plan", {})
    if number > MOST_LAYERS:
        raise ValueError(f"num_hidden_layers must be at most {MOST_LAYERS:,}, got {number:,}")
    listed = value_of(config, *table()["names"]["kinds"], plan.get("list", ""))
    if listed:
        if "path" in plan:
            listed = [bool(value_of(block, plan["path"])) for block in listed]
        if not isinstance(listed, list | str) or not all(isinstance(n, str | int) for n in listed):
            raise TypeError(f"layer_types must be a list of names, got {quoted(listed)}")
        names = [plan.get("values", {}).get(str(name), str(name)) for name in listed]
        times = number // len(names) + 1 if "cycle" in plan else 1
        return (names * times)[: number or None]
    if "indices" in plan and (chosen := value_of(config, plan["indices"]) or plan.get("default")):
        if not isinstance(chosen, list):
            raise TypeError(f"{plan['indices']} must be a list of layers, got {quoted(chosen)}")
        start = int(plan.get("one_based", False))
        return [plan["is" if i in chosen else "else"] for i in range(start, number + start)]
    if "late" in plan and _has_windows(config, rule):
        late = integer({"max_window_layers": plan["late"]} | config, "max_window_layers")
        return ["sliding_attention" if i >= late else "full_attention" for i in range(number)]
    names = _repeated(config, plan, number)
    first, last = plan.get("first", []), plan.get("last", [])
    return [*first[:number], *names[len(first) : number - len(last)], *last[:number]]


def _repeated(config: dict, plan: dict, number: int) -> list[str]:
    """Return one layer of so many and the rest, which EXAONE 4 writes as "LLLG", or a cycle."""
    if first := min(integer(config, plan.get("dense", "")), number):
        rest = plan | {"dense": ""}
        own = rest | {"name": "prefix_dense_sliding_window_pattern", "every": 1}
        return _repeated(config, own, first) + _repeated(config, rest, number - first)
    cycle = plan.get("cycle", [plan.get("else", "all")])
    every = value_of(config, plan.get("name", ""))
    if isinstance(every, str) and every:
        cycle = [plan["is" if letter in "GF" else "else"] for letter in every]
    elif "every" in plan:
        every = integer(config, plan.get("name", "")) or plan["every"]
        at = value_of(config, plan.get("at_name", ""))
        at = plan.get("at", every - 1) if at is None else at
        shift = number * plan.get("from_end", False)
        return [plan["is" if (i - shift) % every == at else "else"] for i in range(number)]
    return [cycle[i % len(cycle)] for i in range(number)]


def rotating(config: dict, rule: dict, names: list[str]) -> list[bool]:
    """Return for each layer whether its type's code rotates queries and keys there."""
    without = {*table()["without_keys"]}
    if config.get(rule.get("unrotated_with"), True):
        without |= {*rule.get("unrotated", [])}
    flags = _flags(config, rule, len(names))
    found = [name not in without and bool(flag) for name, flag in zip(names, flags, strict=True)]
    if rule.get("dense_rotates") and config.get("prefix_dense_sliding_window_pattern", 1) == 1:
        first = integer(config, "first_k_dense_replace")
        dense = config.get("mlp_layer_types") or ["dense"] * first
        found = [r or dense[i : i + 1] == ["dense"] for i, r in enumerate(found)]
    return found


def _flags(config: dict, rule: dict, number: int) -> list[Any]:
    """Return what the file's list says of each layer, 1 where it rotates; Llama 4's may be []."""
    for name in table()["names"]["rotates"]:
        flags = config.get(name) or []
        if not isinstance(flags, list) or any(flag not in (0, 1) for flag in flags):
            raise TypeError(f"{name} must be a list of 0 and 1, got {quoted(flags)}")
        if flags and number and len(flags) != number:
            raise ValueError(f"{name} must have {number} numbers, got {len(flags)}")
        if flags:
            return flags
    bases = config.get("layer_rope_theta")
    if isinstance(bases, list) and len(bases) == number:
        return bases
    if plan := rule.get("rotates"):
        every = integer(config, plan.get("name", "")) or plan["every"]
        shift = number * plan.get("from_end", False)
        return [(i + 1 - shift) % every for i in range(number)]
    return [True] * number


def position_of(config: dict, rule: dict, is_known: bool) -> str:
    """Return "rope", or what else the file and its type's code say of position."""
    dims, names = config.get("qk_rope_head_dim"), table()["names"]
    if (dims == 0 and config.get("use_mla") is not False) or config.get("mla_use_nope"):
        return "no position"
    if choose := rule.get("choose"):
        value = value_of(config, choose["name"])
        return choose.get(str(value).lower(), choose.get("default", ROPE))
    named = str(config.get("position_embedding_type")).lower().partition("_")[0]
    kinds = table()["position_embedding_type"]
    if is_known:
        position = rule.get("position", ROPE)
        return kinds.get(named, position) if position == LEARNED else position
    if config.get("alibi") or value_of(config, "attn_config.alibi"):
        return "ALiBi"
    entries = ("rope_parameters", "rope_scaling", "rotary_dim", "qk_rope_head_dim")
    entries += (*names["base"], *names["rotates"])
    if value_of(config, *entries) is not None and named in ("none", "absolute"):
        return ROPE  # "absolute" stands in many files without a meaning
    return kinds.get(named, UNKNOWN)


def _has_windows(config: dict, rule: dict) -> bool:
    return bool(config.get("use_sliding_window", not rule.get("gated")))


def layer_of(kind: str, sees: str, config: dict, rule: dict, entry: dict | None) -> Layer:
    """Return a layer with its window, chunk and temperature; ``entry``: by which it rotates."""
    window = chunk = 0
    if _has_windows(config, rule) and ("sliding" in sees or rule.get("windowed")):
        window = integer({"sliding_window": rule.get("window")} | config, "sliding_window")
    if sees.startswith("chunked"):
        chunk = integer({"attention_chunk_size": 8192} | config, "attention_chunk_size")
    temperature: Llama4Temperature | Ministral3Temperature | None = None
    if rule.get("heats_unrotated"):  # Llama 4
        if entry is None and config.get("attn_temperature_tuning", True):
            sizes = config.get("attn_scale", 0.1), config.get("floor_scale", 8192)
            temperature = Llama4Temperature(*sizes)
    elif entry and (beta := entry.get("llama_4_scaling_beta")):
        temperature = Ministral3Temperature(beta, entry["original_max_position_embeddings"])
    return Layer(kind, window, chunk, temperature)
