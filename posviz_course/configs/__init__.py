"""Read what a model's `config.json` says about position, and warn of what is wrong with it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

from posviz.wording import shortened
from posviz_course.configs.entries import entry_of, is_nested, latent_of, standard_entry
from posviz_course.configs.kinds import LayerKind, read_kind
from posviz_course.configs.layers import ROPE, Layer, layer_of, names_of, position_of, rotating
from posviz_course.configs.loading import loaded, part_for_texts
from posviz_course.configs.model_types import rule_of, size_of
from posviz_course.configs.remarks import (
    READ_AS,
    ConfigFile,
    engines_of,
    lengths_of,
    sentences_of,
    warnings_of,
)

__all__ = ["Layer", "LayerKind", "Reading", "read_config"]

WITHOUT = "without position"
COLUMNS = ("layers", "position", "base", "pairs", "kept", "blended", "slowed", "scores ×", "kind")
ROW = "{:>6}  {:<16} {:>13} {:>6} {:>6} {:>8} {:>7} {:>9}  {}"
LEGEND = """
kept, blended, slowed: pairs that rotate as in training, slower by a part of the factor, and slower
by the whole factor; pairs that never rotate are in none of the three columns.
scores ×: the number by which the method multiplies scores, whatever the positions; where only a
part of the dimensions rotates, a factor on cos and sin multiplies that part of a score alone."""


@dataclass(frozen=True)
class Reading:
    """What a configuration says: sentences, kinds of layers, lengths in tokens (0: none), warnings.

    trained: the length for which its unscaled frequencies are; promised: the longest text;
    layers: each in order, none where only the model's code says which is of which kind; engines:
    a line for each engine but transformers that is known to read the file otherwise.
    """

    model: str
    kinds: tuple[LayerKind, ...]
    trained: int
    promised: int
    warnings: tuple[str, ...]
    layers: tuple[Layer, ...] = ()
    sentences: tuple[str, ...] = ()
    engines: tuple[str, ...] = ()

    def __str__(self) -> str:
        table = [ROW.format(*COLUMNS), *(_row(kind) for kind in self.kinds)]
        table += [LEGEND] * any(kind.frequencies is not None for kind in self.kinds)
        notes = [f"! {line}" for line in self.warnings] + [f"~ {line}" for line in self.engines]
        return "\n".join([*self.sentences, *notes, "", *table])

    def to_json(self) -> str:
        """Return all of it as JSON, frequencies in radians per token."""
        return json.dumps(asdict(self), default=lambda array: array.tolist(), ensure_ascii=False)


def _row(kind: LayerKind) -> str:
    cells: list[Any] = [kind.count or "?", kind.name, *[""] * 6, kind.kind]
    if kind.frequencies is not None:
        pairs = (kind.rotary_dim // 2, kind.kept, kind.blended, kind.slowed - kind.still)
        cells[2:8] = [f"{kind.base:,.0f}", *pairs, f"{kind.on_scores:.4f}"]
    return ROW.format(*cells)


def read_config(source: Any) -> Reading:
    """Read a configuration: a dict, the text of a `config.json`, or the path of one.

    Which layers rotate, and by what, is known of the model types in `model_types.toml`; of others,
    standard entries are assumed to hold. Of a model of texts and pictures, the part for texts is
    read. Units: tokens; radians per token.

    Raises TypeError and ValueError for what no model can have, OSError for what cannot be read.

    Source: transformers 5.23, and those that `model_types.toml` names.
    """
    outer = loaded(source)
    config = part_for_texts(outer)
    rule, is_known = rule_of(config, outer)
    position = position_of(config, rule, is_known)
    names, given = names_of(config, rule), standard_entry(config)
    in_order = bool(names) and ({*names} != {"all"} or not is_nested(given))
    if not in_order:
        names = [name for name in given if isinstance(given[name], dict)] or ["all"]
    entries = [
        entry_of(name, layer, config, rule) if position == ROPE and rotates else None
        for layer, (name, rotates) in enumerate(
            zip(names, rotating(config, rule, names), strict=True)
        )
    ]
    file = ConfigFile(config, rule, is_known, position, names, entries)
    kinds, which = _grouped(file, in_order)
    trained, promised = lengths_of(file)
    layers = [
        layer_of(kinds[k].kind, name, config, rule, entry)
        for k, name, entry in zip(which, names, entries, strict=True)
    ]
    return Reading(
        shortened(config.get("model_type") or outer.get("model_type") or "a model"),
        kinds,
        trained,
        promised,
        warnings_of(file),
        tuple(layers) if in_order else (),
        sentences_of(file, kinds),
        tuple(line for line in engines_of(file) if not line.startswith(READ_AS)),
    )


def _grouped(file: ConfigFile, in_order: bool) -> tuple[tuple[LayerKind, ...], list[int]]:
    """Return the kinds of layers that differ in position, and for each layer which it is of."""
    config, rule = file.config, file.rule
    number, longest = size_of(config, rule, "layers"), size_of(config, rule, "longest")
    keys = [json.dumps(entry, sort_keys=True, default=str) for entry in file.entries]
    distinct = list(dict.fromkeys(keys))
    rotating_names = {n for n, entry in zip(file.names, file.entries, strict=True) if entry}
    kinds: list[LayerKind] = []
    for key in distinct:
        of_key = [name for name, each in zip(file.names, keys, strict=True) if each == key]
        count = len(of_key) if in_order else number * (len(distinct) == 1)
        name = shortened(", ".join(dict.fromkeys(of_key)))
        if (entry := file.entries[keys.index(key)]) is not None:
            if any(name == other.kind for other in kinds):
                name = f"{name}, base {entry['rope_theta']:,.0f}"
            is_latent = bool(latent_of(config, rule))
            kinds.append(read_kind(name, count, entry, longest, is_latent))
        else:
            name = WITHOUT if set(of_key) & rotating_names else name
            position = "no position" if file.position == ROPE else file.position
            kinds.append(LayerKind(name, count, "none", position=position))
    return tuple(kinds), [distinct.index(key) for key in keys]
