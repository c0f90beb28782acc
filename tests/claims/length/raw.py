"""The committed runs as their file has them, read without the package."""

import gzip
import json
import statistics
from functools import cache
from pathlib import Path

import posviz.lab

FILE = Path(posviz.lab.__file__).parent / "data" / "results.json.gz"
TWELVE = [
    "none",
    "sinusoidal",
    "learned",
    "T5",
    "ALiBi",
    "RoPE",
    "xPos",
    "RoPE, window",
    "hybrid",
    "FIRE",
    "Kerple",
    "FoX",
]


@cache
def entries():
    return json.loads(gzip.decompress(FILE.read_bytes()))


@cache
def readings(task, arm):
    """What each run of an arm reads, in the order of the seeds."""
    found = [
        (entry["config"]["seed"], entry["readings"][arm])
        for entry in entries()
        if entry["config"]["task"] == task and arm in entry["readings"]
    ]
    return [reading for _, reading in sorted(found, key=lambda pair: pair[0])]


def at(task, arm, times):
    """The values at the trained length, or at 2, 4, 8 times it."""
    place = (1, 2, 4, 8).index(times)
    return [[*reading["by_length"].values()][place] for reading in readings(task, arm)]


def grown(arm, times):
    return [b - a for a, b in zip(at("bytes", arm, 1), at("bytes", arm, times), strict=True)]


def stay(arm, times):
    return sum(x < 0.1 for x in grown(arm, times))


def needles(arm):
    """Bins of distances begin at 1, 2, 4, …: the seventh, eighth and ninth from 64 on."""
    return [sum(reading["by_place"][6:]) / 3 for reading in readings("recall", arm)]


def finders(arm):
    return sum(share >= 0.9 for share in needles(arm))


def solvers(task, arm, times):
    both = zip(at(task, arm, 1), at(task, arm, times), strict=True)
    return sum(inside >= 0.9 and there >= 0.9 for inside, there in both)


def ahead(found, of):
    """How many of {name: values} have a lower median than one of them."""
    medians = {name: statistics.median(values) for name, values in found.items()}
    return sum(value < medians[of] for value in medians.values())


def mean(row, start, stop):
    return sum(row[start:stop]) / (stop - start)


def comes_to(measured, holds):
    """The verdict of a claim, and its numbers, of {setting: number}."""
    kept = [setting for setting, number in measured.items() if holds(number)]
    some = f"true only if {' or '.join(kept)}" if len(kept) < len(measured) else "true"
    return some if kept else "false", [f"{number:.4g}" for number in measured.values()]


def everybody(task="bytes"):
    """Whether a count is that of all runs."""
    return lambda count: count == len(at(task, "none", 1))
