"""What is said of a configuration in words: three sentences, and what is wrong, with what to do."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from posviz.wording import shortened, spelt_like
from posviz_course.configs.entries import is_nested, standard_entry
from posviz_course.configs.kinds import LayerKind, factor_of, original_of
from posviz_course.configs.layers import ROPE, UNKNOWN
from posviz_course.configs.model_types import integer, size_of, table, value_of

ORIGINAL = "original_max_position_embeddings"
READ_AS = "transformers"  # the library by whose code files are read here


class ConfigFile(NamedTuple):
    """A file as it was read: names and entries by layer, None where a layer does not rotate."""

    config: dict[str, Any]
    rule: dict[str, Any]
    is_known: bool
    position: str
    names: list[str]
    entries: list[dict[str, Any] | None]

    @property
    def longest(self) -> int:
        """The longest text that the file names, 0 if it names none."""
        return integer(self.config, *table()["names"]["longest"])

    @property
    def distinct(self) -> list[dict[str, Any]]:
        """The entries that differ."""
        return [*{json.dumps(e, default=str): e for e in self.entries if e}.values()]

    def is_stretched(self, entry: dict) -> bool:
        """Tell whether the longest text is that after a linear extension, as of Gemma 3."""
        return entry["rope_type"] == "linear" and bool(self.rule.get("stretched"))


def lengths_of(file: ConfigFile) -> tuple[int, int]:
    """Return the unscaled and the promised length, in tokens; 0 where none is named."""
    longest = trained = promised = file.longest
    for entry in file.distinct:
        method, original = entry["rope_type"], original_of(entry)
        if file.is_stretched(entry):
            trained = original
        elif method not in ("default", "proportional"):
            trained = original or longest
            factor = 1 if method == "longrope" else factor_of(entry) or 1
            promised = max(longest, int(factor * trained))
    return trained, promised


def sentences_of(file: ConfigFile, kinds: tuple[LayerKind, ...]) -> tuple[str, str, str]:
    """Return which layers have position, for how long texts, and what is unusual."""
    first = _of_layers(file)
    if not file.is_known and file.position != UNKNOWN:
        first = f"Assumed, because this model type is not known here: {first}"
    trained, promised = lengths_of(file)
    methods = " and ".join(dict.fromkeys(kind.name for kind in kinds if kind.factor > 1))
    if promised > trained > 0 and trained not in map(original_of, file.distinct):
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
    unusual = "; ".join(dict.fromkeys(_unusual(file, kinds)))
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


def _unusual(file: ConfigFile, kinds: tuple[LayerKind, ...]) -> Iterator[str]:
    rotating = [kind for kind in kinds if kind.frequencies is not None]
    trained, _ = lengths_of(file)
    bases = sorted({kind.base for kind in rotating})
    if len(bases) > 1:
        yield f"kinds of layers have bases of their own, {' and '.join(f'{b:,.0f}' for b in bases)}"
    raises = file.rule.get("base_times", "alpha")
    by = value_of(file.config, raises, f"rope_scaling.{raises}", f"rope_parameters.{raises}")
    if bases and by not in (None, 1):
        yield f"{raises} raises the base to {bases[-1]:,.0f}"
    has_base = value_of(file.config, *table()["names"]["base"]) is not None
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
            part = "the rotated part of each score is" if kind.on_rotated_part else "scores are"
            yield f"{part} multiplied by {kind.on_scores:.4f}"
        elif kind.method == "yarn" and kind.factor > 1:
            given = any(
                e.get("attention_factor") for e in file.distinct if e["rope_type"] == "yarn"
            )
            reason = "attention_factor is 1" if given else "mscale and mscale_all_dim cancel"
            yield f"{reason}, so scores are not multiplied by anything"
    if any(map(file.is_stretched, file.distinct)) and file.longest:
        yield f"of this model type {file.longest:,} tokens are the length after the extension"
    if any(entry.get("llama_4_scaling_beta") for entry in file.distinct):
        yield "queries grow with their position (llama_4_scaling_beta)"
    if file.config.get("attn_temperature_tuning"):
        yield "queries of layers without RoPE grow with their position (attn_temperature_tuning)"


def warnings_of(file: ConfigFile) -> tuple[str, ...]:
    """Return what is wrong or easily misread in this file, each with what to do."""
    of_entries = (said for entry in file.distinct for said in _of_an_entry(entry, file))
    ours = (line for line in engines_of(file) if line.startswith(READ_AS))
    return tuple(dict.fromkeys([*_of_the_whole(file), *of_entries, *ours]))


def _of_the_whole(file: ConfigFile) -> Iterator[str]:
    config, given, names = file.config, standard_entry(file.config), table()["names"]
    entries = [entry for entry in given.values() if isinstance(entry, dict)] or [given]
    if file.position == UNKNOWN:
        yield "no entry tells of position: look for it in the model's code"
    elif not file.is_known:
        yield "assumed, as this model type is not known here: compare with the model's code"
        bases = [value_of(config, *names["base"]), *(entry.get("rope_theta") for entry in entries)]
        if file.distinct and not any(bases):
            yield "rope_theta is missing: 10 000 is taken; write the base into the file"
    if file.position != ROPE and any(entry.get("factor") for entry in entries):
        yield "rope_scaling has no effect, because nothing rotates: delete it"
    other = config.get("rope_parameters")
    if config.get("rope_scaling") and other and other != given:
        yield "rope_scaling and rope_parameters differ: transformers forgets the second; delete one"
    inner, outside = given.get("rope_theta"), config.get("rope_theta")
    if inner and outside and inner != outside:
        yield f"rope_theta stands twice: {inner}, beside the factor, is taken; delete {outside}"
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
    known = {name for each in names.values() for name in each}
    for name, value in (item for place in (config, *entries) for item in place.items()):
        if name in known and isinstance(value, str) and re.fullmatch(r"[\d.eE+-]+", value):
            yield f"{name} is text and not a number: remove the quotation marks"
    for given, known in [
        (config, names["outer"]),
        *((entry, names["inner"]) for entry in entries),
        (dict.fromkeys(file.names), [*table()["with_keys"], *table()["without_keys"]]),
    ]:
        for name in given:
            if name not in known and (like := spelt_like(str(name), known, cutoff=0.85)):
                yield f"{shortened(name)} is read by no program: is {like[0]} meant?"


def _unread(file: ConfigFile) -> Iterator[str]:
    """Yield the entries with an effect here that transformers does not look at."""
    config, rule, given = file.config, file.rule, standard_entry(file.config)
    fraction = value_of(config, "partial_rotary_factor") or given.get("partial_rotary_factor", 1)
    is_plain = any(entry["rope_type"] == "default" for entry in file.distinct)
    is_unread = rule.get("unread_partial_rotary_factor") and is_plain and fraction != 1
    if is_unread or ("fraction_name" in rule and "partial_rotary_factor" in config):
        yield "partial_rotary_factor"
    kinds = [{"base": 10_000} | rule, *rule.get("kinds", {}).values(), {}]
    bases = [kind.get("base") for kind in kinds]  # and None, of the last
    if rule.get("unread_rope_theta") and not given and config.get("rope_theta") not in bases:
        yield "rope_theta"
    width, heads = size_of(config, rule, "width"), size_of(config, rule, "heads")
    for name, usual in (("rope_scaling", None), ("head_dim", width // max(heads, 1))):
        if rule.get(f"unread_{name}") and config.get(name) not in (None, usual):
            yield name


def engines_of(file: ConfigFile) -> Iterator[str]:
    """Yield what a released engine makes of this file, and others do not."""
    config = dict(file.config)
    for name in ("rope_parameters", "rope_scaling"):
        if isinstance(given := config.get(name), dict) and given:
            config[name] = config["entry"] = {"rope_type": given.get("type")} | given
            config["nested"] = is_nested(given)
            found = given.get("factor"), given.get("attention_factor")
            numbers = [n for n in found if isinstance(n, int | float) and n >= 1]
            if len(numbers) == 2 and math.isclose(0.1 * math.log(numbers[0]) + 1, numbers[1]):
                del config[name]["attention_factor"]  # it is yarn's own
    for row in table("engines")["row"]:
        is_other = not _holds(row.get("unless", {"": "present"}), config)
        if file.rule.get("type") in row["types"] and _holds(row["when"], config) and is_other:
            yield f"{row['engine']} {row['version']} {row['says']}"


def _holds(conditions: dict[str, Any], config: dict) -> bool:
    """Tell whether all stand there: a value, one of a list, "present", "absent"."""
    for path, wanted in conditions.items():
        found = value_of(config, path)
        named = (found, "absent" if found is None else "present")
        if not any(each in named for each in (wanted if isinstance(wanted, list) else [wanted])):
            return False
    return True


def _of_an_entry(entry: dict, file: ConfigFile) -> Iterator[str]:
    method, factor, original = entry["rope_type"], factor_of(entry), original_of(entry)
    longest, product = file.longest, (factor or 0) * original
    if method in ("yarn", "longrope", "llama3") and not original:
        yield f"{ORIGINAL} is missing: {longest:,} is taken; write it beside the factor"
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
