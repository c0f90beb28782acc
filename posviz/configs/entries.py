"""From a `config.json` to what it says of RoPE for each kind of layers."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from posviz.configs.values import factor_of, integer, method_of, original_of
from posviz.encodings.temperatures import Llama4Temperature, Ministral3Temperature
from posviz.wording import quoted

BYTES = 2**24  # of a file: the longest known has some 10 kB
MOST = 10_000  # layers
ENTRIES = ("rope_parameters", "rope_scaling")
# Models whose max_position_embeddings is the length after a linear stretch; of others, before it.
STRETCHED = ("gemma3", "gemma3_text")
WINDOWS = {"cohere2": 4096}  # tokens, that a file leaves to the code of its model
WITHOUT = "without position"
FULL = "full_attention"
LLAMA_4 = ("llama4", "llama4_text")


@dataclass(frozen=True)
class Layer:
    """A layer: its kind, how many tokens it sees by a window or a chunk (0: no limit), and how hot.

    A chunk begins at every multiple of its length, a window at each query.
    """

    kind: str
    window: int = 0
    chunk: int = 0
    temperature: Llama4Temperature | Ministral3Temperature | None = None


def loaded(source: Any) -> dict:
    """Return the object that a dict, a text or the file at a path holds; else as `read_config`."""
    if isinstance(source, dict):
        return source
    if not isinstance(source, str | Path):
        raise TypeError(
            f"source must be a dict, the text of a config.json or a path, got {quoted(source)}"
        )
    is_text = isinstance(source, str) and source.lstrip()[:1] in ("{", "[", '"', "")
    text = str(source) if is_text else _text_of(source)
    if len(text) > BYTES:
        raise ValueError(f"source must have at most {BYTES:,} characters, got {len(text):,}")
    try:
        config = json.loads(text, parse_constant=_no_number)
    except RecursionError:
        raise ValueError("source must be JSON of a few levels, got thousands") from None
    except ValueError as error:  # of which JSONDecodeError is one
        raise ValueError(f"source must be JSON: {quoted(str(error))}{_hint(text, error)}") from None
    if not isinstance(config, dict):
        raise ValueError(f"source must be a JSON object, got {quoted(config)}")
    return config


def _hint(text: str, error: ValueError) -> str:
    if text.lstrip().startswith('"'):
        return "; are the braces around it missing?"
    ends = len(text.rstrip()) - getattr(error, "pos", 0) <= 1 or "Unterminated" in str(error)
    return "; is the end missing?" if ends else ""


def _text_of(path: str | Path) -> str:
    with Path(path).open(encoding="utf-8", errors="replace") as file:
        return file.read(BYTES + 1)


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON")


def entries_of(config: dict, warnings: list[str]) -> dict[str, dict | None]:
    """Return the parameters of RoPE by kind of layer, "" for all; None where none is turned."""
    found: Any = next((config[name] for name in ENTRIES if config.get(name) is not None), {})
    if not isinstance(found, dict):
        raise TypeError(f"rope_parameters must be an object, got {quoted(found)}")
    own = {"rope_theta": config.get("rope_theta", config.get("rotary_emb_base"))}
    own["partial_rotary_factor"] = config.get("partial_rotary_factor", config.get("rotary_pct"))
    own = {name: value for name, value in own.items() if value is not None}
    nested = {kind: entry for kind, entry in found.items() if isinstance(entry, dict | None)}
    nested = {kind: entry for kind, entry in nested.items() if kind in _names(config) or entry}
    if nested:
        if any(entry and "truncate" in entry for entry in nested.values()):
            warnings.append(
                "truncate stands in an entry for a kind of layers: transformers 5.23 reads it in "
                "the outer entry alone, and takes true"
            )
        return {kind: None if entry is None else own | entry for kind, entry in nested.items()}
    entries: dict[str, dict | None] = {"": own | found}
    if (local := config.get("rope_local_base_freq")) is not None:  # Gemma 3, as it was released
        entries["sliding_attention"] = {"rope_theta": local}
    return entries


def _names(config: dict) -> list[str]:
    names = config.get("layer_types") or _names_by_default(config)
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise TypeError(f"layer_types must be a list of names, got {quoted(names)}")
    return names


def _names_by_default(config: dict) -> list[str]:
    """Return the kinds of layers that a released file leaves to the code of its model."""
    model, number = config.get("model_type"), _number(config)
    if model == "cohere2":
        every = integer(config, "sliding_window_pattern") or 4
        return [FULL if (i + 1) % every == 0 else "sliding_attention" for i in range(number)]
    if model in LLAMA_4 and (turns := _turns(config)) is not None:
        return ["chunked_attention" if turn else FULL for turn in turns]
    if model == "smollm3" and config.get("use_sliding_window") and config.get("sliding_window"):
        return [FULL if turn else "sliding_attention" for turn in _turns(config) or []]
    return []


def _turns(config: dict) -> list | None:
    """Return for each layer whether it turns, where the model has layers that do not."""
    turns, number = config.get("no_rope_layers"), _number(config)
    if not turns and config.get("model_type") in (*LLAMA_4, "smollm3"):  # Llama 4's file has []
        every = integer(config, "no_rope_layer_interval") or 4
        return [int((i + 1) % every != 0) for i in range(number)]
    if turns is not None and (
        not isinstance(turns, list) or any(turn not in (0, 1) for turn in turns)
    ):
        raise TypeError(f"no_rope_layers must be a list of 0 and 1, got {quoted(turns)}")
    if turns and number and len(turns) != number:
        raise ValueError(
            f"no_rope_layers must have the {number} layers of num_hidden_layers, got {len(turns)}"
        )
    return turns


def _number(config: dict) -> int:
    number = integer(config, "num_hidden_layers") or integer(config, "n_layer")
    if number > MOST:
        raise ValueError(f"num_hidden_layers must be at most {MOST:,}, got {quoted(number)}")
    return number


def own_values(config: dict) -> dict[str, dict]:
    """Return what layers of a kind have of their own, such as Gemma 4's wide heads, by kind."""
    own: dict[str, dict] = {}
    if (head_dim := config.get("global_head_dim")) is not None:
        own["full_attention"] = {"head_dim": head_dim}
    layers = config.get("per_layer_config")
    if isinstance(layers, dict):
        by_layer = {name.lstrip("0") or "0": values for name, values in layers.items()}
        for layer, kind in enumerate(_names(config)):
            if isinstance(values := by_layer.get(str(layer)), dict):
                own[kind] = own.get(kind, {}) | values
    return own


def lengths_of(config: dict, entries: dict, warnings: list[str]) -> tuple[int, int]:
    """Return the length of the training and the promised one, in tokens; 0 where none is told."""
    longest = integer(config, "max_position_embeddings")
    trained, promised = longest, longest
    for entry in filter(None, entries.values()):
        method, factor = method_of(entry), factor_of(entry)
        original = original_of(entry, config)
        if method in ("yarn", "longrope", "llama3"):
            if not original:
                warnings.append(
                    f"original_max_position_embeddings is missing: {longest:,} tokens, "
                    "max_position_embeddings, are taken for the length of the training"
                )
            elif longest and original > longest:
                warnings.append(
                    f"original_max_position_embeddings {original:,} is above "
                    f"max_position_embeddings {longest:,}: are the two swapped?"
                )
            elif method == "yarn" and factor and longest not in (original, factor * original):
                warnings.append(
                    f"factor {factor:g} × {original:,} tokens are {factor * original:,.0f}, but "
                    f"max_position_embeddings is {longest:,}: engines differ in which they allow"
                )
            trained = original or longest
            promised = max(longest, int((factor or 1) * trained) if method != "longrope" else 0)
        elif method == "linear" and factor and config.get("model_type") in STRETCHED:
            trained = original
            warnings.append(
                f"linear × {factor:g} does not say from which length: of this model {longest:,} "
                "tokens, max_position_embeddings, are those after it"
            )
        elif method in ("linear", "dynamic") and factor:
            promised = max(longest, int(factor * (original or longest)))
            trained = original or longest
            if not original:
                warnings.append(
                    f"{method} × {factor:g} does not say from which length: {longest:,} tokens are "
                    f"taken for the training's, and {promised:,} for the promise"
                )
    return trained, promised


def layers_of(
    config: dict, entries: dict, warnings: list[str]
) -> tuple[Counter, tuple[Layer, ...]]:
    """Return how many layers there are of each kind, and each layer in order if that is told."""
    number = _number(config)
    names = seeing = _names(config) or ["all"] * number
    if (turns := _turns(config)) is not None and len(turns) == len(names):
        names = [name if turn else WITHOUT for name, turn in zip(names, turns, strict=True)]
        without = names.count(WITHOUT)
        warnings.append(
            f"no_rope_layers is read as the code does: 1 turns, 0 does not; so {without} of "
            f"{len(names)} layers have no position"
            + (": is it the wrong way around?" if 2 * without > len(names) else "")
        )
    counts = Counter(names)
    if "" not in entries and not counts.keys() & entries.keys():  # entries have names of their own
        counts = Counter(dict.fromkeys(entries, 0))
        warnings.append("which layers have which of these entries is for the model's code to say")
        return counts, ()
    order = (_layer(*both, config, entries) for both in zip(names, seeing, strict=True))
    return counts or Counter({"all": number}), tuple(order)


def _layer(kind: str, sees: str, config: dict, entries: dict) -> Layer:
    model, window, chunk = config.get("model_type"), 0, 0
    if sees.startswith("sliding") or model == "ministral3":  # which slides in all layers or none
        window = integer({"sliding_window": WINDOWS.get(str(model))} | config, "sliding_window")
    if sees.startswith("chunked"):
        chunk = integer({"attention_chunk_size": 8192} | config, "attention_chunk_size")
    return Layer(kind, window, chunk, _temperature(kind, config, entries))


def _temperature(
    kind: str, config: dict, entries: dict
) -> Llama4Temperature | Ministral3Temperature | None:
    if config.get("model_type") in LLAMA_4:
        if kind != WITHOUT or not config.get("attn_temperature_tuning", True):
            return None
        return Llama4Temperature(config.get("attn_scale", 0.1), config.get("floor_scale", 8192))
    entry = entries.get(kind, entries.get("")) or {}
    if not (beta := entry.get("llama_4_scaling_beta")):
        return None
    return Ministral3Temperature(beta, original_of(entry, config))
