"""What claims count of the stored runs, beside their file read without the package."""

import gzip
import json
import statistics
from functools import cache
from itertools import combinations
from pathlib import Path

import pytest

import posviz.lab
from posviz.lessons.length.claims import _runs as runs
from posviz.lessons.length.claims import losses, reports
from tests.teaching.stored import measured

FILE = Path(posviz.lab.__file__).parent / "data" / "results.json.gz"
METHODS = "none, sinusoidal, learned, T5, ALiBi, RoPE, xPos, hybrid, FIRE, Kerple, FoX"
TWELVE = ["RoPE, window", *METHODS.split(", ")]


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


def growth(arm, times):
    return [b - a for a, b in zip(at("bytes", arm, 1), at("bytes", arm, times), strict=True)]


@pytest.mark.parametrize("arm", ["RoPE", "ALiBi", "PI"])
def test_growth_of_a_loss_and_seeds_that_stay(arm):
    for times in (2, 8):
        grown = growth(arm, times)
        assert runs.growth(arm, times).tolist() == pytest.approx(grown, abs=1e-9)
        assert runs.staying(arm, times) == sum(each < 0.1 for each in grown)
        told = runs.medians({arm: runs.growth(arm, times)})
        assert told == f"{arm} {statistics.median(grown):.2f} nats"


@pytest.mark.parametrize("arm", ["RoPE", "ALiBi", "none"])
def test_far_needles_and_seeds_that_find_them(arm):
    """Bins of distances begin at 1, 2, 4, …: the seventh, eighth and ninth from 64 on."""
    shares = [sum(reading["by_place"][6:]) / 3 for reading in readings("recall", arm)]
    assert runs.far_needles(arm).tolist() == pytest.approx(shares, abs=1e-9)
    assert runs.finding(arm) == sum(share >= runs.SOLVED for share in shares)


def test_share_of_the_growth_that_the_mean_shows():
    """By how much the whole mean grows, of what the second half of the new positions does."""

    def share(row, end):
        inside, whole, new = (
            statistics.fmean(row[start:stop])
            for start, stop in ((32, 64), (0, end), ((end + 64) // 2, end))
        )
        return (whole - inside) / (new - inside)

    rows = [reading["by_place"] for reading in readings("bytes", "RoPE")]
    shares = [statistics.median(share(row, end) for row in rows) for end in (80, 128, 512)]
    assert measured(losses.the_mean_tells()) == pytest.approx(shares, rel=1e-3)


def test_share_of_pairs_that_one_seed_puts_in_order():
    def share(task, times):
        found = []
        for one, other in combinations(TWELVE, 2):
            pairs = [*zip(at(task, one, times), at(task, other, times), strict=True)]
            first, second = (statistics.median(each) for each in zip(*pairs, strict=True))
            found += [(a > b) - (a < b) == (first > second) - (first < second) for a, b in pairs]
        return statistics.fmean(found)

    shares = [share(*of) for of in (("bytes", 1), ("bytes", 8), ("recall", 8))]
    assert measured(reports.one_seed_orders()) == pytest.approx(shares, rel=1e-3)
