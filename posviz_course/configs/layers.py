"""Which layers there are, which attend and which rotate: by the file and the rule of its type."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from posviz.encodings.temperatures import Llama4Temperature, Ministral3Temperature
from posviz.wording import quoted
from posviz_course.configs.config_file import ROPE, ConfigFile, entries_by_kind, integer, value_of
from posviz_course.configs.model_types import spellings, table

MOST_LAYERS = 10_000


@dataclass(frozen=True)
class Layer:
    """A layer: its kind, how many tokens it sees by a window or a chunk (0: no limit), and how hot.

    A chunk begins at every multiple of its length, a window at each query.
    """

    kind: str
    window: int = 0
    chunk: int = 0
    temperature: Llama4Temperature | Ministral3Temperature | None = None


def names_of(file: ConfigFile) -> tuple[list[str], bool]:
    """Return the kind of each layer, and True; or all kinds, and False if nothing orders them."""
    names, kinds = _names_in_order(file), entries_by_kind(file.scaling)
    if names and ({*names} != {"all"} or not kinds):
        return names, True
    return [*kinds] or ["all"], False


def _names_in_order(file: ConfigFile) -> list[str]:
    """Return the kind of each layer, by a list of the file, its type's plan, or "all"."""
    number, plan = file.size("layers"), file.rule.get("plan", {})
    if number > MOST_LAYERS:
        raise ValueError(f"num_hidden_layers must be at most {MOST_LAYERS:,}, got {number:,}")
    if listed := file.value(*spellings("kinds"), plan.get("list", "")):
        if "path" in plan:
            listed = [bool(value_of(block, plan["path"])) for block in listed]
        if not isinstance(listed, list | str) or not all(isinstance(n, str | int) for n in listed):
            raise TypeError(f"layer_types must be a list of names, got {quoted(listed)}")
        names = [plan.get("values", {}).get(str(name), str(name)) for name in listed]
        times = number // len(names) + 1 if "cycle" in plan else 1
        return (names * times)[: number or None]
    if "indices" in plan and (chosen := file.value(plan["indices"]) or plan.get("default")):
        if not isinstance(chosen, list):
            raise TypeError(f"{plan['indices']} must be a list of layers, got {quoted(chosen)}")
        start = int(plan.get("one_based", False))
        return [plan["is" if i in chosen else "else"] for i in range(start, number + start)]
    if "late" in plan and file.has_windows:
        late = integer({"max_window_layers": plan["late"]} | file.config, "max_window_layers")
        return ["sliding_attention" if i >= late else "full_attention" for i in range(number)]
    names = _repeated(file, plan, number)
    first, last = plan.get("first", []), plan.get("last", [])
    return [*first[:number], *names[len(first) : number - len(last)], *last[:number]]


def _repeated(file: ConfigFile, plan: dict, number: int) -> list[str]:
    """Return a plan's cycle of layers, or one layer in every few; EXAONE 4 writes it as "LLLG"."""
    if first := min(file.integer(plan.get("dense", "")), number):
        rest = plan | {"dense": ""}
        dense = rest | {"name": "prefix_dense_sliding_window_pattern", "every": 1}
        return _repeated(file, dense, first) + _repeated(file, rest, number - first)
    cycle = plan.get("cycle", [plan.get("else", "all")])
    every = file.value(plan.get("name", ""))
    if isinstance(every, str) and every:
        cycle = [plan["is" if letter in "GF" else "else"] for letter in every]
    elif "every" in plan:
        every = file.integer(plan.get("name", "")) or plan["every"]
        at = file.value(plan.get("at_name", ""))
        at = plan.get("at", every - 1) if at is None else at
        shift = number if plan.get("from_end") else 0
        return [plan["is" if (i - shift) % every == at else "else"] for i in range(number)]
    return [cycle[i % len(cycle)] for i in range(number)]


def rotating(file: ConfigFile, names: list[str]) -> list[bool]:
    """Return for each layer whether its type's code rotates queries and keys there."""
    without = {*table()["without_keys"]}
    if file.config.get(file.rule.get("unrotated_with"), True):
        without |= {*file.rule.get("unrotated", [])}
    flags = _flags(file, len(names))
    rotates = [name not in without and bool(flag) for name, flag in zip(names, flags, strict=True)]
    is_all_dense = file.config.get("prefix_dense_sliding_window_pattern", 1) == 1
    if file.rule.get("dense_rotates") and is_all_dense:
        first = file.integer("first_k_dense_replace")
        dense = file.config.get("mlp_layer_types") or ["dense"] * first
        rotates = [r or dense[i : i + 1] == ["dense"] for i, r in enumerate(rotates)]
    return [r and file.position == ROPE for r in rotates]


def _flags(file: ConfigFile, number: int) -> list[Any]:
    """Return the file's list of flags, 1 where a layer rotates; Llama 4's may be []."""
    for name in spellings("rotates"):
        flags = file.config.get(name) or []
        if not isinstance(flags, list) or any(flag not in (0, 1) for flag in flags):
            raise TypeError(f"{name} must be a list of 0 and 1, got {quoted(flags)}")
        if flags and number and len(flags) != number:
            raise ValueError(f"{name} must have {number} numbers, got {len(flags)}")
        if flags:
            return flags
    bases = file.config.get("layer_rope_theta")
    if isinstance(bases, list) and len(bases) == number:
        return bases
    if plan := file.rule.get("rotates"):
        every = file.integer(plan.get("name", "")) or plan["every"]
        shift = number if plan.get("from_end") else 0
        return [(i + 1 - shift) % every for i in range(number)]
    return [True] * number


def layer_of(file: ConfigFile, kind: str, sees: str, entry: dict | None) -> Layer:
    """Return a layer with its window, chunk and temperature; ``entry``: by which it rotates."""
    window = chunk = 0
    if file.has_windows and ("sliding" in sees or file.rule.get("windowed")):
        window = integer(
            {"sliding_window": file.rule.get("window")} | file.config, "sliding_window"
        )
    if sees.startswith("chunked"):
        chunk = integer({"attention_chunk_size": 8192} | file.config, "attention_chunk_size")
    temperature: Llama4Temperature | Ministral3Temperature | None = None
    if file.rule.get("heats_unrotated"):  # Llama 4
        if entry is None and file.config.get("attn_temperature_tuning", True):
            sizes = file.config.get("attn_scale", 0.1), file.config.get("floor_scale", 8192)
            temperature = Llama4Temperature(*sizes)
    elif entry and {"llama_4_scaling_beta", "original_max_position_embeddings"} <= entry.keys():
        beta, length = entry["llama_4_scaling_beta"], entry["original_max_position_embeddings"]
        temperature = Ministral3Temperature(beta, length) if beta else None
    return Layer(kind, window, chunk, temperature)
