"""A lecture: which sections of a lesson its slides take, by number or by the minutes there are."""

from collections.abc import Callable, Iterable

from nbformat import NotebookNode

from posviz.publish.lesson import about
from posviz.publish.slides import Slide, minutes, slides, taking


def taken(
    lesson: NotebookNode,
    wanted: Iterable[int] = (),
    time: float = 0,
    tell: Callable[[str], object] = lambda told: None,
) -> list[Slide]:
    """The slides of a lesson, of the sections that are wanted, or of what can be taught in a time.

    tell: is called with what was taken, what was left out, and what the lesson's own lecture takes.
    Raises ValueError for a section without slides, and where not even one fits.
    """
    deck, own = slides(lesson), about(lesson).get("lecture", {}).get("sections", [])
    there, wanted = numbers(deck), sorted(set(wanted))
    if missing := [number for number in wanted if number not in there]:
        has = ", ".join(map(str, there))
        raise ValueError(f"{deck[0].headline} has slides of sections {has}; got {missing[0]}")
    wanted = _fitting(deck, own, time) if time else wanted
    deck, whole = taking(deck, wanted) if wanted else deck, deck
    told = f"{deck[0].headline}: {_listed(wanted or there)}, {minutes(deck):.0f} minutes."
    if left := [number for number in there if wanted and number not in wanted]:
        told += f" Left out: {_listed(left)}."
    if own and set(own) - set(wanted or there):
        takes = minutes(taking(whole, own))
        told += f" The lesson's own lecture, {_listed(own)}, takes {takes:.0f} minutes."
    tell(told)
    return deck


def numbers(deck: list[Slide]) -> list[int]:
    """The numbered sections that have slides."""
    return list(dict.fromkeys(slide.section for slide in deck if isinstance(slide.section, int)))


def _fitting(deck, own, time) -> list[int]:
    """The lesson's own lecture as far as it fits, and if all of it does, others that fit, too."""
    fitting: list[int] = []
    others = [number for number in numbers(deck) if number not in own]
    for number in [*own, *others]:
        if minutes(taking(deck, [*fitting, number])) <= time + 0.01:  # for rounding
            fitting.append(number)
        elif number in own:
            break
    if not fitting:
        least = minutes(taking(deck, [*own, *others][:1]))
        raise ValueError(f"{deck[0].headline} takes {least:.0f} minutes at least")
    return sorted(fitting)


def _listed(sections) -> str:
    return f"section{'s' * (len(sections) > 1)} {', '.join(map(str, sections))}"
