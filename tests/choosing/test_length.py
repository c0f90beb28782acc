"""How far an encoding reads: against the file of the runs, read by hand."""

import gzip
import json
import statistics
from pathlib import Path

import numpy as np
import pytest

import posviz_course
from posviz_course.choosing import length
from posviz_course.choosing.rows import HYBRID, PLANS, ROWS

FILE = Path(posviz_course.__file__).parent / "lab" / "data" / "results.json.gz"
RUNS = json.loads(gzip.decompress(FILE.read_bytes()))


def by_hand(arm, task, tokens):
    found = [
        run["readings"][arm]["by_length"][str(tokens)]
        for run in RUNS
        if run["config"]["task"] == task and arm in run["readings"]
    ]
    return statistics.median(found)


@pytest.mark.parametrize(("row", "arm"), [("RoPE", "RoPE"), ("stretched RoPE", "YaRN")])
def test_a_cell_is_the_median_of_the_runs(row, arm):
    near, far = by_hand(arm, "bytes", 64), by_hand(arm, "bytes", 512)
    sign = "✓" if far - near < 0.1 else "✗"
    assert length.loss(row) == (pytest.approx(far), f"{sign} {near:.2f} → {far:.2f}", sign == "✓")
    near, far = by_hand(arm, "recall", 64), by_hand(arm, "recall", 512)
    sign = "✓" if far >= 0.9 else "✗"
    assert length.recall(row) == (pytest.approx(far), f"{sign} {near:.2f} → {far:.2f}", far >= 0.9)


def test_what_was_not_run_is_said():
    rows = {*ROWS, *PLANS}
    not_run = {row for row in rows if length.loss(row).said == "not run"}
    assert not_run == rows - length.ARMS.keys()
    assert {row for row in rows if np.isnan(length.recall(row).number)} == not_run
    assert not any(length.loss(row).can or length.recall(row).can for row in not_run)


def test_one_column_cannot_be_right():
    """Some keep their loss and lose what is far; some the other way around."""
    run = {row: (length.loss(row).can, length.recall(row).can) for row in length.ARMS}
    assert run["xPos"] == (True, False)
    assert run["T5"] == (False, True)
    assert run["sinusoidal"] == run["RoPE"] == (False, False)
    assert {row for row, both in run.items() if all(both)} == {
        "Kerple",
        HYBRID,
    }  # as lesson 13 says


def test_a_table_cannot_read_beyond_its_trained_rows():
    assert length.recall("learned").number > length.KNOWS
    assert not length.recall("learned").can
