"""A configuration in words: three sentences, and the warnings, each with a remedy."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

from posviz.wording import shortened, spelt_like
from posviz_course.configs.config_file import ROPE, UNKNOWN, ConfigFile, entries_by_kind, value_of
from posviz_course.configs.kinds import LayerKind, factor_of, original_of
from posviz_course.configs.model_types import spellings, table

ORIGINAL = "original_max_position_embeddings"


def lengths_of(file: ConfigFile) -> tuple[int, int]:
    """Return the unscaled and the promised length, in tokens; 0 where none is named."""
    longest = trained = promised = file.longest
    for entry in file.rotations:
        method, original = entry["rope_type"], original_of(entry)
        if _is_stretched(file, entry):
            trained = original
        elif method not in ("default", "proportional"):
            trained = original or longest
            factor = 1 if method == "longrope" else factor_of(entry) or 1
            promised = max(longest, int(factor * trained))
    return trained, promised


def _is_stretched(file: ConfigFile, entry: dict) -> bool:
    """Tell whether the longest text is that after a linear extension, as of Gemma 3."""
    return entry["rope_type"] == "linear" and bool(file.rule.get("stretched"))


def sentences_of(file: ConfigFile, kinds: list[LayerKind]) -> tuple[str, str, str]:
    """Return which layers have position, for how long texts, and what is unusual."""
    first = _of_layers(file)
    if not file.is_known and file.position != UNKNOWN:
        first = f"Assumed, because this model type is not known here: {first}"
    trained, promised = lengths_of(file)
    methods = " and ".join(dict.fromkeys(kind.name for kind in kinds if kind.factor > 1))
    if promised > trained > 0 and trained not in map(original_of, file.rotations):
        second = "The file does not say for how long texts its unscaled frequencies are; "
        second += f"{trained:,} (max_position_embeddings) is assumed."
    elif promised > trained > 0:
        second = f"Its unscaled frequencies are for texts of {trained:,} tokens, and {methods} "
        second += f"extends them to {promised:,}."
    elif promised:
        second = f"It takes texts of up to {promised:,} tokens"
        second += "." if trained else ", and does not say how many it was trained on."
    else:
        second = "The file does not say for how long a text it was trained."
    unusual = "; ".join(dict.fromkeys(_unusual(file, kinds, trained)))
    return first, second, f"Unusual: {unusual}." if unusual else "Nothing about it is unusual."


def _of_layers(file: ConfigFile) -> str:
    if file.position == UNKNOWN:
        return "This file does not say how position enters its layers."
    if file.position not in (ROPE, "no position"):
        if file.position.startswith("RoPE"):
            return f"Position enters by {file.position}, which is not read here."
        return f"No layer rotates queries and keys: position enters by {file.position}."
    if all(file.entries):
        return "All layers rotate queries and keys (RoPE)."
    rotate = sum(entry is not None for entry in file.entries)
    blind = [name for name in file.names if name in table()["without_keys"]]
    counts = {
        "RoPE": rotate,
        "attention without positional encoding": len(file.names) - len(blind) - rotate,
        f"no attention ({shortened(', '.join(dict.fromkeys(blind)))})": len(blind),
    }
    parts = " and ".join(f"{what} in {count}" for what, count in counts.items() if count)
    return f"Of {len(file.names)} layers, there is {parts}."


def _unusual(file: ConfigFile, kinds: list[LayerKind], trained: int) -> Iterator[str]:
    rotating = [kind for kind in kinds if kind.frequencies is not None]
    bases = sorted({kind.base for kind in rotating})
    if len(bases) > 1:
        yield f"kinds of layers have bases of their own, {' and '.join(f'{b:,.0f}' for b in bases)}"
    raises = file.rule.get("base_times", "alpha")
    by = file.value(raises, f"rope_scaling.{raises}", f"rope_parameters.{raises}")
    if bases and by not in (None, 1):
        yield f"{raises} raises the base to {bases[-1]:,.0f}"
    has_base = file.value(*spellings("base")) is not None
    if has_base and not rotating and not file.position.startswith("RoPE"):
        yield "rope_theta stands in the file, but nothing rotates"
    for kind in rotating:
        pairs, slower = kind.rotary_dim // 2, kind.blended + kind.slowed
        if kind.still:
            yield f"{kind.still} of {pairs} pairs never rotate"
        elif slower:
            where = f"in texts of more than {trained:,} tokens, and shorter ones take short_factor"
            if kind.method != "longrope" or file.longest <= trained:
                where = "for every text, short or long"
            yield f"{kind.name} slows {slower} of {pairs} pairs {where}"
            if "sliding" in kind.kind or "chunked" in kind.kind:
                yield "that includes layers that look no further than their window"
        if abs(kind.on_scores - 1) > 5e-5:
            subject = "the rotated part of each score is" if kind.on_rotated_part else "scores are"
            yield f"{subject} multiplied by {kind.on_scores:.4f}"
        elif kind.method == "yarn" and kind.factor > 1:
            yarns = [entry for entry in file.rotations if entry["rope_type"] == "yarn"]
            is_one = any(entry.get("attention_factor") for entry in yarns)
            reason = "attention_factor is 1" if is_one else "mscale and mscale_all_dim cancel"
            yield f"{reason}, so scores are not multiplied by anything"
    if any(_is_stretched(file, entry) for entry in file.rotations) and file.longest:
        yield f"of this model type {file.longest:,} tokens are the length after the extension"
    if any(entry.get("llama_4_scaling_beta") for entry in file.rotations):
        yield "queries grow with their position (llama_4_scaling_beta)"
    if file.config.get("attn_temperature_tuning"):
        yield "queries of layers without RoPE grow with their position (attn_temperature_tuning)"


def warnings_of(file: ConfigFile) -> tuple[str, ...]:
    """Return what is wrong or easily misread in this file, each with what to do."""
    of_entries = (line for entry in file.rotations for line in _of_an_entry(file, entry))
    of_transformers = engines_of(file, of_transformers=True)
    return tuple(dict.fromkeys([*_of_the_whole(file), *of_entries, *of_transformers]))


def _of_the_whole(file: ConfigFile) -> Iterator[str]:
    config, scaling = file.config, file.scaling
    entries = [*entries_by_kind(scaling).values()] or [scaling]
    if file.position == UNKNOWN:
        yield "no entry tells of position: look for it in the model's code"
    elif not file.is_known:
        yield "assumed, as this model type is not known here: compare with the model's code"
        bases = [file.value(*spellings("base")), *(entry.get("rope_theta") for entry in entries)]
        if file.rotations and not any(bases):
            yield "rope_theta is missing: 10 000 is taken; write the base into the file"
    if file.position != ROPE and any(entry.get("factor") for entry in entries):
        yield "rope_scaling has no effect, because nothing rotates: delete it"
    other = config.get("rope_parameters")
    if config.get("rope_scaling") and other and other != scaling:
        yield "rope_scaling and rope_parameters differ: transformers forgets the second; delete one"
    inside, outside = scaling.get("rope_theta"), config.get("rope_theta")
    if inside and outside and inside != outside:
        yield f"rope_theta stands twice: {inside}, beside the factor, is taken; delete {outside}"
    for name in _unread(file):
        yield f"{name} has no effect in transformers, but other engines take it: look at yours"
    flags = config.get("no_rope_layers") or []
    if 2 * (zeros := flags.count(0)) > len(flags):
        yield f"no_rope_layers: {zeros} of {len(flags)} layers do not rotate; exchange 0 and 1?"
    for entry in entries:
        method = entry.get("rope_type", entry.get("type")) or "missing"
        is_ignored = method in ("missing", "default") and entry.get("factor") not in (None, 1)
        if file.position == ROPE and is_ignored:
            yield f'rope_type is {method}, so the factor is ignored: write "rope_type"'
    yield from _misspelt(file, entries)


def _misspelt(file: ConfigFile, entries: list[dict]) -> Iterator[str]:
    known = {name for names in table()["names"].values() for name in names}
    for name, value in (item for place in (file.config, *entries) for item in place.items()):
        if name in known and isinstance(value, str) and re.fullmatch(r"[\d.eE+-]+", value):
            yield f"{name} is text and not a number: remove the quotation marks"
    for names, readable in [
        (file.config, spellings("outer")),
        *((entry, spellings("inner")) for entry in entries),
        (dict.fromkeys(file.names), [*table()["with_keys"], *table()["without_keys"]]),
    ]:
        for name in names:
            if name not in readable and (like := spelt_like(str(name), readable, cutoff=0.85)):
                yield f"{shortened(name)} is read by no program: is {like[0]} meant?"


def _unread(file: ConfigFile) -> Iterator[str]:
    """Yield the entries with an effect here that transformers does not look at."""
    rule, name = file.rule, "partial_rotary_factor"
    fraction = file.value(name) or file.scaling.get(name, 1)
    is_plain = any(entry["rope_type"] == "default" for entry in file.rotations)
    is_unread = rule.get(f"unread_{name}") and is_plain and fraction != 1
    if is_unread or ("fraction_name" in rule and name in file.config):
        yield name
    bases = [rule.get("base", 10_000), *(k.get("base") for k in rule.get("kinds", {}).values())]
    base = file.config.get("rope_theta")
    if rule.get("unread_rope_theta") and not file.scaling and base not in (None, *bases):
        yield "rope_theta"
    usual_head_dim = file.size("width") // max(file.size("heads"), 1)
    for name, usual in (("rope_scaling", None), ("head_dim", usual_head_dim)):
        if rule.get(f"unread_{name}") and file.config.get(name) not in (None, usual):
            yield name


def engines_of(file: ConfigFile, *, of_transformers: bool = False) -> tuple[str, ...]:
    """Return how engines are known to read this file: transformers alone, or all others."""
    config = dict(file.config)
    for name in ("rope_parameters", "rope_scaling"):  # of two, the second counts
        if isinstance(scaling := config.get(name), dict) and scaling:
            entry = {"rope_type": scaling.get("type")} | scaling
            factors = entry.get("factor"), entry.get("attention_factor")
            numbers = [n for n in factors if isinstance(n, int | float) and n >= 1]
            if len(numbers) == 2 and math.isclose(0.1 * math.log(numbers[0]) + 1, numbers[1]):
                del entry["attention_factor"]  # it is yarn's own
            config |= {name: entry, "entry": entry, "nested": bool(entries_by_kind(scaling))}
    return tuple(
        f"{row['engine']} {row['version']} {row['says']}"
        for row in table("engines")["row"]
        if file.rule.get("type") in row["types"]
        and (row["engine"] == "transformers") is of_transformers
        and _holds(row["when"], config)
        and not ("unless" in row and _holds(row["unless"], config))
    )


def _holds(conditions: dict[str, Any], config: dict) -> bool:
    """Tell whether a file meets all conditions: a value, one of a list, "present", "absent"."""
    for path, wanted in conditions.items():
        value = value_of(config, path)
        allowed = wanted if isinstance(wanted, list) else [wanted]
        if value not in allowed and ("absent" if value is None else "present") not in allowed:
            return False
    return True


def _of_an_entry(file: ConfigFile, entry: dict) -> Iterator[str]:
    method, factor, original = entry["rope_type"], factor_of(entry), original_of(entry)
    longest, product = file.longest, (factor or 0) * original
    if method in ("yarn", "longrope", "llama3") and not original:
        taken = file.size("longest")
        yield f"{ORIGINAL} is missing: {taken:,} is taken; write it beside the factor"
    elif method in ("yarn", "longrope", "llama3") and 0 < longest < original:
        yield f"{ORIGINAL} {original:,} is above the longest text, {longest:,}: are they swapped?"
    elif method == "yarn" and factor and longest and longest not in (original, product):
        yield (
            f"factor {factor:g} × {original:,} tokens are {product:,.0f}, but "
            f"max_position_embeddings is {longest:,}: set it to {original:,} or {product:,.0f}, "
            "because engines differ in which they allow"
        )
    if method in ("linear", "yarn", "llama3") and (factor or longest / (original or 1)) <= 1:
        yield f"{method}: the factor is 1 or missing, so nothing is extended; set factor"
    scales = {name: entry[name] for name in ("mscale", "mscale_all_dim") if entry.get(name)}
    if method == "yarn" and len(scales) == 1 and scales != {"mscale": 1}:
        name = "".join(scales)
        yield (
            f"{name} alone scales cos and sin in mlx-lm, not in transformers: write both mscale "
            "and mscale_all_dim"
        )
    if method == "dynamic":
        yield "dynamic: keys in a cache keep their frequencies; set the longest length at once"
    if method == "longrope" and longest > original > 0:
        yield (
            f"longrope: engines change to long_factor with a text of more than {original:,} "
            "tokens, or with a context that allows one: compare them at one length"
        )
