"""A proof of a picture: one sheet with every style, every knob's ends, and what is wrong there."""

import base64
import linecache
import sys
import traceback
import warnings
from collections.abc import Iterable, Iterator
from html import escape
from io import BytesIO
from itertools import groupby
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import posviz
from posviz.cli.faults import faults, no_room
from posviz.pictures import knobs
from posviz.pictures.files import replacing
from posviz.pictures.picture import Picture
from posviz.pictures.style import STYLES, Appearance, appearance
from posviz.pictures.styled_figure import drop_bitmaps

WIDTH = 900  # pixels, at most
STYLE = """<style>
body { font: 16px/1.4 sans-serif; background: #dddddd; }
section { display: grid; grid-template-columns: 1fr 1fr; gap: 20px; margin-bottom: 20px; }
figure { margin: 0; }
h2 { font-size: 16px; margin: 0; }
strong { display: block; color: #b00020; }
img { max-width: 100%; }
</style>"""
LOOKS = [("notebook", True), *((each, False) for each in STYLES[1:])]
PARTS = ("body", "half")  # of a slide, for which not every picture has room
NO_ROOM = "no room"


class ProofView(NamedTuple):
    """A drawing under its label, with its caption and faults; no image where drawing failed.

    group: what it is looked at for, the styles or a knob.
    """

    group: str
    label: str
    image: bytes  # a PNG, or nothing
    caption: str
    faults: list[str]


# ---------------------------------------------------------------- the picture in a file


def load(file: Path) -> type[Picture]:
    """The last picture class in a file as it is now, whatever was loaded from it before.

    Raises ValueError where there is none, and whatever the file's own code raises.
    """
    root = Path(posviz.__file__).parents[1]
    inside = file.is_relative_to(root / "posviz")
    parts = file.relative_to(root).with_suffix("").parts if inside else (file.stem,)
    module = ModuleType(".".join(parts))
    module.__file__ = str(file)
    sys.modules[module.__name__] = module
    linecache.checkcache(str(file))  # tracebacks quote the lines of today
    # Not by an import: its cache cannot tell two versions of the same second.
    exec(compile(file.read_bytes(), file, "exec"), vars(module))
    classes = [each for each in vars(module).values() if isinstance(each, type)]
    mine = [each for each in classes if each.__module__ == module.__name__]
    if found := [each for each in mine if issubclass(each, Picture)]:
        return found[-1]
    raise ValueError(f"{file.name} defines no Picture")


def explain(error: Exception, file: Path) -> str:
    """An error in one line, with the last line of the picture's file that it came through."""
    frames = traceback.extract_tb(error.__traceback__)
    numbers = [frame.lineno for frame in frames if frame.filename == str(file)]
    if isinstance(error, SyntaxError) and error.filename == str(file):
        numbers, what = [error.lineno], error.msg
    else:
        what = str(error)
    if not numbers:
        return f"{type(error).__name__}: {what}"
    code = linecache.getline(str(file), numbers[-1] or 0).strip()
    return f"{file.name}, line {numbers[-1]}: {type(error).__name__}: {what}    {code}"


# ---------------------------------------------------------------- what is looked at


def ends(knob: knobs.Knob) -> list:
    """The values at the ends of a knob: all of them where it offers only a few."""
    if isinstance(knob, knobs.numeric):
        return [knob.low, knob.high]
    if isinstance(knob, knobs.text):
        return ["", "W" * knob.max_length]
    return list(knob.options)


def views(file: Path) -> Iterator[ProofView]:
    """The picture as it is by default, then in every style, then at every knob's ends."""
    try:
        kind = load(file)
        found = kind.knobs()
    except Exception as error:
        yield ProofView("", "not loaded", b"", "", [explain(error, file)])
        return

    def view(group, label, values, *look):
        try:
            return ProofView(group, label, *_drawn(kind(**values), Appearance(*look)))
        except Exception as error:
            return ProofView(group, label, b"", "", [explain(error, file)])

    yield (default := view("styles", "notebook", {}))
    if not default.image:  # the other views would fail, too
        return
    for style, dark in LOOKS:
        yield view("styles", style + ", dark" * dark, {}, style, dark)
    for part in PARTS:
        seen = view("parts of a slide", f"slide, {part}", {}, "slide", False, part)
        if seen.image:
            said = no_room(kind(), appearance("slide", layout=part))
            seen = seen._replace(faults=[f"{NO_ROOM}: {said}"] if said else [])
        yield seen
    for name, knob in found.items():
        for value in ends(knob):
            if value != knob.default_value:
                label = f"{name} = {knob.write(value):.60}"
                yield view(name, label, {name: value})


def _drawn(picture, look) -> tuple[bytes, str, list[str]]:
    """The picture's image, its caption and its faults, to which a warning belongs."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        figure = picture.figure(**look._asdict())
        found = faults(figure, look.style)
    figure.set_dpi(min(figure.get_dpi(), WIDTH / figure.get_figwidth()))
    figure.savefig(image := BytesIO(), format="png")
    drop_bitmaps(figure)
    found += [f"{each.category.__name__}: {each.message}" for each in warned]
    return image.getvalue(), figure.caption, found


# ---------------------------------------------------------------- the sheet


def sheet(title: str, seen: list[ProofView]) -> str:
    """All views as HTML, each group in rows of its own, under a title and how many faults."""
    count = len(real(fault for view in seen for fault in view.faults))
    groups = [
        f"<section>{''.join(map(_cell, group))}</section>"
        for _, group in groupby(seen, lambda view: view.group)
    ]
    heading = f"<h1>{escape(title)}</h1><p>faults in {len(seen)} views: {count}</p>"
    return f"<!doctype html><meta charset='utf-8'>{STYLE}{heading}{''.join(groups)}"


def _cell(view) -> str:
    faults = "".join(f"<strong>{escape(fault)}</strong>" for fault in view.faults)
    data = base64.b64encode(view.image).decode()
    image = f"<img src='data:image/png;base64,{data}' alt=''>" if view.image else ""
    words = f"<h2>{escape(view.label)}</h2>{faults}"
    return f"<figure>{words}{image}<figcaption>{escape(view.caption)}</figcaption></figure>"


def real(faults: Iterable[str]) -> list[str]:
    """The faults, without what `posviz export` refuses to draw."""
    return [fault for fault in faults if NO_ROOM not in fault]


def write(file: Path, to: Path) -> tuple[Path, list[str]]:
    """Write the sheet of a picture's file into a folder; return its path and what is wrong.

    Raises OSError where the folder cannot be written to.
    """
    seen, path = list(views(file)), to / f"{file.stem}.html"
    with replacing(path) as data:
        data.write(sheet(file.name, seen).encode())
    return path, [f"{view.label}: {fault}" for view in seen for fault in view.faults]
