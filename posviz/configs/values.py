"""Values of a configuration: each is checked, and an error names its entry."""

from __future__ import annotations

import numpy as np

from posviz.encodings.checks import require_integer, require_positive, require_real
from posviz.wording import quoted

METHODS = ("default", "linear", "dynamic", "yarn", "longrope", "llama3", "proportional")
WIDEST = 2**16  # dimensions of a head: the widest known has 512
OTHER_NAMES = {"su": "longrope", "mrope": "default", "axial": "default"}


def method_of(entry: dict) -> str:
    """Return the name of the method; ValueError for one that is none of METHODS."""
    name = entry.get("rope_type", entry.get("type")) or "default"
    method = OTHER_NAMES.get(name, name) if isinstance(name, str) else name
    if method not in METHODS:
        raise ValueError(f"rope_type must be one of {', '.join(METHODS)}, got {quoted(name)}")
    return str(method)


def factor_of(entry: dict) -> float | None:
    """Return by how much the context is stretched, None where no entry tells; at least 1."""
    factor = entry.get("factor")
    if factor is None:
        return None
    number = require_real(factor, "factor")
    if number < 1:
        raise ValueError(f"factor must be at least 1, for it stretches, got {number:g}")
    return number


def base_of(entry: dict, warnings: list[str]) -> float:
    """Return the base, above 1; 10 000 and a warning where it is missing."""
    if entry.get("rope_theta") is None:
        warnings.append("rope_theta is missing: the base is taken for 10 000")
        return 10_000.0
    base = require_real(entry["rope_theta"], "rope_theta")
    if base <= 1:
        raise ValueError(f"rope_theta must be above 1, got {base:g}")
    return base


def integer(entry: dict, name: str) -> int:
    """Return a count, 0 where there is none; floats that are whole are let pass, as JSON has it."""
    value = entry.get(name)
    if value is None:
        return 0
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return require_integer(value, name)


def original_of(entry: dict, config: dict) -> int:
    """Return the length of the training where an entry tells it, else 0; Phi-3 tells it outside."""
    name = "original_max_position_embeddings"
    return integer(config, name) or integer(entry, name)


def is_latent(config: dict) -> bool:
    """Tell whether attention is latent: few dimensions turn, beside those that never do."""
    return bool(integer(config, "qk_rope_head_dim"))


def head_dim_of(config: dict) -> int:
    """Return the dimensions of a head, given or as width over heads; ValueError without both."""
    if head_dim := integer(config, "head_dim"):
        return head_dim
    width = integer(config, "hidden_size") or integer(config, "n_embd")
    heads = integer(config, "num_attention_heads") or integer(config, "n_head")
    if not width or not heads:
        raise ValueError("head_dim must be given, or hidden_size and num_attention_heads")
    return width // heads


def rotary_dim_of(entry: dict, config: dict) -> int:
    """Return how many dimensions of a head turn; ValueError for more than a model can have."""
    rotary_dim = _rotary_dim(entry, config)
    if rotary_dim > WIDEST:
        raise ValueError(f"a head must have at most {WIDEST:,} dimensions, got {rotary_dim:,}")
    return rotary_dim


def _rotary_dim(entry: dict, config: dict) -> int:
    if given := integer(config, "qk_rope_head_dim") or integer(config, "rotary_dim"):
        return given
    if method_of(entry) == "proportional":
        return head_dim_of(config)
    fraction = require_real(entry.get("partial_rotary_factor", 1.0), "partial_rotary_factor")
    return int(head_dim_of(config) * fraction)


def numbers(entry: dict, name: str, count: int) -> np.ndarray:
    """Return a list of so many positive numbers as an array [count]."""
    values = entry.get(name)
    if not isinstance(values, list) or len(values) != count:
        raise ValueError(f"{name} must be a list of {count} numbers, got {quoted(values)}")
    return np.array([require_positive(value, name) for value in values])
