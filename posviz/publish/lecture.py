"""A lecture: which sections of a lesson its slides take, by number or by the minutes there are."""

import re
from collections.abc import Iterable, Sequence

from nbformat import NotebookNode

from posviz.publish.lesson import about
from posviz.publish.slides import Slide, stacks

MINUTES = 1.2  # for a slide, and for its picture: what the times come to that lessons name
NUMBER = re.compile(r"(\d+) ")
Stacks = Sequence[list[Slide]]


def sections(slides: Stacks) -> dict[int, list[Slide]]:
    """The slides of each numbered section."""
    numbers = ((NUMBER.match(stack[0].section), stack) for stack in slides[1:])
    return {int(number[1]): stack for number, stack in numbers if number}


def only(lesson: NotebookNode, wanted: Iterable[int]) -> list[list[Slide]]:
    """The slides of a lesson's title, of the sections that are wanted, and of its summary.

    Raises ValueError for a section that it does not have, or whose slides it leaves out.
    """
    return _only(stacks(lesson), set(wanted))


def _only(slides: Stacks, wanted: set[int]) -> list[list[Slide]]:
    there = sections(slides)
    if missing := sorted(wanted - there.keys()):
        has = ", ".join(map(str, there))
        raise ValueError(f"{slides[0][0].section} has sections {has}; got {missing[0]}")
    chosen = [there[number] for number in sorted(wanted)]
    return [slides[0], *chosen, *(stack for stack in slides if stack[0].role == "rule")]


def fitting(lesson: NotebookNode, minutes: float) -> list[list[Slide]]:
    """What can be taught in so many minutes: sections that the lesson names first, then others.

    Raises ValueError where not even the first of them fits.
    """
    slides, first = stacks(lesson), about(lesson).get("lecture", {}).get("sections", ())
    there = sections(slides)
    left = minutes - takes(_only(slides, set()))
    wanted: list[int] = []
    for number in dict.fromkeys([*first, *there]):
        if (needed := takes([there[number]])) <= left:
            wanted.append(number)
            left -= needed
        elif not wanted:
            least = minutes - left + needed
            raise ValueError(f"{slides[0][0].section} takes {least:.0f} minutes at least")
    return _only(slides, set(wanted))


def takes(slides: Stacks) -> float:
    """About how many minutes these slides take."""
    return MINUTES * sum(1 + bool(slide.picture) for stack in slides for slide in stack)
