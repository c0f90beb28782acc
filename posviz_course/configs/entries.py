"""By what a layer rotates: its entry in the file, filled with what its type's rule says."""

from __future__ import annotations

from typing import Any

from posviz.encodings.checks import require_base, require_real
from posviz.wording import quoted
from posviz_course.configs.model_types import integer, size_of, table, value_of

METHODS = ("default", "linear", "dynamic", "ntk", "yarn", "longrope", "llama3", "proportional")
OTHER_NAMES = {"su": "longrope", "mrope": "default", "axial": "default", "xdrope": "dynamic"}
WIDEST = 2**16  # dimensions of a head: the widest known has 512


def entry_of(kind: str, layer: int, config: dict, rule: dict) -> dict[str, Any] | None:
    """Return rope_type, rope_theta, rotary_dim and the numbers of its method, None for no RoPE.

    layer: its index, because some values stand in lists by layer.
    """
    label = rule.get("labels", {}).get(kind, kind)
    own = rule.get("kinds", {}).get(label, {})
    given = standard_entry(config) or rule.get("scaling", {})
    nested = is_nested(given)
    found = given.get(label, given.get(kind, {})) if nested else given
    if found is None:
        return None
    if nested and found and not own.get("always_partial"):  # it replaces the class's entry whole
        own = {name: value for name, value in own.items() if name != "fraction"}
    scaled = config.get(rule.get("scaled_layers"), [layer])
    entry = dict(found) if (nested or own.get("scaled", True)) and layer in scaled else {}
    method = method_of(entry, own.get("method", "default"))
    method = rule.get(method, method)  # Phi-3 writes yarn where longrope is meant
    places = (found if nested or "base_name" not in own else {}, layer, config, rule | own)
    base_name, base = _value("base", *places)
    base = require_base(10_000 if base is None else base, base_name)
    base *= require_real(config.get(rule.get("base_times"), 1), "rope_ratio")
    rotary_dim = _rotary_dim_of(entry, layer, config, rule | own, method)
    if method == "dynamic" and (alpha := entry.get("alpha")):  # Hunyuan's, at every length
        method = "default"
        base *= require_real(alpha, "alpha") ** (rotary_dim / max(rotary_dim - 2, 1))
    if method == "proportional":
        entry.setdefault("partial_rotary_factor", own.get("fraction", 1))
    if original := integer(config, "original_max_position_embeddings"):  # Phi-3's comes first
        entry["original_max_position_embeddings"] = original
    if (attention := entry.get("long_mscale", rule.get("attention_factor"))) is not None:
        entry.setdefault("attention_factor", attention)  # the first stands in files of Phi-3.5-MoE
    is_partial = rotary_dim < _head_dim_of(layer, config, rule | own)
    entry |= {"rope_type": method, "rope_theta": base, "rotary_dim": rotary_dim}
    return entry | {"is_partial": is_partial}


def standard_entry(config: dict) -> dict[str, Any]:
    """Return what stands under the names of transformers, which takes the older one first."""
    name = "rope_scaling" if config.get("rope_scaling") else "rope_parameters"
    found = config.get(name) or {}
    if not isinstance(found, dict):
        raise TypeError(f"{name} must be an object, got {quoted(found)}")
    return found


def is_nested(entry: dict) -> bool:
    """Tell whether an entry has entries of its own, by kinds of layers."""
    return any(isinstance(each, dict) for each in entry.values())


def method_of(entry: dict, otherwise: str = "default") -> str:
    """Return the name of the method; ValueError for one that is none of METHODS."""
    name = "rope_type" if "rope_type" in entry else "type"
    given = entry.get(name) or otherwise
    method = OTHER_NAMES.get(given, given) if isinstance(given, str) else given
    if method not in METHODS:
        raise ValueError(f"{name} must be one of {', '.join(METHODS)}, got {quoted(given)}")
    return str(method)


def _value(what: str, entry: dict, layer: int, config: dict, rule: dict) -> tuple[str, Any]:
    """Return a number by lists by layer, the entry, the layer, the file or the class, named."""
    inner = table()["names"][what]
    names = [rule[f"{what}_name"]] if f"{what}_name" in rule else inner
    for name in names:
        if isinstance(values := config.get(name), list):
            if layer >= len(values):
                raise ValueError(f"{name} must have a number for each layer, got {len(values)}")
            return name, values[layer]
    overrides = value_of(config, f"per_layer_config.{layer}", f"per_layer_config.{layer:02d}")
    for place, known in ((entry, inner), (overrides or {}, inner), (config, names)):
        for name in known:
            if (found := value_of(place, name)) is not None:
                return name, found
    return names[0], rule.get(what)


def _rotary_dim_of(entry: dict, layer: int, config: dict, rule: dict, method: str) -> int:
    """Return how many dimensions of a head rotate; ValueError for more than a model can have."""

    name, given = _value("rotary", {}, layer, config, rule)
    rotary_dim = latent_of(config, rule) or integer({name: given}, name)
    if not rotary_dim or method == "proportional":
        rotary_dim = _head_dim_of(layer, config, rule)
        if not rotary_dim:
            raise ValueError("head_dim must be given, or hidden_size and num_attention_heads")
        name, fraction = _value("fraction", entry, layer, config, rule)
        if method != "proportional" and fraction is not None:
            rotary_dim = int(rotary_dim * require_real(fraction, name))
    if not 0 < rotary_dim <= WIDEST:
        raise ValueError(f"a head must rotate 2 to {WIDEST:,} dimensions, got {rotary_dim:,}")
    return rotary_dim + rotary_dim % 2


def _head_dim_of(layer: int, config: dict, rule: dict) -> int:
    """Return how many dimensions a head has, 0 if no entry says."""

    def number(what: str) -> int:
        name, value = _value(what, {}, layer, config, rule)
        return integer({name: value}, name) or size_of(config, rule, what)

    width, heads = size_of(config, rule, "width"), number("heads")
    return number("head_dim") or (width // heads if heads else 0)


def latent_of(config: dict, rule: dict) -> int:
    """Return the dimensions that rotate in latent attention, beside those that never do; else 0."""
    if config.get("use_mla") is False:
        return 0
    return integer(config, rule.get("latent_name", "qk_rope_head_dim")) or rule.get("latent", 0)
