"""What claims count, beside the file of the runs read without the package."""

import statistics

import pytest

from posviz.claims.length import _runs as runs
from tests.claims.length import raw


@pytest.mark.parametrize("arm", ["RoPE", "ALiBi", "PI"])
@pytest.mark.parametrize("times", [2, 8])
def test_growth_and_who_stays(arm, times):
    assert runs.growth(arm, times).tolist() == pytest.approx(raw.grown(arm, times), abs=1e-9)
    assert runs.staying(arm, times) == raw.stay(arm, times)


@pytest.mark.parametrize("arm", ["RoPE", "ALiBi", "none"])
def test_needles_and_who_finds_them(arm):
    assert runs.far_needles(arm).tolist() == pytest.approx(raw.needles(arm), abs=1e-9)
    assert runs.finding(arm) == sum(share >= runs.SOLVED for share in raw.needles(arm))


def test_runs_are_counted_and_medians_told():
    assert runs.runs("bytes") == len(raw.readings("bytes", "none"))
    told = runs.medians({"RoPE": runs.growth("RoPE", 2)})
    assert told == f"RoPE {statistics.median(raw.grown('RoPE', 2)):.2f} nats"
