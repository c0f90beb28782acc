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

from posviz.files import replacing
from posviz.pictures.bitmaps import drop_bitmaps
from posviz.pictures.drawing import USUAL
from posviz.pictures.faults import LEAST_POINTS, fitted, text_faults
from posviz.pictures.picture import Picture
from posviz.pictures.style import STYLES, Appearance

WIDTH = 900  # pixels, at most
STYLE = """<style>
body { background: #dddddd; font: 16px/1.4 sans-serif; }
body { display: grid; grid-template-columns: 1fr 1fr; gap: 20px; }
h1 { grid-column: 1 / -1; }
figure { margin: 0; }
strong { display: block; color: #b00020; }
img { max-width: 100%; }
</style>"""
LOOKS = {
    "notebook, dark": Appearance(dark=True),
    **{style: Appearance(style) for style in STYLES[1:]},
}
PARTS = ("body", "half")  # of a slide, for which not every picture has room


class ProofView(NamedTuple):
    """A drawing under its label, with its caption and faults; no image where there is none."""

    label: str
    image: bytes = b""  # a PNG
    caption: str = ""
    faults: tuple[str, ...] = ()
    note: str = ""  # why it has no room, which is no fault: `posviz export` refuses it


def views(kind: type[Picture]) -> Iterator[ProofView]:
    """The picture as it is by default, then in every style, then at every knob's ends."""
    default = _view("notebook", kind)
    yield default
    if not default.image:  # the other views would fail, too
        return
    for label, look in LOOKS.items():
        yield _view(label, kind, look)
    for layout in PARTS:
        look = Appearance("slide", layout=layout)
        seen = _view(f"slide, {layout}", kind, look)
        _, why = fitted(kind(), look) if seen.image else (None, "")
        yield seen._replace(faults=(), note=f"no room: {why}") if why else seen
    for name, knob in kind.knobs().items():
        for value in knob.ends():
            if value != knob.default_value:
                yield _view(f"{name} = {knob.write(value):.60}", kind, **{name: value})


def _view(label, kind, look: Appearance = USUAL, **values) -> ProofView:
    """The picture with its faults, to which a warning belongs; or the error, with its line."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            figure = kind(**values).figure_in(look)
            faults = text_faults(figure, LEAST_POINTS.get(look.style, 0))
        except Exception as error:
            return ProofView(label, faults=(_explain(error, Path(inspect.getfile(kind))),))
    figure.set_dpi(min(figure.get_dpi(), WIDTH / figure.get_figwidth()))
    figure.savefig(image := BytesIO(), format="png")
    drop_bitmaps(figure)
    faults += [f"{warning.category.__name__}: {warning.message}" for warning in warned]
    return ProofView(label, image.getvalue(), figure.caption, tuple(faults))


def _explain(error: Exception, file: Path) -> str:
    """An error in one line, with the last line of the picture's file that it came through."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == str(file)]
    where = f"{file.name}, line {lines[-1]}: " if lines else ""
    return f"{where}{type(error).__name__}: {error}"


def write(kind: type[Picture], to: Path) -> tuple[Path, list[str], int]:
    """Write a picture's views as one page; return where it is, what is wrong, how many faults."""
    seen, path = list(views(kind)), to / f"{kind.__name__}.html"
    count = sum(len(view.faults) for view in seen)
    heading = f"<h1>{kind.__name__}: faults in {len(seen)} views: {count}</h1>"
    page = f"<!doctype html><meta charset='utf-8'>{STYLE}{heading}{''.join(map(_cell, seen))}"
    with replacing(path) as file:
        file.write(page.encode())
    return path, [f"{view.label}: {line}" for view in seen for line in _lines(view)], count


def _lines(view: ProofView) -> list[str]:
    return [*view.faults, *filter(None, [view.note])]


def _cell(view: ProofView) -> str:
    wrong = "".join(f"<strong>{escape(line)}</strong>" for line in _lines(view))
    data = base64.b64encode(view.image).decode()
    image = f"<img src='data:image/png;base64,{data}' alt=''>" if view.image else ""
    caption = f"<figcaption>{escape(view.caption)}</figcaption>"
    return f"<figure><b>{escape(view.label)}</b>{wrong}{image}{caption}</figure>"
