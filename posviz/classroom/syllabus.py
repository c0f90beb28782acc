"""A course of four weeks, one of an afternoon, and who takes which lessons, by their minutes."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, pairwise
from typing import NamedTuple

from posviz.classroom.lessons import Plan

WEEKS = 4
LECTURE, LABS = 90, 180  # minutes a week: one lecture, and two labs of 90
STARTS, LASTS, BREAK = 13 * 60, 270, 10  # an afternoon, in minutes: from 13:00 to 17:30
FIRST = ("01", "05", "10", "08", "13", "12", "02", "06")  # what an afternoon cannot do without


class Week(NamedTuple):
    """The lessons of a week."""

    plans: tuple[Plan, ...]

    @property
    def lecture(self) -> int:
        """Minutes of lecture."""
        return sum(plan.minutes.lecture for plan in self.plans)

    @property
    def lab(self) -> int:
        """Minutes of lab."""
        return sum(plan.minutes.lab for plan in self.plans)


class Slot(NamedTuple):
    """A part of the afternoon, from one time of day to another: "13:00"."""

    begins: str
    ends: str
    plan: Plan
    what: str


class Profile(NamedTuple):
    """A kind of reader, what they come for, and the lessons that serve it, by number."""

    who: str
    wants: str
    lessons: tuple[str, ...]

    def alone(self, plans: Iterable[Plan]) -> int:
        """Minutes that the lessons take them, alone."""
        return sum(plan.minutes.alone for plan in plans if plan.row.number in self.lessons)


PROFILES = (
    Profile(
        "A student who knows linear algebra and has met no Transformer",
        "to understand how a model is told which word comes first",
        ("00", "01", "02", "03", "04", "05"),
    ),
    Profile(
        "An engineer who runs other people's models",
        "to know why two programs disagree, and how far a model can read",
        ("05", "06", "10", "13"),
    ),
    Profile(
        "A researcher who trains models",
        "to choose an encoding, and to measure honestly what it does on long texts",
        ("01", "05", "08", "10", "11", "12", "13"),
    ),
    Profile(
        "Somebody who works with images",
        "to rotate by row and column, and to see what that cannot tell apart",
        ("01", "05", "07"),
    ),
)


def weeks(plans: Sequence[Plan], number: int = WEEKS) -> list[Week]:
    """The lessons in their order, so many weeks, the fullest lab as short as can be.

    Raises ValueError where a week would not fit.
    """
    cuts = combinations(range(1, len(plans)), number - 1)
    parts = (pairwise([0, *cut, len(plans)]) for cut in cuts)
    divided = ([Week(tuple(plans[a:b])) for a, b in part] for part in parts)
    best = min(divided, key=_fullest)
    for week in best:
        if week.lecture > LECTURE or week.lab > LABS:
            raise ValueError(
                f"a week has {LECTURE} minutes of lecture and {LABS} of lab; lesson "
                f"{week.plans[0].row.number} and on need {week.lecture} and {week.lab}."
            )
    return best


def _fullest(weeks: Sequence[Week]) -> tuple[bool, int]:
    """Whether a lecture is too long, and the fullest lab."""
    return any(week.lecture > LECTURE for week in weeks), max(week.lab for week in weeks)


def afternoon(plans: Sequence[Plan]) -> list[Slot]:
    """A lecture and a lab of each lesson that fits, in the course's order, with breaks between."""
    known = {plan.row.number: plan for plan in plans}
    chosen: list[str] = []
    for number in FIRST:
        if _length([known[each] for each in (*chosen, number)]) <= LASTS:
            chosen.append(number)
    return list(_slots([known[number] for number in sorted(chosen)]))


def _length(plans) -> int:
    taught = sum(plan.minutes.lecture + plan.minutes.lab for plan in plans)
    return taught + BREAK * (len(plans) - 1)


def _slots(plans) -> Iterator[Slot]:
    now = STARTS
    for plan in plans:
        for what, minutes in (("lecture", plan.minutes.lecture), ("lab", plan.minutes.lab)):
            yield Slot(_clock(now), _clock(now + minutes), plan, what)
            now += minutes
        now += BREAK


def _clock(minutes: int) -> str:
    return f"{minutes // 60}:{minutes % 60:02}"
