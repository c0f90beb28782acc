"""What a run left: one file for each, named by its configuration, and one that has them all."""

from __future__ import annotations

import functools
import gzip
import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from posviz_course.lab.configs import Config

DATA = Path(__file__).parent / "data"
COMMITTED = DATA / "results.json.gz"


@dataclass(frozen=True)
class Result:
    """One run: its configuration, its losses in training, and what it reads, as in its file.

    losses [steps / 50] are means of 50 steps each, in nats. readings {name: scores} has the arm
    itself and what is changed only at test (``AT_TEST``), as PI with RoPE. The scores are by_length
    {tokens: value}, and by_place [bins], as ``Task.places`` of the longest length begins them. A
    value is what the task measures: a mean loss in nats, over the second half of each text, or the
    accuracy of all answers; None where there is nothing to say. seconds are of one core. weights is
    the SHA-256 of the trained weights; about says when and with what it ran.
    """

    config: Config
    losses: list[float]
    readings: dict[str, dict[str, Any]]
    seconds: float
    weights: str
    about: dict[str, Any]

    @classmethod
    def from_dict(cls, content: dict[str, Any]) -> Result:
        """Return the result of what a file has."""
        return cls(**content | {"config": Config(**content["config"])})


def path_of(folder: Path | str, config: Config) -> Path:
    """Return where the result of a configuration lies, or will lie."""
    return Path(folder) / f"{config.key}.json"


def save(result: Result, folder: Path | str) -> Path:
    """Write a result into a folder, beside and then renamed: what has its name is whole."""
    path = path_of(folder, result.config)
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(f".{os.getpid()}.part")
    unfinished.write_text(json.dumps(asdict(result), default=int) + "\n", encoding="utf-8")
    unfinished.replace(path)
    return path


def kept(folder: Path | str, config: Config) -> Result | None:
    """Return the result of a configuration in a folder, None where there is none."""
    path = path_of(folder, config)
    return _load(path) if path.exists() else None


def results(folder: Path | str) -> tuple[Result, ...]:
    """Return all results in a folder, by task, arm and seed."""
    if not (folder := Path(folder)).is_dir():
        raise FileNotFoundError(f"there is no folder {folder}")
    return _sorted(map(_load, folder.glob("*.json")))


@functools.cache
def committed() -> tuple[Result, ...]:
    """Return the results that come with the package, by task, arm and seed."""
    runs = json.loads(gzip.decompress(COMMITTED.read_bytes()))
    return _sorted(map(Result.from_dict, runs))


def status(configs: Sequence[Config], folder: Path | str) -> list[str]:
    """Return a line for each task: how many of its runs are done, and the seconds they took."""
    lines = []
    for task in dict.fromkeys(config.task for config in configs):
        runs = [kept(folder, config) for config in configs if config.task == task]
        done = [result.seconds for result in runs if result is not None]
        lines.append(f"{task}: {len(done)} of {len(runs)}, {sum(done):,.0f} s of one core")
    return lines


def _load(path: Path) -> Result:
    return Result.from_dict(json.loads(path.read_text(encoding="utf-8")))


def _sorted(results: Iterable[Result]) -> tuple[Result, ...]:
    return tuple(sorted(results, key=lambda r: (r.config.task, r.config.arm, r.config.seed)))
