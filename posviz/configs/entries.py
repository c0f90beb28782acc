"""By what a layer rotates: its entry in the file, filled with what its type's rule says."""

from __future__ import annotations

from typing import Any

from posviz.configs.model_types import integer, size_of, table, value_of
from posviz.encodings.checks import require_real
from posviz.wording import quoted

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
    scaled = config.get(rule.get("scaled_layers"), [layer])
    entry = dict(found) if (nested or own.get("scaled", True)) and layer in scaled else {}
    method = method_of(entry, own.get("method", "default"))
    method = rule.get(method, method)  # Phi-3 writes yarn where longrope is meant
    base = _base_of(found if nested or "base_name" not in own else {}, layer, config, rule, own)
    rotary_dim = _rotary_dim_of(entry, layer, config, rule, own, method)
    if method == "dynamic" and (alpha := entry.get("alpha")):  # Hunyuan's, at every length
        method = "default"
        base *= require_real(alpha, "alpha") ** (rotary_dim / (rotary_dim - 2))
    if method == "proportional":
        entry.setdefault("partial_rotary_factor", own.get("fraction", 1))
    if original := integer(config, "original_max_position_embeddings"):  # Phi-3's comes first
        entry["original_max_position_embeddings"] = original
    if "attention_factor" in rule:
        entry.setdefault("attention_factor", rule["attention_factor"])
    return entry | {"rope_type": method, "rope_theta": base, "rotary_dim": rotary_dim}


def standard_entry(config: dict) -> dict[str, Any]:
    """Return what stands under the names of transformers, which takes the older one first."""
    found = config.get("rope_scaling") or config.get("rope_parameters") or {}
    if not isinstance(found, dict):
        raise TypeError(f"rope_parameters must be an object, got {quoted(found)}")
    return found


def is_nested(entry: dict) -> bool:
    """Tell whether an entry has entries of its own, by kinds of layers."""
    return any(isinstance(each, dict) for each in entry.values())


def method_of(entry: dict, otherwise: str = "default") -> str:
    """Return the name of the method; ValueError for one that is none of METHODS."""
    name = entry.get("rope_type", entry.get("type")) or otherwise
    method = OTHER_NAMES.get(name, name) if isinstance(name, str) else name
    if method not in METHODS:
        raise ValueError(f"rope_type must be one of {', '.join(METHODS)}, got {quoted(name)}")
    return str(method)


def _base_of(entry: dict, layer: int, config: dict, rule: dict, own: dict) -> float:
    """Return the base: of the entry, the layer, the file, or the class."""
    names = table()["names"]
    if "base_name" in own:
        found = value_of(config, own["base_name"])
    else:
        listed = _by_layer(config, names["bases"], layer)
        found = listed or value_of(config, rule.get("base_name", ""), *names["base"])
    given = entry.get("rope_theta")
    found = found if given is None else given
    found = own.get("base", rule.get("base", 10_000)) if found is None else found
    if (base := require_real(found, "rope_theta")) <= 1:
        raise ValueError(f"rope_theta must be above 1, got {base:g}")
    return base * require_real(config.get(rule.get("base_times"), 1), "rope_ratio")


def _by_layer(config: dict, names: list[str], layer: int) -> Any:
    """Return what a list under one of these names says of a layer, None without such a list."""
    for name in names:
        if isinstance(values := config.get(name), list):
            if layer >= len(values):
                raise ValueError(f"{name} must have a number for each layer, got {len(values)}")
            return values[layer]
    return None


def _rotary_dim_of(
    entry: dict, layer: int, config: dict, rule: dict, own: dict, method: str
) -> int:
    """Return how many dimensions of a head rotate; ValueError for more than a model can have."""
    latent = latent_of(config, rule, own)
    head_dim = 0 if latent else _head_dim_of(layer, config, rule, own)
    rotary_dim = latent or integer(config, rule.get("rotary_name", "rotary_dim"))
    rotary_dim = rotary_dim or rule.get("rotary", 0)
    if method == "proportional":
        rotary_dim = head_dim
    if not rotary_dim:
        names, given = table()["names"], entry.get("partial_rotary_factor")
        given = _by_layer(config, names["fractions"], layer) if given is None else given
        given = value_of(config, *names["fraction"]) if given is None else given
        given = own.get("fraction", rule.get("fraction", 1)) if given is None else given
        rotary_dim = int(head_dim * require_real(given, "partial_rotary_factor"))
    if not 0 < rotary_dim <= WIDEST:
        raise ValueError(f"a head must rotate 2 to {WIDEST:,} dimensions, got {rotary_dim:,}")
    return rotary_dim + rotary_dim % 2


def latent_of(config: dict, rule: dict, own: dict | None = None) -> int:
    """Return the dimensions that rotate in latent attention, beside those that never do; else 0."""
    if config.get("use_mla") is False:
        return 0
    own = own or {}
    name = own.get("latent_name", "qk_rope_head_dim")
    return integer(config, name) or own.get("latent", rule.get("latent", 0))


def _head_dim_of(layer: int, config: dict, rule: dict, own: dict) -> int:
    """Return the dimensions of a head, given or as width over heads; ValueError without both."""
    overrides = config.get("per_layer_config")
    overrides = overrides if isinstance(overrides, dict) else {}
    for name in (str(layer), f"{layer:02d}", layer):
        if isinstance(each := overrides.get(name), dict) and each.get("head_dim"):
            return integer(each, "head_dim")
    if head_dim := integer(config, own.get("head_dim_name", "")) or own.get("head_dim", 0):
        return head_dim
    given = size_of(config, rule, "head_dim")
    width, heads = size_of(config, rule, "width"), integer(config, own.get("heads_name", ""))
    heads = heads or size_of(config, rule, "heads")
    if not given and not (width and heads):
        raise ValueError("head_dim must be given, or hidden_size and num_attention_heads")
    return given or width // heads
