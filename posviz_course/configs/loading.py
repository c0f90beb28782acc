"""A `config.json` from a path, a text or a dict, as Python and editors write it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from posviz.wording import quoted, shortened
from posviz_course.configs.model_types import spellings

OTHER_FILES = {  # by an entry of theirs, what they are
    "n_layers": "a params.json of Mistral or Meta; take the config.json that lies beside it",
    "tokenizer_class": "a tokenizer_config.json; take the config.json that lies beside it",
    "peft_type": "an adapter_config.json; take the config.json of the model that it adapts",
}


def loaded(source: Any) -> dict[str, Any]:
    """Return the object that a dict, a text or the file at a path holds; else as `read_config`."""
    if isinstance(source, dict):
        return source
    if not isinstance(source, str | Path):
        raise TypeError(
            f"source must be a dict, the text of a config.json or a path, got {quoted(source)}"
        )
    name = "source must be JSON"
    text = str(source).lstrip("\ufeff")  # which editors of Windows put before a text
    if isinstance(source, Path) or text.lstrip()[:1] not in ("{", "[", '"', ""):
        path = Path(source)
        path = path / "config.json" if path.is_dir() else path
        name, text = shortened(path.name), path.read_text("utf-8-sig", "replace")
        if text.startswith("GGUF"):
            raise ValueError(f"{name} is a GGUF file: give the config.json of its model")
    try:
        config = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"{name}, {_explained(error)}") from None
    except RecursionError:
        raise ValueError("source must be JSON of a few levels, got hundreds") from None
    if not isinstance(config, dict):
        raise ValueError(f"source must be a JSON object, got {quoted(config)}")
    if not {"model_type", "architectures", "hidden_size"} & config.keys():
        for entry, what in OTHER_FILES.items():
            if entry in config and (entry != "n_layers" or "dim" in config):
                raise ValueError(f"source must be a config.json: this is {what}")
    return config


def _explained(error: json.JSONDecodeError) -> str:
    """Return the line of an error, and what to do there."""
    # The decoder stops at the brace, or since Python 3.13 at the comma before it.
    for comma in re.finditer(r",\s*[}\]]", error.doc):
        if comma.start() <= error.pos < comma.end():
            line = error.doc.count("\n", 0, comma.start()) + 1
            return f"line {line}: remove the comma after the last entry."
    return f"line {error.lineno}: {error.msg.removesuffix(' at')} at column {error.colno}."


def part_for_texts(config: dict[str, Any]) -> dict[str, Any]:
    """Return the part of a model of texts and pictures that is its model of texts."""
    for name in spellings("nested"):
        if isinstance(part := config.get(name), dict):
            return part_for_texts(part)
    return config
