"""A lecture: which sections of a lesson its slides take, by number or by the minutes there are."""

import re
from collections.abc import Iterable, Sequence

from posviz.publish.slides import Slide

MINUTES = 1.2  # for a slide, and for its picture: what the times come to that lessons name
NUMBER = re.compile(r"(\d+) ")
NAMED = re.compile(
    r"A lecturer needs (?P<minutes>\d+)\sfor (?:the pictures of )?"
    r"sections (?P<sections>[\d, and]+)\."
)
Stacks = Sequence[list[Slide]]


def sections(lesson: Stacks) -> dict[int, list[Slide]]:
    """The slides of each numbered section."""
    numbers = ((NUMBER.match(stack[0].section), stack) for stack in lesson[1:])
    return {int(number[1]): stack for number, stack in numbers if number}


def only(lesson: Stacks, wanted: Iterable[int]) -> list[list[Slide]]:
    """The lesson's title, the sections that are wanted, in its order, and its summary.

    Raises ValueError for a section that it does not have, or whose slides it leaves out.
    """
    wanted, there = set(wanted), sections(lesson)
    if missing := sorted(wanted - there.keys()):
        has = ", ".join(map(str, there))
        raise ValueError(f"{lesson[0][0].section} has sections {has}; got {missing[0]}")
    chosen = [there[number] for number in sorted(wanted)]
    return [lesson[0], *chosen, *_summary(lesson)]


def fitting(lesson: Stacks, minutes: float) -> list[list[Slide]]:
    """What can be taught in so many minutes: sections that the lesson names first, then others.

    Raises ValueError where not even the first of them fits.
    """
    there = sections(lesson)
    named = NAMED.search("\n".join(text for slide in lesson[0] for text in slide.notes))
    first = [int(number) for number in re.findall(r"\d+", named["sections"])] if named else []
    left = minutes - takes(only(lesson, ()))
    wanted: list[int] = []
    for number in dict.fromkeys(first + list(there)):
        if (needed := takes([there[number]])) <= left:
            wanted.append(number)
            left -= needed
        elif not wanted:
            least = minutes - left + needed
            raise ValueError(f"{lesson[0][0].section} takes {least:.0f} minutes at least")
    return only(lesson, wanted)


def takes(lesson: Stacks) -> float:
    """About how many minutes these slides take."""
    return MINUTES * sum(1 + bool(slide.picture) for stack in lesson for slide in stack)


def _summary(lesson: Stacks) -> list[list[Slide]]:
    return [stack for stack in lesson if stack[0].section == "Summary"]
