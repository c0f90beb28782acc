"""A proof of a picture: one sheet with every style, every knob's ends, and what is wrong there."""

import linecache
import sys
import textwrap
import traceback
import warnings
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import matplotlib
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from PIL import Image, ImageDraw, ImageFont

import posviz
from posviz.cli.faults import faults, no_room
from posviz.pictures import knobs
from posviz.pictures.files import replacing
from posviz.pictures.picture import Picture
from posviz.pictures.style import STYLES, Appearance, appearance
from posviz.pictures.styled_figure import drop_bitmaps

COLUMN, HIGHEST, GAP = 900, 600, 20  # pixels: a notebook's figure at its true size; between two
LETTERS = 16  # pixels high
INK, RED, GREY = "#222222", "#b00020", "#dddddd"
LOOKS = [("notebook", True), *((each, False) for each in STYLES[1:])]
PARTS = ("body", "half")  # of a slide, for which not every picture has room
NO_ROOM = "no room"


class ProofView(NamedTuple):
    """A drawing under its label, with its caption and faults; no image where drawing failed.

    group: what it is looked at for, the styles or a knob.
    """

    group: str
    label: str
    image: Image.Image | None
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
        yield ProofView("", "not loaded", None, "", [explain(error, file)])
        return

    def view(group, label, values, *look):
        try:
            return ProofView(group, label, *_drawn(kind(**values), Appearance(*look)))
        except Exception as error:
            return ProofView(group, label, None, "", [explain(error, file)])

    yield (default := view("styles", "notebook", {}))
    if default.image is None:  # the other views would fail, too
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


def _drawn(picture, look) -> tuple[Image.Image, str, list[str]]:
    """The picture's image, its caption and its faults, to which a warning belongs."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        figure = picture.figure(**look._asdict())
        found = faults(figure, look.style)
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
    image = Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")
    drop_bitmaps(figure)
    image.thumbnail((COLUMN, HIGHEST), Image.Resampling.LANCZOS)
    found += [f"{each.category.__name__}: {each.message}" for each in warned]
    return image, figure.caption, found


# ---------------------------------------------------------------- the sheet


def sheet(title: str, seen: list[ProofView]) -> Image.Image:
    """All views, two in a row and each group in rows of its own, under a title and their faults."""
    count = len(real(fault for view in seen for fault in view.faults))
    words = [(title, INK), (f"faults in {len(seen)} views: {count}", RED if count else INK)]
    rows = [[_stacked(words)]]
    for _, group in groupby(seen, lambda view: view.group):
        cells = [_cell(view, seen[0].caption if view is not seen[0] else "") for view in group]
        rows += [cells[i : i + 2] for i in range(0, len(cells), 2)]
    heights = [max(cell.height for cell in row) + GAP for row in rows]
    whole = Image.new("RGB", (2 * COLUMN + 3 * GAP, sum(heights) + GAP), GREY)
    for i, row in enumerate(rows):
        for j, cell in enumerate(row):
            whole.paste(cell, (GAP + j * (COLUMN + GAP), GAP + sum(heights[:i])))
    return whole


def _cell(view, told) -> Image.Image:
    """A view, with its caption where that has not been shown yet."""
    words = [(view.label, INK), *((fault, RED) for fault in view.faults)]
    return _stacked(words, view.image, view.caption if view.caption != told else "")


def _stacked(words, image=None, caption="") -> Image.Image:
    """Lines of text over an image over its caption, as wide as a column."""
    font = ImageFont.truetype(Path(matplotlib.get_data_path(), "fonts/ttf/DejaVuSans.ttf"), LETTERS)
    above = [(line, color) for text, color in words for line in _wrapped(text, font)]
    below = [(line, INK) for line in _wrapped(caption, font)]
    step, height = round(1.4 * LETTERS), image.height if image else 0
    whole = Image.new("RGB", (COLUMN, step * len(above + below) + height), GREY)
    draw = ImageDraw.Draw(whole)
    for i, (line, color) in enumerate(above + below):
        draw.text((0, i * step + height * (i >= len(above))), line, color, font)
    if image:
        whole.paste(image, (0, step * len(above)))
    return whole


def _wrapped(text, font) -> list[str]:
    letters = len(text) * COLUMN / (font.getlength(text) or 1)
    return textwrap.wrap(text, max(1, int(0.9 * letters)))


def real(faults: Iterable[str]) -> list[str]:
    """The faults, without what `posviz export` refuses to draw."""
    return [fault for fault in faults if NO_ROOM not in fault]


def write(file: Path, to: Path) -> tuple[Path, list[str]]:
    """Write the sheet of a picture's file into a folder; return its path and what is wrong.

    Raises OSError where the folder cannot be written to.
    """
    seen, path = list(views(file)), to / f"{file.stem}.png"
    with replacing(path) as data:
        sheet(file.name, seen).save(data, "PNG")
    return path, [f"{view.label}: {fault}" for view in seen for fault in view.faults]
