"""Where a picture lives on a page: its name and values, and the stored picture until then."""

import ast
import json
from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING, Any

from traitlets import TraitError

from posviz import lessons

if TYPE_CHECKING:
    from nbformat import NotebookNode

    from posviz.pictures.picture import Picture

NEEDS_NOTEBOOK = "This picture has data of its own: it moves in the notebook."


def place(output: "NotebookNode") -> str:
    """HTML for what a stored explorer shows, which live.js lets live; "" for another output."""
    data = output.get("data", {})
    if "image/png" not in data:
        return ""
    return made_alive(data.get("text/plain", ""), data["image/png"], output.metadata["image/png"])


def made_alive(picture: str, png: str, about: dict) -> str:
    """HTML for the picture with this repr, stored as a PNG in base64; "" for what is no picture."""
    name, values = read_picture(picture)
    if not name:
        return ""
    caption, width = escape(about.get("alt", "")), about.get("width", "")
    still = f"""<figure class="posviz-screen posviz-still">
<img src="data:image/png;base64,{png}" width="{width}" alt="{caption}">
<figcaption>{caption}</figcaption>
</figure>"""
    if ... in values.values():
        note = f'<p class="posviz-note">{NEEDS_NOTEBOOK}</p>'
        return f'<div class="posviz-explorer">\n{still}\n{note}\n</div>'
    return alive(name, values, still)


def alive(name: str, values: dict, still: str, knobs: Iterable[str] = ()) -> str:
    """HTML that live.js lets live, around a stored picture; knobs: those at first sight."""
    told = f'data-picture="{name}" data-values="{escape(json.dumps(values))}"'
    first = f' data-knobs="{escape(" ".join(knobs))}"' if knobs else ""
    return f'<div class="posviz-explorer posviz-live" {told}{first}>\n{still}\n</div>'


def picture_of(name: str, values: dict) -> "Picture | None":
    """The picture with these values; None where it refuses them, as a stranger's may be."""
    try:
        return lessons.load(name)(**values)
    except (TraitError, TypeError):
        return None


def read_picture(text: str) -> tuple[str, dict]:
    """The class and the knobs' values in a picture's repr, or ""; `...` is data of its own."""
    try:
        call: Any = ast.parse(text, mode="eval").body
        values = {each.arg: ast.literal_eval(each.value) for each in call.keywords}
        return (call.func.id, values) if call.func.id in lessons.names() else ("", {})
    except (SyntaxError, ValueError, AttributeError):
        return "", {}
