"""Which layers there are, which of them attend and which rotate, by the file and its type's rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from posviz.configs.model_types import MOST_LAYERS, integer, size_of, table, value_of
from posviz.encodings.temperatures import Llama4Temperature, Ministral3Temperature
from posviz.wording import quoted

ROPE = "rope"
UNKNOWN = "this file does not say"
NAMED = {
    "rotary": ROPE,
    "rope": ROPE,
    "alibi": "ALiBi",
    "relative": "relative positions in the scores",
    "absolute": "a learned table",
    "learned": "a learned table",
}


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
    given = value_of(config, *table()["names"]["kinds"])
    listed = given if given is not None else value_of(config, plan.get("list", ""))
    if listed is not None and not (given is None and listed == []):
        values = plan.get("values", {})
        if "path" in plan and given is None:
            listed = [bool(value_of(block, plan["path"])) for block in listed]
        if not isinstance(listed, list | str) or not all(isinstance(n, str | int) for n in listed):
            raise TypeError(f"layer_types must be a list of names, got {quoted(listed)}")
        names = [values.get(str(name), str(name)) for name in listed]
        if "cycle" in plan and names and number > len(names):
            names = [names[i % len(names)] for i in range(number)]
        return names[:number] if number else names
    if "indices" in plan and (chosen := value_of(config, plan["indices"]) or plan.get("default")):
        chosen = {index - plan.get("one_based", False) for index in chosen}
        return [plan["is" if i in chosen else "else"] for i in range(number)]
    cycle = plan.get("cycle") or _cycle(config, plan)
    shift = -number if plan.get("from_end") else 0
    names = [cycle[(i + shift) % len(cycle)] for i in range(number)]
    names[: len(plan.get("first", []))] = plan.get("first", [])[:number]
    if number and "last" in plan:
        names[-1] = plan["last"]
    return names


def _cycle(config: dict, plan: dict) -> list[str]:
    """Return what is repeated: one layer of so many, which EXAONE 4 writes as "LLLG"."""
    if "every" not in plan:
        return [plan.get("else", "all")]
    every = value_of(config, plan.get("name", ""))
    if isinstance(every, str):
        return [plan["is" if letter in "GF" else "else"] for letter in every]
    every = integer(config, plan.get("name", "")) or plan["every"]
    at = value_of(config, plan.get("at_name", ""))
    at = plan.get("at", every - 1) if at is None else at
    return [plan["is" if i == at else "else"] for i in range(every)]


def rotating(config: dict, rule: dict, names: list[str]) -> list[bool]:
    """Return for each layer whether its type's code rotates queries and keys there."""
    without = set(table()["without_keys"])
    if config.get(rule.get("unrotated_with"), True):
        without |= set(rule.get("unrotated", []))
    flags = _flags(config, rule, len(names))
    return [name not in without and bool(flag) for name, flag in zip(names, flags, strict=True)]


def attending(names: list[str]) -> list[bool]:
    """Return for each layer whether it has queries and keys at all."""
    return [name not in table()["without_keys"] for name in names]


def _flags(config: dict, rule: dict, number: int) -> list[Any]:
    """Return what the file's list says of each layer, 1 where it rotates; Llama 4's may be []."""
    for name in table()["names"]["rotates"]:
        if not (flags := config.get(name)):
            continue
        if not isinstance(flags, list) or any(flag not in (0, 1) for flag in flags):
            raise TypeError(f"{name} must be a list of 0 and 1, got {quoted(flags)}")
        if number and len(flags) != number:
            raise ValueError(
                f"{name} must have the {number} layers of num_hidden_layers, got {len(flags)}"
            )
        return flags
    bases = config.get("layer_rope_theta")
    if isinstance(bases, list) and len(bases) == number:
        return bases
    if plan := rule.get("rotates"):
        every = integer(config, plan["name"]) or plan["every"]
        return [(i + 1) % every for i in range(number)]
    return [True] * number


def position_of(config: dict, rule: dict | None) -> str:
    """Return "rope", or what else the file and its type's code say of position."""
    dims = value_of(config, "qk_rope_head_dim")
    if (dims == 0 and config.get("use_mla") is not False) or config.get("mla_use_nope"):
        return "no position"
    if rule is None:
        return _assumed(config)
    if choose := rule.get("choose"):
        value = value_of(config, choose["name"])
        return choose.get(str(value).lower(), choose.get("default", ROPE))
    if rule.get("position") != "a learned table":
        return rule.get("position", ROPE)
    named = str(config.get("position_embedding_type"))  # BERT's, of which Jina AI has all
    return NAMED.get(named.partition("_")[0], rule["position"])


def _assumed(config: dict) -> str:
    """Return what standard entries say of a type that is not in the table."""
    named = str(value_of(config, "position_embedding_type", "position_embeddings_type")).lower()
    if config.get("alibi") or value_of(config, "attn_config.alibi"):
        return "ALiBi"
    names = table()["names"]
    entries = ("rope_parameters", "rope_scaling", *names["bases"], *names["base"])
    entries += ("rotary_dim", "qk_rope_head_dim", *names["rotates"])
    otherwise = UNKNOWN if value_of(config, *entries) is None else ROPE
    named = named.partition("_")[0]
    return otherwise if named == "absolute" and otherwise == ROPE else NAMED.get(named, otherwise)


def layer_of(kind: str, sees: str, config: dict, rule: dict, entry: dict | None) -> Layer:
    """Return a layer with its window, chunk and temperature; ``entry``: by which it rotates."""
    window = chunk = 0
    if "sliding" in sees or rule.get("windowed"):
        window = integer({"sliding_window": rule.get("window")} | config, "sliding_window")
    if sees.startswith("chunked"):
        chunk = integer({"attention_chunk_size": 8192} | config, "attention_chunk_size")
    temperature: Llama4Temperature | Ministral3Temperature | None = None
    if rule.get("heats_unrotated"):  # Llama 4
        if entry is None and config.get("attn_temperature_tuning", True):
            temperature = Llama4Temperature(
                config.get("attn_scale", 0.1), config.get("floor_scale", 8192)
            )
    elif entry and (beta := entry.get("llama_4_scaling_beta")):
        original = value_of(entry, "original_max_position_embeddings")
        temperature = Ministral3Temperature(beta, original)
    return Layer(kind, window, chunk, temperature)
