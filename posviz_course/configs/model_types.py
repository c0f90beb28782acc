"""What a model type does that its `config.json` does not say: the table `model_types.toml`."""

from __future__ import annotations

import functools
import tomllib
from importlib import resources
from typing import Any

from posviz.encodings.checks import require_integer

SIZES = ("layers", "width", "heads", "head_dim", "longest")


@functools.cache
def table(name: str = "model_types") -> dict[str, Any]:
    """Return a table as it stands in its file, with sources."""
    text = resources.files("posviz_course.configs").joinpath(f"{name}.toml").read_text("utf-8")
    return tomllib.loads(text)


def rule_of(config: dict, outer: dict) -> tuple[dict[str, Any], bool]:
    """Return the rule of a configuration's type, and whether the type is in the table.

    Of a model of texts and pictures, ``outer`` is the whole and ``config`` the part for texts,
    which may leave out its type. Without a type, the class that the file names is looked up. Of
    another type, the rule is that the entries mean what they mean elsewhere.
    """
    name = config.get("model_type") or (outer.get("model_type") if config is not outer else None)
    classes = config.get("architectures") or outer.get("architectures")
    if isinstance(classes, list) and classes:
        of_class = str(classes[0]).partition("For")[0].removesuffix("Model")
        name = table()["classes"].get(str(classes[0]), name or of_class)
    short = f"{name}".removesuffix("_text")
    for each in (name, table()["texts"].get(short), f"{name}_text", short):
        if (rule := _rules().get(_plain(each))) is not None:
            return rule, True
    assumed = (rule for rule in table()["assumed"] if config.get(rule["when"]) is not None)
    return next(assumed, {}), False


@functools.cache
def _rules() -> dict[str, dict[str, Any]]:
    """Return all rules by their types, without case and underscores: so classes are found, too."""
    found = table()["released"] | table()["transformers"]
    for position, names in table()["elsewhere"].items():
        found = found | {name: {"position": position} for name in names}
    for entry, names in table()["unread"].items():
        found |= {name: found[name] | {f"unread_{entry}": True} for name in names}
    return {_plain(name): {"type": name} | rule for name, rule in found.items()}


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
    for name in names:
        value = value_of(config, name)
        if value is not None and not isinstance(value, dict):  # LXMERT has layers of three kinds
            whole = isinstance(value, float) and value.is_integer()
            return require_integer(int(value) if whole else value, name, low=0)
    return 0


def size_of(config: dict, rule: dict, part: str) -> int:
    """Return one of SIZES: what the file says, else what the class has, else 0."""
    return integer(config, *table()["names"][part]) or rule.get("size", [0] * 5)[SIZES.index(part)]
