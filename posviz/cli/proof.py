"""A proof of a picture: one sheet with every style, every knob's ends, and what is wrong there."""

import base64
import inspect
import traceback
import warnings
from collections.abc import Iterator
from html import escape
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

from posviz.cli.faults import faults, no_room
from posviz.pictures import knobs
from posviz.pictures.files import replacing
from posviz.pictures.picture import Picture
from posviz.pictures.style import STYLES, Appearance, appearance
from posviz.pictures.styled_figure import drop_bitmaps

WIDTH = 900  # pixels, at most
STYLE = """<style>
body { background: #dddddd; font: 16px/1.4 sans-serif; }
body { display: grid; grid-template-columns: 1fr 1fr; gap: 20px; }
h1 { grid-column: 1 / -1; }
figure { margin: 0; }
strong { display: block; color: #b00020; }
img { max-width: 100%; }
</style>"""
LOOKS = [("notebook", True), *((each, False) for each in STYLES[1:])]
PARTS = ("body", "half")  # of a slide, for which not every picture has room


class ProofView(NamedTuple):
    """A drawing under its label, with its caption and faults; no image where drawing failed.

    no_room: why `posviz export` refuses it.
    """

    label: str
    image: bytes = b""  # a PNG
    caption: str = ""
    faults: tuple[str, ...] = ()
    no_room: str = ""

    @property
    def lines(self) -> list[str]:
        """What is wrong, a line each."""
        return [*self.faults, *filter(None, [self.no_room])]


def views(kind: type[Picture]) -> Iterator[ProofView]:
    """The picture as it is by default, then in every style, then at every knob's ends."""

    def view(label, values=(), **look):
        try:
            return ProofView(label, *_drawn(kind(**dict(values)), appearance(**look)))
        except Exception as error:
            return ProofView(label, faults=(explain(error, inspect.getfile(kind)),))

    yield (default := view("notebook"))
    if not default.image:  # the other views would fail, too
        return
    for style, dark in LOOKS:
        yield view(style + ", dark" * dark, style=style, dark=dark)
    for part in PARTS:
        seen = view(f"slide, {part}", style="slide", layout=part)
        if why := seen.image and no_room(kind(), appearance("slide", layout=part)):
            seen = seen._replace(faults=(), no_room=f"no room: {why}")
        yield seen
    for name, knob in kind.knobs().items():
        for value in ends(knob):
            if value != knob.default_value:
                yield view(f"{name} = {knob.write(value):.60}", {name: value})


def ends(knob: knobs.Knob) -> list:
    """The values at the ends of a knob: all of them where it offers only a few."""
    if isinstance(knob, knobs.numeric):
        return [knob.low, knob.high]
    if isinstance(knob, knobs.text):
        return ["", "W" * knob.max_length]
    return list(knob.options)


def explain(error: Exception, file: str) -> str:
    """An error in one line, with the last line of the picture's file that it came through."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == file]
    where = f"{Path(file).name}, line {lines[-1]}: " if lines else ""
    return f"{where}{type(error).__name__}: {error}"


def _drawn(picture: Picture, look: Appearance) -> tuple[bytes, str, tuple[str, ...]]:
    """The picture's image, its caption and its faults, to which a warning belongs."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        figure = picture.figure(**look._asdict())
        found = faults(figure, look.style)
    figure.set_dpi(min(figure.get_dpi(), WIDTH / figure.get_figwidth()))
    figure.savefig(image := BytesIO(), format="png")
    drop_bitmaps(figure)
    found += [f"{each.category.__name__}: {each.message}" for each in warned]
    return image.getvalue(), figure.caption, tuple(found)


def write(kind: type[Picture], to: Path) -> tuple[Path, list[str], int]:
    """Write a picture's views as one page; return where it is, what is wrong, how many faults.

    What has no room is told, but no fault. Raises OSError where the folder cannot be written to.
    """
    seen, path = list(views(kind)), to / f"{kind.__name__}.html"
    count = sum(len(view.faults) for view in seen)
    heading = f"<h1>{kind.__name__}: faults in {len(seen)} views: {count}</h1>"
    page = f"<!doctype html><meta charset='utf-8'>{STYLE}{heading}{''.join(map(_cell, seen))}"
    with replacing(path) as file:
        file.write(page.encode())
    return path, [f"{view.label}: {line}" for view in seen for line in view.lines], count


def _cell(view) -> str:
    wrong = "".join(f"<strong>{escape(line)}</strong>" for line in view.lines)
    data = base64.b64encode(view.image).decode()
    image = f"<img src='data:image/png;base64,{data}' alt=''>" if view.image else ""
    caption = f"<figcaption>{escape(view.caption)}</figcaption>"
    return f"<figure><b>{escape(view.label)}</b>{wrong}{image}{caption}</figure>"
