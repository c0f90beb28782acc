"""What is said of a configuration in words: three sentences, and what is wrong, with what to do."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

from posviz.configs.entries import is_nested, standard_entry
from posviz.configs.kinds import LLAMA_3, Layers, factor_of, original_of
from posviz.configs.layers import ROPE, UNKNOWN, attending
from posviz.configs.model_types import table, value_of
from posviz.wording import shortened, spelt_like

ENTRY_NAMES = (
    *("rope_type", "type", "rope_theta", "factor", "attention_factor", "partial_rotary_factor"),
    *("beta_fast", "beta_slow", "mscale", "mscale_all_dim", "truncate", "mrope_section"),
    *("short_factor", "long_factor", "low_freq_factor", "high_freq_factor", "alpha"),
    *("original_max_position_embeddings", "max_position_embeddings", "llama_4_scaling_beta"),
)


class File(NamedTuple):
    """A file as it was read: names and entries by layer, None where a layer does not rotate."""

    config: dict[str, Any]
    outer: dict[str, Any]
    rule: dict[str, Any] | None
    position: str
    names: list[str]
    entries: list[dict[str, Any] | None]
    longest: int

    @property
    def distinct(self) -> list[dict[str, Any]]:
        """The entries that differ."""
        found: list[dict[str, Any]] = []
        for entry in filter(None, self.entries):
            found += [entry] if entry not in found else []
        return found


def lengths_of(file: File) -> tuple[int, int]:
    """Return the length of the training and the promised one, in tokens; 0 where none is told."""
    longest = trained = promised = file.longest
    for entry in file.distinct:
        method, factor, original = entry["rope_type"], factor_of(entry), original_of(entry)
        if method in ("yarn", "longrope", "llama3"):
            trained = original or longest
            promised = max(longest, int((factor or 1) * trained) if method != "longrope" else 0)
        elif method == "linear" and factor and (file.rule or {}).get("stretched"):
            trained = original
        elif method in ("linear", "dynamic") and factor:
            trained = original or longest
            promised = max(longest, int(factor * trained))
    return trained, promised


def sentences_of(
    file: File, kinds: tuple[Layers, ...], trained: int, promised: int
) -> tuple[str, str, str]:
    """Return which layers have position, how far it was trained, and what is unusual."""
    first = _of_layers(file)
    if file.rule is None and file.position != UNKNOWN:
        first = f"Assumed, because this model type is not known here: {first}"
    methods = {kind.name for kind in kinds if kind.factor > 1}
    if trained and promised > trained:
        by = f", and {' and '.join(sorted(methods))} extends it" if methods else ", and it extends"
        second = f"It was trained on {trained:,} tokens{by} to {promised:,}."
    elif promised:
        second = f"It promises texts of {promised:,} tokens"
        second += "." if trained else ", and does not say how many it was trained on."
    else:
        second = "The file does not say for how long a text it was trained."
    unusual = list(_unusual(file, kinds))
    third = f"Unusual: {'; '.join(unusual)}." if unusual else "Nothing about it is unusual."
    return first, second, third


def _of_layers(file: File) -> str:
    number, rotate = len(file.names), sum(entry is not None for entry in file.entries)
    attend = attending(file.names)
    others = ", ".join(dict.fromkeys(n for n, a in zip(file.names, attend, strict=True) if not a))
    others = (
        f"{_verb(attend.count(False), 'has', 'have')} no queries and keys ({shortened(others)})"
        * bool(others)
    )
    if file.position == UNKNOWN:
        return "This file does not say how position enters its layers."
    if file.position not in (ROPE, "no position"):
        return f"No layer rotates queries and keys: position enters by {file.position}."
    still = attend.count(True) - rotate
    nope = f"{_verb(still, 'attends', 'attend')} without positional encoding" * (still > 0)
    if number == rotate:
        return "All layers rotate queries and keys (RoPE)."
    rest = " and ".join(filter(None, (nope, others)))
    if not rotate:
        return f"No layer has a positional encoding: of {number} layers, {rest}."
    turning = _verb(rotate, "rotates", "rotate")
    return f"Of {number} layers, {turning} queries and keys (RoPE), and {rest}."


def _verb(number: int, one: str, more: str) -> str:
    return f"{number} {one if number == 1 else more}"


def _unusual(file: File, kinds: tuple[Layers, ...]) -> Iterator[str]:
    turning = [kind for kind in kinds if kind.frequencies is not None]
    bases = sorted({kind.base for kind in turning})
    if len(bases) > 1:
        yield f"kinds of layers have bases of their own, {' and '.join(f'{b:,.0f}' for b in bases)}"
    if not turning and value_of(file.config, *table()["names"]["base"]) is not None:
        yield "rope_theta stands in the file, but nothing rotates"
    for kind in turning:
        slower = kind.blended + kind.slowed
        if kind.method in ("yarn", "llama3", "longrope", "linear") and slower:
            yield (
                f"{kind.name} slows {slower} of {kind.rotary_dim // 2} pairs at every length, "
                "so short texts are read with frequencies for long ones"
            )
            if "sliding" in kind.kind or "chunked" in kind.kind:
                yield "that includes layers that look no further than their window"
        if kind.still:
            yield f"{kind.still} of {kind.rotary_dim // 2} pairs never rotate"
        if abs(kind.on_scores - 1) > 5e-5:
            yield f"scores are multiplied by {kind.on_scores:.4f}"
        elif kind.method == "yarn":
            yield "its factors cancel, so scores are not multiplied by anything"
    for entry in file.distinct:
        if entry["rope_type"] == "linear" and (file.rule or {}).get("stretched"):
            yield f"of this model type {file.longest:,} tokens are the length after the extension"
        if entry.get("llama_4_scaling_beta"):
            yield "queries grow with their position (llama_4_scaling_beta)"
    if file.config.get("attn_temperature_tuning"):
        yield "queries of layers without RoPE grow with their position (attn_temperature_tuning)"


def warnings_of(file: File, kinds: tuple[Layers, ...]) -> list[str]:
    """Return what is wrong or easily misread in this file, each with what to do."""
    found = [*_of_the_whole(file)]
    for entry in file.distinct:
        found += _of_an_entry(entry, file)
    return list(dict.fromkeys(found))


def _of_the_whole(file: File) -> Iterator[str]:
    config, given = file.config, standard_entry(file.config)
    if file.position == UNKNOWN:
        yield "no entry tells of position: look for it in the model's code"
    elif file.rule is None:
        yield (
            "assumed, this model type is not known here: that every layer rotates as the standard "
            "entries say; compare with the model's code"
        )
        if file.distinct and value_of(config, *table()["names"]["base"]) is None:
            if all("rope_theta" not in each for each in [given, *_entries(given)]):
                yield "rope_theta is missing: 10 000 is taken; write the base into the file"
    number = value_of(config, *table()["names"]["layers"])
    listed = value_of(config, *table()["names"]["kinds"])
    if isinstance(number, int) and listed and len(listed) != number:
        yield (
            f"{len(listed)} kinds of layers are listed, but num_hidden_layers is {number}: "
            "correct one of the two"
        )
    if file.position != ROPE and given:
        yield "rope_scaling has no effect, because nothing rotates: delete it"
    if config.get("rope_scaling") and config.get("rope_parameters"):
        if config["rope_scaling"] != config["rope_parameters"]:
            yield (
                "rope_scaling and rope_parameters differ: transformers takes rope_scaling and "
                "forgets the other; delete one of them"
            )
    inner, outside = given.get("rope_theta"), config.get("rope_theta")
    if inner is not None and isinstance(outside, int | float) and inner != outside:
        yield (
            f"rope_theta stands twice: {inner:,} beside the rope_type is taken, {outside:,} is "
            "not; delete one of them"
        )
    flags = config.get("no_rope_layers") or []
    if isinstance(flags, list) and 2 * flags.count(0) > len(flags):
        yield (
            f"no_rope_layers: {flags.count(0)} of {len(flags)} layers do not rotate, because 0 "
            "is for those; exchange 0 and 1 if most of them should"
        )
    yield from _of_spelling(config, ("rope_scaling", "rope_parameters", "rope_theta"))
    for entry in [given, *_entries(given)] if not is_nested(given) else _entries(given):
        yield from _of_spelling(entry, ENTRY_NAMES)


def _entries(given: dict) -> list[dict]:
    return [entry for entry in given.values() if isinstance(entry, dict)]


def _of_spelling(entry: dict, known: tuple[str, ...]) -> Iterator[str]:
    for name in entry:
        if name not in known and (like := spelt_like(str(name), known, cutoff=0.85)):
            yield f"{shortened(name)} is read by no program: is {like[0]} meant?"


def _of_an_entry(entry: dict, file: File) -> Iterator[str]:
    method, factor, original = entry["rope_type"], factor_of(entry), original_of(entry)
    longest, name = file.longest, "original_max_position_embeddings"
    if (
        "type" in entry
        and standard_entry(file.config).get("rope_type", entry["type"]) != entry["type"]
    ):
        yield f"type and rope_type differ: {method}, of rope_type, is taken; delete type"
    if method in ("yarn", "longrope", "llama3"):
        if not original:
            yield (
                f"{name} is missing: {longest:,} tokens, max_position_embeddings, are taken for "
                f"the length of the training; write {name} beside the factor"
            )
        elif longest and original > longest:
            yield (
                f"{name} {original:,} is above max_position_embeddings {longest:,}: are the two "
                "swapped? exchange them"
            )
        elif method == "yarn" and factor and longest not in (original, factor * original):
            yield (
                f"factor {factor:g} × {original:,} tokens are {factor * original:,.0f}, but "
                f"max_position_embeddings is {longest:,}: set it to one of the two, because "
                "engines differ in which they allow"
            )
    elif method in ("linear", "dynamic") and factor and not original:
        if not (file.rule or {}).get("stretched"):
            yield (
                f"{method} × {factor:g} does not say from which length: max_position_embeddings, "
                f"{longest:,}, is taken for the training's; check that it was not raised already"
            )
    if (
        method in ("linear", "yarn", "llama3")
        and (factor or longest / (original or longest or 1)) <= 1
    ):
        yield f"{method}: the factor is 1 or missing, so nothing is extended; set factor"
    if method == "dynamic":
        yield (
            "dynamic: frequencies follow the length, but keys in a cache keep those of their time; "
            "set the longest length from the start, or cache keys before they are rotated"
        )
    if method == "llama3":
        for bound in LLAMA_3.keys() - entry.keys():
            yield f"{bound} is missing, where transformers stops: write {LLAMA_3[bound]}"
    if method == "longrope" and longest > original > 0:
        yield (
            f"longrope: beyond {original:,} tokens all pairs take other frequencies, and a cache "
            "that grows past it holds keys of both; empty it there"
        )
    if method == "yarn":
        yield from _of_yarn(entry, factor or max(longest / (original or longest or 1), 1))


def _of_yarn(entry: dict, factor: float) -> Iterator[str]:
    mscale, all_dim = entry.get("mscale"), entry.get("mscale_all_dim")
    if entry.get("attention_factor") is None and bool(mscale) != bool(all_dim):
        alone, other = ("mscale", "mscale_all_dim") if mscale else ("mscale_all_dim", "mscale")
        yield (
            f"{alone} without {other} is not used: the attention factor is 0.1 · ln s + 1 = "
            f"{0.1 * math.log(factor) + 1:.4f}; write both or none"
        )
    if entry.get("beta_fast") == 0:
        yield "beta_fast 0 is read as 32: write 32, or the number that is meant"
