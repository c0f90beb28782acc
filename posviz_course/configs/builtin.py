"""Configurations of well-known models: `read_config(CONFIGS["gpt-oss 120b"])` reads one."""

from __future__ import annotations

import tomllib
from importlib import resources
from typing import Any

__all__ = ["CONFIGS", "SOURCES"]

_text = resources.files("posviz_course.configs").joinpath("builtin.toml").read_text("utf-8")
CONFIGS: dict[str, dict[str, Any]] = tomllib.loads(_text)
# Where each was read, as keys of the bibliography.
SOURCES = {name: tuple(config.pop("sources")) for name, config in CONFIGS.items()}
