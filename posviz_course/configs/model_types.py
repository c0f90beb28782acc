"""What a model type does that its `config.json` does not say: the table `model_types.toml`."""

from __future__ import annotations

import functools
import tomllib
from importlib import resources
from typing import Any


@functools.cache
def table(name: str = "model_types") -> dict[str, Any]:
    """Return a table as its file has it, with sources."""
    text = resources.files("posviz_course.configs").joinpath(f"{name}.toml").read_text("utf-8")
    return tomllib.loads(text)


def spellings(entry: str) -> list[str]:
    """Return the names that one thing has in files."""
    return table()["names"][entry]


def rule_of(config: dict, whole: dict) -> tuple[dict[str, Any], bool]:
    """Return the rule of a configuration's type, and whether the type is in the table.

    config: of a model of texts and pictures, the part for texts, which may leave out its type.
    Without a type, the class that the file names is looked up. Of another type, the rule is that
    the entries mean what they mean elsewhere.
    """
    name = config.get("model_type") or whole.get("model_type")
    classes = config.get("architectures") or whole.get("architectures")
    if isinstance(classes, list) and classes:
        of_class = str(classes[0]).partition("For")[0].removesuffix("Model")
        name = table()["classes"].get(str(classes[0]), name or of_class)
    short = f"{name}".removesuffix("_text")
    for spelling in (name, table()["texts"].get(short), f"{name}_text", short):
        if (rule := _rules().get(_plain(spelling))) is not None:
            return rule, True
    assumed = (rule for rule in table()["assumed"] if config.get(rule["when"]) is not None)
    return next(assumed, {}), False


@functools.cache
def _rules() -> dict[str, dict[str, Any]]:
    """Return all rules by their types, without case and underscores: so classes are found, too."""
    rules = table()["released"] | table()["transformers"]
    for position, names in table()["elsewhere"].items():
        rules |= {name: {"position": position} for name in names}
    for entry, names in table()["unread"].items():
        rules |= {name: rules[name] | {f"unread_{entry}": True} for name in names}
    return {_plain(name): {"type": name} | rule for name, rule in rules.items()}


def _plain(name: Any) -> str:
    return str(name).lower().replace("_", "").replace("-", "")
