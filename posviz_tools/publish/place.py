"""Where a picture lives on a page: its name and values, and the stored picture until then."""

import ast
import base64
import json
import struct
from collections.abc import Iterable
from html import escape
from typing import Any, NamedTuple

from traitlets import TraitError

from posviz.pictures.bitmaps import notebook_png
from posviz.pictures.explorer import INCH, Explorer
from posviz.pictures.picture import Picture
from posviz.pictures.style import Appearance
from posviz_course import lessons

TELEPHONE = "((max-width: 560px) or (max-height: 500px))"  # on its side, too; live.js has it
DARK = "(prefers-color-scheme: dark)"  # theme.js looks for it
NEEDS_NOTEBOOK = "This picture has data of its own: it moves in the notebook."
PNG = "data:image/png;base64,"


class Narrow(NamedTuple):
    """A picture as telephones show it: a file without its ending, and CSS pixels."""

    file: str
    width: int
    height: int


def place(picture: str, png: str, about: dict, dark: str = "", narrow: Narrow | None = None) -> str:
    """HTML of the place where the picture with this repr will live; "" for what is no picture.

    png, dark: it is stored as these, in base64. about: a figure's metadata in a notebook.
    """
    name, values = read_picture(picture)
    if not name:
        return ""
    stored = still(str(about.get("alt", "")), stored_image(png, about, dark, narrow))
    if ... in values.values():
        note = f'<p class="posviz-note">{NEEDS_NOTEBOOK}</p>'
        return f'<div class="posviz-explorer">\n{stored}\n{note}\n</div>'
    return alive(name, values, stored)


def drawn_place(picture: Picture) -> str:
    """HTML of the place where a picture will live, drawn at its present values."""
    png, about = notebook_png(picture.figure())
    return place(repr(picture), base64.b64encode(png).decode(), about)


def stored_image(png: str, about: dict, dark: str = "", narrow: Narrow | None = None) -> str:
    """HTML of a stored figure; the arguments are those of `place`."""
    size, width = "", about.get("width")
    if isinstance(width, int):
        pixels = struct.unpack(">II", base64.b64decode(png[:32])[16:24])
        size = f' width="{width}" height="{round(width * pixels[1] / pixels[0])}"'
    return image(str(about.get("alt", "")), PNG + png, dark and PNG + dark, size, narrow)


def image(
    alt: str, light: str, dark: str = "", size: str = "", narrow: Narrow | None = None
) -> str:
    """HTML of an image at these addresses; a browser fetches that of a telephone only there."""
    sources = []
    if narrow:
        file, width, height = narrow
        shape = f'width="{width}" height="{height}"'
        for media, ending in ((f"{DARK} and", "_dark"), ("screen and", "")):
            there = f'media="{media} {TELEPHONE}" srcset="{file}{ending}.png"'
            sources.append(f"<source {there} {shape}>")
    if dark:
        sources.append(f'<source media="{DARK}" srcset="{dark}">')
    lazy = ' loading="lazy"' if narrow else ""
    shown = f'<img src="{light}"{size} alt="{escape(alt)}"{lazy}>'
    return f"<picture>{''.join(sources)}{shown}</picture>" if sources else shown


def still(caption: str, image: str) -> str:
    """HTML of a picture that stands still, with its caption."""
    return f"""<figure class="posviz-screen posviz-still">
{image}
<figcaption>{escape(caption)}</figcaption>
</figure>"""


def alive(name: str, values: dict, stored: str, knobs: Iterable[str] = ()) -> str:
    """HTML that live.js lets live, around a stored picture; knobs: those at first sight."""
    first = f' data-knobs="{escape(" ".join(knobs))}"' if knobs else ""
    about = attributes(name, values)
    return f'<div class="posviz-explorer posviz-live" {about}{first}>\n{stored}\n</div>'


def attributes(name: str, values: dict) -> str:
    """HTML of what live.js has to know of a picture."""
    about = f'data-picture="{name}" data-values={_quoted(values)}'
    if picture := picture_of(f"{name}({', '.join(f'{n}={v!r}' for n, v in values.items())})"):
        about += f" data-shown={_quoted(_shown(picture))}"
    return about


def _quoted(value) -> str:
    """A value as an attribute in HTML; between single quotes, for JSON is full of the others."""
    text = escape(json.dumps(value), quote=False).replace("'", "&#39;")
    return f"'{text}'"


def _shown(picture: Picture) -> dict:
    """What a page needs in order to keep the room that the living picture will take."""
    explorer = Explorer(picture, lambda message, buffers: None)
    shown = explorer.shown | {"paper": narrow_size(picture)}
    explorer.close()
    return shown


def narrow_size(picture: Picture) -> tuple[int, int]:
    """Width and height of a picture on a telephone, in CSS pixels."""
    width, height = picture.inches(Appearance("paper"))
    return round(INCH["paper"] * width), round(INCH["paper"] * height)


def picture_of(text: str) -> Picture | None:
    """The picture with this repr; None where it has data of its own, or refuses a stranger's."""
    name, values = read_picture(text)
    try:
        return lessons.load(name)(**values) if name and ... not in values.values() else None
    except (TraitError, TypeError):
        return None


def read_picture(text: str) -> tuple[str, dict]:
    """The class and the knobs' values in a picture's repr, or ""; `...` is data of its own."""
    try:
        call: Any = ast.parse(text, mode="eval").body
        values = {keyword.arg: ast.literal_eval(keyword.value) for keyword in call.keywords}
        return (call.func.id, values) if call.func.id in lessons.names() else ("", {})
    except (SyntaxError, ValueError, AttributeError):
        return "", {}
