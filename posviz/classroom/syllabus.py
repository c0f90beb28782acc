"""A course of four weeks, one of an afternoon, and who takes which lessons, by their minutes."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from posviz.classroom.lessons import Plan

LECTURE, LABS = 90, 180  # minutes a week: one lecture, and two labs of 90
WEEKS = (("00", "01", "02"), ("03", "04", "05", "06"), ("07", "08", "09", "10"), ("11", "12", "13"))
AFTERNOON = ("01", "05", "10")  # what it cannot do without
STARTS, BREAK = 13 * 60, 10  # minutes: 13:00


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


def weeks(plans: Iterable[Plan]) -> list[Week]:
    """The lessons of each week."""
    known = {plan.row.number: plan for plan in plans}
    return [Week(tuple(known[number] for number in week)) for week in WEEKS]


def afternoon(plans: Iterable[Plan]) -> Iterator[Slot]:
    """A lecture and a lab of each of its lessons, with breaks between."""
    now = STARTS
    for plan in (plan for plan in plans if plan.row.number in AFTERNOON):
        for what, minutes in (("lecture", plan.minutes.lecture), ("lab", plan.minutes.lab)):
            yield Slot(_clock(now), _clock(now + minutes), plan, what)
            now += minutes
        now += BREAK


def _clock(minutes: int) -> str:
    return f"{minutes // 60}:{minutes % 60:02}"
