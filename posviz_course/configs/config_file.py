"""A configuration with the rule of its model type: what both say of the whole model."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from posviz.encodings.checks import require_integer
from posviz.wording import quoted, shortened
from posviz_course.configs.loading import loaded, part_for_texts
from posviz_course.configs.model_types import rule_of, spellings, table

SIZES = ("layers", "width", "heads", "head_dim", "longest")
ROPE, UNKNOWN = "rope", "this file does not say"
LEARNED = "a learned table"


@dataclass(frozen=True)
class ConfigFile:
    """What a file says, and in ``rule`` what its model type does that the file does not say.

    config: of a model of texts and pictures, the part for texts; is_known: the type is in
    `model_types.toml`. names, entries: of each layer, once they are read; None where it does not
    rotate.
    """

    model: str
    config: dict
    rule: dict[str, Any]
    is_known: bool
    names: list[str] = field(default_factory=list)
    entries: list[dict[str, Any] | None] = field(default_factory=list)

    @classmethod
    def read(cls, source: Any) -> ConfigFile:
        """Read a dict, a text or the file at a path, as `read_config` does."""
        whole = loaded(source)
        config = part_for_texts(whole)
        rule, is_known = rule_of(config, whole)
        model = config.get("model_type") or whole.get("model_type") or "a model"
        return cls(shortened(model), config, rule, is_known)

    def value(self, *names: str) -> Any:
        """Return the first value under one of these names, as `value_of`."""
        return value_of(self.config, *names)

    def integer(self, *names: str) -> int:
        """Return the first count under one of these names, as `integer`."""
        return integer(self.config, *names)

    def size(self, name: str) -> int:
        """Return one of SIZES: what the file says, else what the class has, else 0."""
        of_class = self.rule.get("size", [0] * len(SIZES))
        return self.integer(*spellings(name)) or of_class[SIZES.index(name)]

    @property
    def longest(self) -> int:
        """The longest text that the file names, 0 if it names none."""
        return self.integer(*spellings("longest"))

    @property
    def rotations(self) -> list[dict[str, Any]]:
        """The entries that differ, of layers that rotate."""
        by_text = {json.dumps(entry, default=str): entry for entry in self.entries if entry}
        return [*by_text.values()]

    @property
    def scaling(self) -> dict[str, Any]:
        """The scaling entry; of its two names transformers reads the older one first."""
        name = "rope_scaling" if self.config.get("rope_scaling") else "rope_parameters"
        scaling = self.config.get(name) or {}
        if not isinstance(scaling, dict):
            raise TypeError(f"{name} must be an object, got {quoted(scaling)}")
        return scaling

    @property
    def latent(self) -> int:
        """The dimensions that rotate in latent attention, beside those that never do; else 0."""
        if self.config.get("use_mla") is False:
            return 0
        name = self.rule.get("latent_name", "qk_rope_head_dim")
        return self.integer(name) or self.rule.get("latent", 0)

    @property
    def has_windows(self) -> bool:
        """Whether windows are on; a gated type, such as Qwen's, needs an entry for them."""
        return bool(self.config.get("use_sliding_window", not self.rule.get("gated")))

    @property
    def position(self) -> str:
        """ROPE, or the other encoding that the file and its type's code have."""
        has_latent = self.config.get("use_mla") is not False
        if (self.config.get("qk_rope_head_dim") == 0 and has_latent) or self.value("mla_use_nope"):
            return "no position"
        if choose := self.rule.get("choose"):
            value = self.value(choose["name"])
            return choose.get(str(value).lower(), choose.get("default", ROPE))
        named = str(self.config.get("position_embedding_type")).lower().partition("_")[0]
        kinds = table()["position_embedding_type"]
        if self.is_known:
            position = self.rule.get("position", ROPE)
            return kinds.get(named, position) if position == LEARNED else position
        if self.config.get("alibi") or self.value("attn_config.alibi"):
            return "ALiBi"
        entries = ["rope_parameters", "rope_scaling", "rotary_dim", "qk_rope_head_dim"]
        entries += [*spellings("base"), *spellings("rotates")]
        if self.value(*entries) is not None and named in ("none", "absolute"):
            return ROPE  # in many files "absolute" means nothing
        return kinds.get(named, UNKNOWN)


def value_of(config: dict, *names: str) -> Any:
    """Return the first value that has one of these names; "a.b" is b inside of a."""
    for name in filter(None, names):
        value: Any = config
        for key in name.split("."):
            value = value.get(key) if isinstance(value, dict) else None
        if value is not None:
            return value
    return None


def integer(config: dict, *names: str) -> int:
    """Return a count, 0 where there is none; floats that are whole are let pass, as JSON has it."""
    for name in names:
        value = value_of(config, name)
        if value is not None and not isinstance(value, dict):  # LXMERT has layers of three kinds
            whole = isinstance(value, float) and value.is_integer()
            return require_integer(int(value) if whole else value, name, low=0)
    return 0


def entries_by_kind(scaling: dict) -> dict[str, dict[str, Any]]:
    """Return the entries that an entry has for kinds of layers, none where it is for all."""
    return {kind: entry for kind, entry in scaling.items() if isinstance(entry, dict)}
