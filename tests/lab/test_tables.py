"""Tables against results that are written by hand."""

import numpy as np
import pytest

from posviz_course.lab import tables
from posviz_course.lab.results import committed
from posviz_course.lab.tables import ALL_ARMS, table
from tests.lab.made_results import made

FLAT, STEEP = (0.9, 0.9, 0.8, 0.7), (0.95, 0.5, 0.2, 0.1)
FOUND = [
    made("recall", "RoPE", 1, STEEP, changed={"PI": FLAT}),
    made("recall", "RoPE", 0, FLAT, changed={"PI": STEEP}),
    made("recall", "none", 0, FLAT),
    made("parity", "none", 0, STEEP),
]


def test_runs_stand_in_the_order_of_arms_and_seeds():
    found = table(FOUND, "recall")
    assert (found.trained, found.lengths.tolist()) == (16, [16, 32, 64, 128])
    assert found.places.tolist() == [1, 2, 4, 8, 16, 32, 64]
    assert list(found.by_length) == ["none", "RoPE", "PI"]
    np.testing.assert_array_equal(found.by_length["RoPE"], [FLAT, STEEP])
    np.testing.assert_array_equal(found.by_length["PI"], [STEEP, FLAT])
    np.testing.assert_array_equal(found.by_place["RoPE"], np.outer([0.7, 0.1], np.ones(7)))


def test_runs_of_two_lengths_and_unknown_tasks_are_refused():
    with pytest.raises(ValueError, match=r"runs must have one seq_len for recall, got \[16, 32\]"):
        table([*FOUND, made("recall", "none", 1, FLAT, seq_len=32)], "recall")
    with pytest.raises(ValueError, match="task must be one of"):
        table(FOUND, "chess")


def test_all_arms_are_those_that_there_are():
    assert {name for result in committed() for name in result.readings} == {*ALL_ARMS}


def test_guessing_is_what_a_constant_answer_gets():
    for task, share in tables.GUESSED.items():
        batch = tables.TASKS[task].draw(np.random.default_rng(0), 400, 32, False)
        answers = batch.targets[batch.targets >= 0]
        often = np.bincount(answers) / len(answers)
        assert often.max() == pytest.approx(share, abs=0.07), task
