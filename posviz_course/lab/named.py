"""Sweeps with a name: that of the lesson, a small one for readers, a large one for a GPU."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from posviz.encodings.checks import require_choice
from posviz.wording import quoted
from posviz_course.lab.configs import ARMS, REMEDIES, Config

FAILING = "recall"  # the task on which remedies are tried
SIZES: dict[str, dict[str, Any]] = {  # found by a pilot, on the loss within the trained length
    "bytes": {"steps": 500},
    "recall": {"steps": 300},
    "copy unique": {"steps": 1000, "seq_len": 32, "batch_size": 32},
    "copy repeats": {"steps": 600, "seq_len": 32, "batch_size": 32},
    "parity": {"steps": 500, "seq_len": 8, "batch_size": 64},
    "majority": {"steps": 150, "seq_len": 32},
}
SEEDS = dict.fromkeys(SIZES, 5) | {"copy unique": 8}
NAMES = ("lesson", "small", "large")


def named(name: str, device: str = "torch CPU") -> tuple[Config, ...]:
    """Return the runs of a sweep: "lesson", "small" or "large".

    lesson: all tasks and arms, seed by seed: whenever it is stopped, what is done is a table.
    small: one seed of four arms that recall, a minute of one core. large: the runs of lesson, of
    four times the length and width, for a GPU: about an hour of one with 12 at once.
    """
    require_choice(name, "name", NAMES)
    if name == "small":
        return tuple(_config("recall", a, 0, device) for a in ("none", "learned", "ALiBi", "RoPE"))
    runs = (
        _config(task, arm, seed, device)
        for seed in range(max(SEEDS.values()))
        for task in SIZES
        if seed < SEEDS[task]
        for arm in (ARMS + REMEDIES if task == FAILING else ARMS)
    )
    if name == "large":
        runs = (_larger(config) for config in runs)
    return tuple(runs)


def _config(task: str, arm: str, seed: int, device: str) -> Config:
    return Config(task, arm, seed, device=device, **SIZES[task])


def _larger(config: Config) -> Config:
    length = config.seq_len * (1 if config.task == "copy unique" else 4)  # it has 128 tokens
    return replace(config, seq_len=length, d_model=256, num_heads=8, steps=4 * config.steps)


def part_of(configs: tuple[Config, ...], part: str) -> tuple[Config, ...]:
    """Return part "k/n" of the runs: every n-th from the k-th on, so parts take about as long."""
    number, _, parts = part.partition("/")
    if not (number.isdecimal() and parts.isdecimal() and 1 <= int(number) <= int(parts)):
        raise ValueError(f"part must be k/n with k from 1 to n, such as 3/10, got {quoted(part)}")
    return configs[int(number) - 1 :: int(parts)]
