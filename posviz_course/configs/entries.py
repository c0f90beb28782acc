"""By what a layer rotates: its entry in the file, filled with what its type's rule says."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from posviz.encodings.checks import require_base, require_real
from posviz.wording import quoted
from posviz_course.configs.config_file import ConfigFile, entries_by_kind, integer, value_of
from posviz_course.configs.model_types import spellings

METHODS = ("default", "linear", "dynamic", "ntk", "yarn", "longrope", "llama3", "proportional")
OTHER_NAMES = {"su": "longrope", "mrope": "default", "axial": "default", "xdrope": "dynamic"}
WIDEST = 2**16  # dimensions of a head: the widest known has 512


def entry_of(file: ConfigFile, kind: str, layer: int) -> dict[str, Any] | None:
    """Return rope_type, rope_theta, rotary_dim and the numbers of its method, None for no RoPE.

    layer: its index, because some values are lists by layer.
    """
    label = file.rule.get("labels", {}).get(kind, kind)
    of_kind = file.rule.get("kinds", {}).get(label, {})
    scaling = file.scaling or file.rule.get("scaling", {})
    nested = bool(entries_by_kind(scaling))
    in_file = scaling.get(label, scaling.get(kind, {})) if nested else scaling
    if in_file is None:
        return None
    if nested and in_file and not of_kind.get("always_partial"):  # it replaces the class's whole
        of_kind = {name: value for name, value in of_kind.items() if name != "fraction"}
    file = replace(file, rule=file.rule | of_kind)
    scaled = file.config.get(file.rule.get("scaled_layers"), [layer])
    is_scaled = (nested or of_kind.get("scaled", True)) and layer in scaled
    entry = dict(in_file) if is_scaled else {}
    method = method_of(entry, of_kind.get("method", "default"))
    method = file.rule.get(method, method)  # Phi-3 writes yarn where longrope is meant
    of_base = in_file if nested or "base_name" not in of_kind else {}
    base_name, base = _value(file, layer, "base", of_base)
    base = require_base(10_000 if base is None else base, base_name)
    base *= require_real(file.config.get(file.rule.get("base_times"), 1), "rope_ratio")
    rotary_dim = _rotary_dim_of(file, layer, entry, method)
    if method == "dynamic" and (alpha := entry.get("alpha")):  # Hunyuan's, at every length
        method = "default"
        base *= require_real(alpha, "alpha") ** (rotary_dim / max(rotary_dim - 2, 1))
    if method == "proportional":
        entry.setdefault("partial_rotary_factor", of_kind.get("fraction", 1))
    if original := file.integer("original_max_position_embeddings"):  # Phi-3's comes first
        entry["original_max_position_embeddings"] = original
    if (attention := entry.get("long_mscale", file.rule.get("attention_factor"))) is not None:
        entry.setdefault("attention_factor", attention)  # the first is in files of Phi-3.5-MoE
    is_partial = rotary_dim < _head_dim_of(file, layer)
    entry |= {"rope_type": method, "rope_theta": base}
    return entry | {"rotary_dim": rotary_dim, "is_partial": is_partial}


def method_of(entry: dict, otherwise: str) -> str:
    """Return the name of the method; ValueError for one that is none of METHODS."""
    name = "rope_type" if "rope_type" in entry else "type"
    written = entry.get(name) or otherwise
    method = OTHER_NAMES.get(written, written) if isinstance(written, str) else written
    if method not in METHODS:
        raise ValueError(f"{name} must be one of {', '.join(METHODS)}, got {quoted(written)}")
    return str(method)


def _value(file: ConfigFile, layer: int, number: str, entry: dict) -> tuple[str, Any]:
    """Return a number by lists by layer, the entry, the layer, the file or the class, named."""
    inner = spellings(number)
    outer = [file.rule[f"{number}_name"]] if f"{number}_name" in file.rule else inner
    for name in outer:
        if isinstance(values := file.config.get(name), list):
            if layer >= len(values):
                raise ValueError(f"{name} must have a number for each layer, got {len(values)}")
            return name, values[layer]
    of_layer = file.value(f"per_layer_config.{layer}", f"per_layer_config.{layer:02d}")
    for place, names in ((entry, inner), (of_layer, inner), (file.config, outer)):
        for name in names:
            if (value := value_of(place, name)) is not None:
                return name, value
    return outer[0], file.rule.get(number)


def _rotary_dim_of(file: ConfigFile, layer: int, entry: dict, method: str) -> int:
    """Return how many dimensions of a head rotate; ValueError for more than a model can have."""
    name, value = _value(file, layer, "rotary", {})
    rotary_dim = file.latent or integer({name: value}, name)
    if not rotary_dim or method == "proportional":
        rotary_dim = _head_dim_of(file, layer)
        if not rotary_dim:
            raise ValueError("head_dim must be given, or hidden_size and num_attention_heads")
        name, fraction = _value(file, layer, "fraction", entry)
        if method != "proportional" and fraction is not None:
            rotary_dim = int(rotary_dim * require_real(fraction, name))
    if not 0 < rotary_dim <= WIDEST:
        raise ValueError(f"a head must rotate 2 to {WIDEST:,} dimensions, got {rotary_dim:,}")
    return rotary_dim + rotary_dim % 2


def _head_dim_of(file: ConfigFile, layer: int) -> int:
    """Return how many dimensions a head has, 0 if no entry says."""

    def size(size_name: str) -> int:
        name, value = _value(file, layer, size_name, {})
        return integer({name: value}, name) or file.size(size_name)

    width, heads = file.size("width"), size("heads")
    return size("head_dim") or (width // heads if heads else 0)
