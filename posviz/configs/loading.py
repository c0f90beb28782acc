"""A `config.json` from a path, a text or a dict, as Python and editors write it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from posviz.configs.model_types import table
from posviz.wording import quoted

MOST_CHARACTERS = 2**24  # of a file: the longest known has some 10 kB


def loaded(source: Any) -> dict[str, Any]:
    """Return the object that a dict, a text or the file at a path holds; else as `read_config`."""
    if isinstance(source, dict):
        return _checked(source)
    if not isinstance(source, str | Path):
        raise TypeError(
            f"source must be a dict, the text of a config.json or a path, got {quoted(source)}"
        )
    text = str(source).lstrip("\ufeff")  # which editors of Windows put before a text
    if not (isinstance(source, str) and text.lstrip()[:1] in ("{", "[", '"', "")):
        with Path(source).open(encoding="utf-8-sig", errors="replace") as file:
            text = file.read(MOST_CHARACTERS + 1)
    if len(text) > MOST_CHARACTERS:
        raise ValueError(f"source must have at most {MOST_CHARACTERS:,} characters")
    try:
        config = json.loads(text)
    except RecursionError:
        raise ValueError("source must be JSON of a few levels, got thousands") from None
    except ValueError as error:  # of which JSONDecodeError is one
        raise ValueError(f"source must be JSON: {quoted(str(error))}{_hint(text, error)}") from None
    if not isinstance(config, dict):
        raise ValueError(f"source must be a JSON object, got {quoted(config)}")
    return _checked(config)


def _checked(config: dict[str, Any]) -> dict[str, Any]:
    if {"dim", "n_layers"} <= config.keys() and "model_type" not in config:
        raise ValueError(
            "source must be a config.json: this is a params.json, as Mistral and Meta write it; "
            "take the config.json that lies beside it"
        )
    return config


def _hint(text: str, error: ValueError) -> str:
    if text.lstrip().startswith('"'):
        return "; are the braces around it missing?"
    if text[getattr(error, "pos", 0) :][:1] in ("}", "]"):
        return "; is the comma before it too much?"
    ends = len(text.rstrip()) - getattr(error, "pos", 0) <= 1 or "Unterminated" in str(error)
    return "; is the end missing?" if ends else ""


def part_for_texts(config: dict[str, Any]) -> dict[str, Any]:
    """Return the part of a model of texts and pictures that is its model of texts."""
    for name in table()["names"]["nested"]:
        if isinstance(inner := config.get(name), dict):
            return part_for_texts(inner)
    return config
