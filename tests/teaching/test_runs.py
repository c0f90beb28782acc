"""What claims count of the stored runs, beside their file read without the package."""

import gzip
import json
from functools import cache
from pathlib import Path

import pytest

import posviz_course.lab
from posviz_course.lessons.length import claims

FILE = Path(posviz_course.lab.__file__).parent / "data" / "results.json.gz"


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


def growth(arm):
    return [b - a for a, b in zip(at("bytes", arm, 1), at("bytes", arm, 8), strict=True)]


def numbers(claim):
    return [*claim().numbers.values()]


def test_loss_grows_in_the_worst_of_five_runs_as_the_file_says():
    found = [max(growth(arm)) for arm in ("RoPE", "RoPE, window at test", "sinusoidal", "ALiBi")]
    assert len(growth("RoPE")) == 5
    told = [claims.rope_extrapolates, claims.sinusoidal_extrapolates, claims.alibi_goes_on]
    assert [number for claim in told for number in numbers(claim)] == pytest.approx(found)


def test_far_needles_are_asked_of_flat_losses_and_found_as_the_file_says():
    """Bins of distances begin at 1, 2, 4, …: the seventh, eighth and ninth from 64 on."""
    found = []
    for arm in claims.a_flat_loss_is_a_memory.cases.values():
        assert max(growth(arm)) < 0.1
        shares = [sum(reading["by_place"][6:]) / 3 for reading in readings("recall", arm)]
        assert len(shares) == 5
        found.append(min(shares))
    assert numbers(claims.a_flat_loss_is_a_memory) == pytest.approx(found)
