"""Read what a model's `config.json` says about position, and warn of what is wrong with it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from typing import Any

from posviz_course.configs.config_file import ConfigFile
from posviz_course.configs.entries import entry_of
from posviz_course.configs.kinds import LayerKind, kinds_of
from posviz_course.configs.layers import Layer, layer_of, names_of, rotating
from posviz_course.configs.remarks import engines_of, lengths_of, sentences_of, warnings_of

__all__ = ["Layer", "LayerKind", "Reading", "read_config"]

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
        if any(kind.frequencies is not None for kind in self.kinds):
            table.append(LEGEND)
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

    >>> [layer.chunk for layer in read_config({"model_type": "llama4_text"}).layers[:5]]
    [8192, 8192, 8192, 0, 8192]
    """
    file = ConfigFile.read(source)
    names, in_order = names_of(file)
    entries = [
        entry_of(file, name, layer) if rotates else None
        for layer, (name, rotates) in enumerate(zip(names, rotating(file, names), strict=True))
    ]
    file = replace(file, names=names, entries=entries)
    kinds, kind_by_layer = kinds_of(file, in_order)
    layers = [
        layer_of(file, kind.kind, name, entry)
        for kind, name, entry in zip(kind_by_layer, names, entries, strict=True)
    ]
    return Reading(
        file.model,
        tuple(kinds),
        *lengths_of(file),
        warnings_of(file),
        tuple(layers) if in_order else (),
        sentences_of(file, kinds),
        engines_of(file),
    )
