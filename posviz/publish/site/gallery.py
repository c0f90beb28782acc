"""All pictures of the course in small, each with its knobs and its place on a lesson's page."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from posviz.course import OF_TOPIC
from posviz.lessons import load, names
from posviz.pictures.knobs import Knob, device, numeric, switch
from posviz.pictures.style import Appearance
from posviz.publish.images import STYLE, WIDTH
from posviz.publish.lesson import StoredLesson


class GalleryPicture(NamedTuple):
    """A picture: its class's name, title, knobs with what they allow, lesson and place there."""

    name: str
    title: str
    knobs: list[tuple[str, str]]
    lesson: StoredLesson
    href: str
    width: int
    height: int


def shown(lessons: Iterable[StoredLesson]) -> list[GalleryPicture]:
    """The pictures of these lessons, in the order in which the lessons first explore them."""
    found = []
    for lesson in lessons:
        places = {name: _place(name, lesson.code) for name in _own(lesson)}
        for name in sorted(places, key=places.__getitem__):
            cells = lesson.code[places[name] :][:1]
            href = f"{lesson.stem}.html{''.join(f'#cell-id={cell.id}' for cell in cells)}"
            kind = load(name)
            knobs = [(knob.label, allowed(knob)) for knob in kind.knobs().values()]
            width, height = kind().inches(Appearance(STYLE))
            size = WIDTH, round(WIDTH * height / width)
            found.append(GalleryPicture(name, kind.title(), knobs, lesson, href, *size))
    return found


def allowed(knob: Knob) -> str:
    """What a knob can be set to, in a few words that are true on every machine."""
    if isinstance(knob, numeric):
        return f"{knob.write(knob.low)} to {knob.write(knob.high)}"
    if isinstance(knob, switch):
        return "on or off"
    if isinstance(knob, device):
        return "what the machine has"
    return ", ".join(map(str, knob.options)) or "text"


def _own(lesson) -> list[str]:
    topics = {name: module.split(".")[2] for name, module in names().items()}
    return [name for name, topic in topics.items() if OF_TOPIC[topic].notebook == lesson.stem]


def _place(name, cells) -> int:
    """The first cell that explores a picture, else the first that names it, else their number."""
    for pattern in (rf"\b{name}\(.*\.explore\(\)", rf"\b{name}\("):
        for number, cell in enumerate(cells):
            if re.search(pattern, cell.source, re.DOTALL):
                return number
    return len(cells)
