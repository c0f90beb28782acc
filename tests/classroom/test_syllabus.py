"""A week and an afternoon have room for what they are given; nobody misses what a lesson needs."""

from itertools import pairwise

import pytest

from posviz.classroom import syllabus


def test_four_weeks_have_every_lesson_in_its_order_and_each_fits(lessons):
    weeks = syllabus.weeks(lessons)
    assert len(weeks) == 4
    assert [plan for week in weeks for plan in week.plans] == lessons
    for week in weeks:
        assert 0 < week.lecture <= syllabus.LECTURE
        assert 0 < week.lab <= syllabus.LABS


def minute(clock):
    hours, minutes = clock.split(":")
    return 60 * int(hours) + int(minutes)


def test_an_afternoon_is_full_and_ends_in_time(lessons):
    slots = list(syllabus.afternoon(lessons))
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
