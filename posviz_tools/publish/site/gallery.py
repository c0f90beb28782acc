"""All pictures of the course in small, each with its controls and its place on a lesson's page."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from posviz_course.course import OF_TOPIC
from posviz_course.lessons import load, names
from posviz_tools.publish.lesson import StoredLesson
from posviz_tools.publish.place import attributes, narrow_size


class GalleryPicture(NamedTuple):
    """A picture: its class's name, title, controls' labels, lesson and place there.

    width, height: in CSS pixels, on a telephone. attributes: what lets it live.
    """

    name: str
    title: str
    controls: list[str]
    lesson: StoredLesson
    href: str
    width: int
    height: int
    attributes: str


def shown(lessons: Iterable[StoredLesson]) -> list[GalleryPicture]:
    """The pictures of these lessons, in the order in which the lessons first explore them."""
    pictures = []
    for lesson in lessons:
        places = {name: _place(name, lesson.code) for name in pictures_of(lesson)}
        for name in sorted(places, key=places.__getitem__):
            cells, kind = lesson.code[places[name] :], load(name)
            href = f"{lesson.stem}.html" + (f"#cell-id={cells[0].id}" if cells else "")
            controls = [knob.label for knob in kind.knobs().values()]
            about = *narrow_size(kind()), attributes(name, {})
            pictures.append(GalleryPicture(name, kind.title(), controls, lesson, href, *about))
    return pictures


def pictures_of(lesson: StoredLesson) -> list[str]:
    """The names of a lesson's own pictures."""
    topics = {name: module.split(".")[2] for name, module in names().items()}
    return [name for name in topics if OF_TOPIC[topics[name]].notebook == lesson.stem]


def _place(name, cells) -> int:
    """The first cell that explores a picture, else the first that names it, else their number."""
    for pattern in (rf"\b{name}\(.*\.explore\(\)", rf"\b{name}\("):
        for number, cell in enumerate(cells):
            if re.search(pattern, cell.source, re.DOTALL):
                return number
    return len(cells)
