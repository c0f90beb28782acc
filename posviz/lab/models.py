"""Small models that were trained in the sweep and come with the package, to look inside."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open
from safetensors.torch import save

from posviz.encodings.checks import require_choice
from posviz.lab.arms import untrained
from posviz.lab.configs import Config
from posviz.lab.results import DATA, Result, write
from posviz.models.training import SmallTransformer

TRAINED = ("none", "learned", "ALiBi", "RoPE")
TASKS_TRAINED = ("bytes", "recall")


def trained_model(arm: str, task: str = "bytes") -> SmallTransformer:
    """Return a small model that was trained, from seed 0; its weights are kept in float16.

    Raises:
        ValueError: for an arm or task of which none is there.
    """
    with safe_open(_path(arm, task), framework="pt") as file:
        config = Config(**json.loads(file.metadata()["config"]))
        model = untrained(config)
        model.load_state_dict({name: file.get_tensor(name) for name in file.keys()})  # noqa: SIM118
    return model


def card(arm: str, task: str = "bytes") -> dict[str, Any]:
    """Return what is known of a trained model: its configuration, losses, values by length, date.

    Raises:
        ValueError: for an arm or task of which none is there.
    """
    with safe_open(_path(arm, task), framework="pt") as file:
        return {name: json.loads(text) for name, text in file.metadata().items()}


def keep_model(model: SmallTransformer, result: Result) -> Path:
    """Write a trained model, in float16, with its card: for the script that makes the data."""
    state = {
        name: x.half() if x.dtype == torch.float32 else x for name, x in model.state_dict().items()
    }
    metadata = {
        "config": asdict(result.config),
        "loss": float(result.losses[-1]),
        "by_length": result.by_length,
        "about": result.about,
    }
    path = _path(result.config.arm, result.config.task)
    text = {name: json.dumps(value) for name, value in metadata.items()}
    write(path, save({name: x.contiguous() for name, x in state.items()}, text))
    return path


def _path(arm: str, task: str) -> Path:
    require_choice(arm, "arm", TRAINED)
    require_choice(task, "task", TASKS_TRAINED)
    return DATA / f"{task}_{arm.lower()}.safetensors"
