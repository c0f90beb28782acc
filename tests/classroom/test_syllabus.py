"""A week and an afternoon have room for what they are given; nobody misses what a lesson needs."""

from itertools import pairwise

import pytest

from posviz.classroom import syllabus
from posviz.classroom.lessons import Minutes, Plan
from posviz.course import LESSONS


def of(*minutes):
    """Plans that take these minutes of lecture and of lab."""
    return [
        Plan(row, (), (), (), Minutes(lecture, lab, 0, 0), ())
        for row, (lecture, lab) in zip(LESSONS, minutes, strict=False)
    ]


def test_four_weeks_have_every_lesson_in_its_order_and_each_fits(lessons):
    weeks = syllabus.weeks(lessons)
    assert len(weeks) == 4
    assert [plan for week in weeks for plan in week.plans] == lessons
    for week in weeks:
        assert sum(plan.minutes.lecture for plan in week.plans) == week.lecture <= 90
        assert sum(plan.minutes.lab for plan in week.plans) == week.lab <= 180


def test_no_other_division_has_a_shorter_longest_lab():
    weeks = syllabus.weeks(of((1, 50), (1, 10), (1, 10), (1, 40), (1, 30)), number=2)
    assert [week.lab for week in weeks] == [70, 70]


@pytest.mark.parametrize("minutes", [(91, 10), (10, 181)])
def test_what_does_not_fit_into_a_week_is_told(minutes):
    with pytest.raises(ValueError, match=r"lesson 01 and on need \d+ and \d+"):
        syllabus.weeks(of((10, 10), minutes), number=2)


def minute(clock):
    hours, minutes = clock.split(":")
    return 60 * int(hours) + int(minutes)


def test_an_afternoon_is_full_and_ends_in_time(lessons):
    slots = syllabus.afternoon(lessons)
    for slot in slots:
        assert minute(slot.ends) - minute(slot.begins) == getattr(slot.plan.minutes, slot.what)
    gaps = [minute(b.begins) - minute(a.ends) for a, b in pairwise(slots)]
    assert gaps == [0, 10] * (len(slots) // 2 - 1) + [0]
    assert slots[0].begins == "13:00"
    assert minute("16:30") <= minute(slots[-1].ends) <= minute("17:30")
    numbers = [slot.plan.row.number for slot in slots[::2]]
    assert numbers == sorted(numbers)
    assert "01" in numbers


@pytest.mark.parametrize("profile", syllabus.PROFILES, ids=lambda profile: profile.who)
def test_a_reader_meets_before_each_lesson_what_it_needs(profile, lessons):
    """But for lesson 01, which those know who run or train models."""
    known = {plan.row.number: plan for plan in lessons}
    assert sorted(profile.lessons) == list(profile.lessons)
    for number in profile.lessons:
        assert set(known[number].needs) - {"01"} <= set(profile.lessons), number
    assert profile.alone(lessons) == sum(known[n].minutes.alone for n in profile.lessons)
