"""Lesson 12's exercises: answers that look elsewhere, or are right for some numbers of runs."""

import numpy as np
import pytest

from posviz_course.lessons.length import check_report, check_which
from tests.teaching.written import report_by


@pytest.mark.parametrize("number", range(4))
def test_one_curve_whatever_is_given_is_wrong(number):
    assert check_which(lambda curves, trained: number).status in ("wrong", "mistake")


@pytest.mark.parametrize(
    "part",
    [
        lambda t: (slice(t // 2, t), slice(t + 1, None)),
        lambda t: (slice(t // 2, t + 1), slice(t, None)),
        lambda t: (slice(0, t // 2), slice(t, None)),
    ],
    ids=["from one later", "to one later", "the first half"],
)
def test_means_of_other_positions_are_wrong(part):
    def answer(curves, trained):
        before, after = (curves[:, each].mean(axis=1) for each in part(trained))
        return int(np.argmin(after - before))

    assert check_which(answer).status in ("wrong", "mistake")


def test_growth_of_medians_is_wrong():
    def answer(curves, trained):
        late, new = curves[:, trained // 2 : trained], curves[:, trained:]
        return int(np.argmin(np.median(new, axis=1) - np.median(late, axis=1)))

    assert not check_which(answer)


def test_either_middle_run_is_named_as_no_median():
    def lower_middle(inside):
        return np.sort(inside, axis=1)[:, (inside.shape[1] - 1) // 2]

    assert check_report(report_by(lower_middle)).mistake == "an odd number of seeds only"


@pytest.mark.parametrize(
    "best",
    [
        lambda inside: np.quantile(inside, 0.75, axis=1),
        lambda inside: np.quantile(inside, 0.25, axis=1),
        lambda inside: (inside >= 0.9).mean(axis=1),
        lambda inside: (inside >= 0.5).mean(axis=1),
    ],
    ids=["upper quartile", "lower quartile", "share above 0.9", "share above 0.5"],
)
def test_other_ways_to_choose_a_rate_are_wrong_and_not_misnamed(best):
    feedback = check_report(report_by(best))
    assert (feedback.status, feedback.mistake) == ("wrong", None)
