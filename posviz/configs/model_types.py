"""What a model type does that its `config.json` does not say: the table `model_types.toml`."""

from __future__ import annotations

import functools
import tomllib
from importlib import resources
from typing import Any

from posviz.encodings.checks import require_integer

MOST_LAYERS = 10_000


@functools.cache
def table() -> dict[str, Any]:
    """Return the table as it stands in its file, with sources."""
    text = resources.files("posviz.configs").joinpath("model_types.toml").read_text("utf-8")
    return tomllib.loads(text)


def rule_of(config: dict, outer: dict) -> dict[str, Any] | None:
    """Return the rule of a configuration's type, None for a type that is not in the table.

    Of a model of texts and pictures, ``outer`` is the whole and ``config`` the part for texts, which
    may leave out its type. Without a type, the class that the file names is looked up.
    """
    known = _rules()
    if not (name := config.get("model_type")) and config is not outer:
        name = outer.get("model_type")
    if not name and isinstance(classes := config.get("architectures"), list) and classes:
        name = str(classes[0]).partition("For")[0].removesuffix("Model")
    short = f"{name}".removesuffix("_text")
    for each in (name, table()["texts"].get(short), f"{name}_text", short):
        if (rule := known.get(_plain(each))) is not None:
            return rule
    return None


@functools.cache
def _rules() -> dict[str, dict[str, Any]]:
    """Return all rules by their types, without case and underscores: so classes are found, too."""
    found = {_plain(name): rule for name, rule in table()["released"].items()}
    found |= {_plain(name): rule for name, rule in table()["transformers"].items()}
    for position, names in table()["elsewhere"].items():
        found |= {_plain(name): {"position": position} for name in names}
    return found


def _plain(name: Any) -> str:
    return str(name).lower().replace("_", "").replace("-", "")


def value_of(config: dict, *names: str) -> Any:
    """Return the first value that stands under one of these names; "a.b" is b inside of a."""
    for name in filter(None, names):
        found: Any = config
        for part in name.split("."):
            found = found.get(part) if isinstance(found, dict) else None
        if found is not None:
            return found
    return None


def integer(config: dict, *names: str) -> int:
    """Return a count, 0 where there is none; floats that are whole are let pass, as JSON has it."""
    value = value_of(config, *names)
    if value is None or isinstance(value, dict):  # LXMERT has layers of three kinds
        return 0
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return require_integer(value, names[0], low=0)


def size_of(config: dict, rule: dict, part: str) -> int:
    """Return the layers, width, heads, head_dim or longest text, else what the class has."""
    parts = ("layers", "width", "heads", "head_dim", "longest")
    found = integer(config, *table()["names"][part])
    return found or rule.get("size", [0] * 5)[parts.index(part)]
