"""All pictures of the course in small, each with its knobs and its place on a lesson's page."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg

from posviz.course import OF_TOPIC
from posviz.lessons import load, names
from posviz.pictures.export import png_bytes
from posviz.pictures.knobs import Knob, device, numeric, switch
from posviz.pictures.picture import Picture
from posviz.pictures.style import Appearance
from posviz.pictures.styled_figure import drop_bitmaps
from posviz.publish.assets import write_file
from posviz.publish.lesson import StoredLesson

WIDTH, STYLE = 600, "paper"  # pixels; a page shows them half as wide, where letters have ten


class GalleryPicture(NamedTuple):
    """A picture: its class's name, title, knobs with what they allow, lesson and place there."""

    name: str
    title: str
    knobs: list[tuple[str, str]]
    lesson: StoredLesson
    href: str
    width: int
    height: int


def write_thumbnail(name: str, to: Path) -> None:
    """Write a picture in small, as `to`/assets/pictures/`name`.png and `name`_dark.png.

    Raises what compute raises, OSError where the place cannot be written to.
    """
    picture = load(name)()
    for dark, ending in ((False, ""), (True, "_dark")):
        figure = picture.figure(STYLE, dark)
        figure.set_dpi(WIDTH / figure.get_figwidth())
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        small = png_bytes(np.asarray(canvas.buffer_rgba()))
        drop_bitmaps(figure)
        write_file(to / "assets" / "pictures" / f"{name}{ending}.png", small)


def shown(lessons: Iterable[StoredLesson]) -> list[GalleryPicture]:
    """The pictures of these lessons, in the order in which the lessons first explore them."""
    found = []
    for lesson in lessons:
        cells = lesson.code
        own = [name for name, module in names().items() if _stem(module) == lesson.stem]
        places = {name: _place(name, cells) for name in own}
        for name in sorted(own, key=places.__getitem__):
            anchor = f"#cell-id={cells[places[name]].id}" if places[name] < len(cells) else ""
            found.append(_shown(name, lesson, f"{lesson.stem}.html{anchor}"))
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


def _shown(name, lesson, href) -> GalleryPicture:
    picture: type[Picture] = load(name)
    width, height = picture().inches(Appearance(STYLE))
    knobs = [(knob.label, allowed(knob)) for knob in picture.knobs().values()]
    return GalleryPicture(
        name, picture.title(), knobs, lesson, href, WIDTH, round(WIDTH * height / width)
    )


def _stem(module) -> str:
    """The notebook of a picture's module, "posviz.lessons.rotary.angle_table"."""
    return OF_TOPIC[module.split(".")[2]].notebook


def _place(name, cells) -> int:
    """The first cell that explores a picture, else the first that names it, else their number."""
    for pattern in (rf"\b{name}\(.*\.explore\(\)", rf"\b{name}\("):
        for number, cell in enumerate(cells):
            if re.search(pattern, cell.source, re.DOTALL):
                return number
    return len(cells)
