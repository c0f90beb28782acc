"""A lecture: which sections of a lesson its slides take, by number or by the minutes there are."""

from collections.abc import Callable, Iterable

from nbformat import NotebookNode

from posviz.publish.lesson import about
from posviz.publish.slides import Slide, minutes, slides, taking

IDLE = 3  # minutes; who has more to spare is told of the next section


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
    numbers = (slide.section for slide in deck if isinstance(slide.section, int))
    there, name = list(dict.fromkeys(numbers)), deck[0].headline
    wanted = _fitting(deck, own, there, time) if time else sorted(set(wanted)) or there
    if missing := sorted(set(wanted) - set(there)):
        raise ValueError(f"{name} has slides of {_listed(there)}; got {missing[0]}")
    is_whole = wanted == there and (not time or minutes(deck) <= time)  # with what is optional
    chosen = deck if is_whole else taking(deck, wanted)
    told = f"{name}: {minutes(chosen):.0f} minutes: {_listed(wanted)}."
    if left := sorted(set(there) - set(wanted)):
        told += (
            f" Left out: {_listed(left)}; with them it takes {minutes(taking(deck, there)):.0f}."
        )
    if set(own) - set(wanted):
        takes = minutes(taking(deck, own))
        told += f" The lesson's own lecture, {_listed(own)}, takes {takes:.0f} minutes."
    following = [number for number in _order(own, there) if number not in wanted]
    if following and time - minutes(chosen) > IDLE:
        more = sorted([*wanted, following[0]])
        takes = minutes(taking(deck, more))
        told += f" `--sections {','.join(map(str, more))}` takes {takes:.0f} minutes."
    tell(told)
    return chosen


def _fitting(deck, own, there, time) -> list[int]:
    """The lesson's own lecture as far as it fits, and if all of it does, others that fit, too."""
    fitting: list[int] = []
    for number in _order(own, there):
        needed = minutes(taking(deck, [*fitting, number]))
        if needed <= time + 0.01:  # for rounding
            fitting.append(number)
        elif not fitting:
            raise ValueError(f"{deck[0].headline} takes {needed:.0f} minutes at least")
        elif number in own:
            break
    return sorted(fitting)


def _order(own, there) -> list[int]:
    """All sections, those of the lesson's own lecture first."""
    return [*own, *(other for other in there if other not in own)]


def _listed(sections) -> str:
    listed = ", ".join(map(str, sections))
    return f"section{'s' * (len(sections) > 1)} {listed}" if listed else "no sections"
