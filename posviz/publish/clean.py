"""What pages and slides take of a notebook: text, links and pictures, and nothing that acts.

Markdown and the HTML that cells show go through one sanitiser (nh3), our own HTML as well: who
wrote it cannot be told.
"""

import base64
import io
import json
import re
from collections.abc import Callable
from urllib.parse import urlsplit

import nh3
from nbconvert.filters import markdown2html
from nbformat import NotebookNode
from PIL import Image

from posviz import lessons

TAGS = """
    a blockquote br caption code del details div em figcaption figure h1 h2 h3 h4 h5 h6 hr img li ol
    p pre small span strong sub summary sup table tbody td th thead tr ul
"""
ATTRIBUTES = {
    "*": "class style",
    "a": "href title",
    "details": "open",
    "div": "data-picture data-values",
    "img": "alt height src title width",
    "ol": "start",
    "th": "scope",
} | {f"h{level}": "id" for level in range(1, 7)}
STYLES = """
    border-left font-weight margin max-height max-width overflow padding text-align vertical-align
    white-space
"""
PNG = "data:image/png;base64,"
LONGEST = 200  # letters of a knob's text
_CORNER = re.compile(r"<th\b[^>]*></th>")


def markdown(text: str) -> str:
    """Markdown as HTML."""
    return sanitised(markdown2html(text))


def sanitised(html: str) -> str:
    """HTML with what lessons use, and without all else; a table's corner is no heading."""
    return _CORNER.sub("<td></td>", _SANITISER.clean(html))


def _kept(_, name, value):
    """An attribute's value, or None for one that lessons do not have."""
    check = _CHECKS.get(name)
    return value if check is None or check(value) else None


def _is_png(address) -> bool:
    return address.startswith(PNG) and png(address.removeprefix(PNG)) != ""


def _leads(address) -> bool:
    """Whether a link may lead there; the sanitiser would let in what raises an error here."""
    try:
        return urlsplit(address).scheme != "data"
    except ValueError:  # for data://℀, which browsers can read
        return False


def _are_values(text) -> bool:
    """Whether it is JSON that tells knobs by name: numbers, booleans, short texts."""
    try:
        values = json.loads(text, parse_constant=int)  # which refuses NaN
    except (ValueError, RecursionError):
        return False
    if not isinstance(values, dict):
        return False
    return all(
        isinstance(value, int | float) or (isinstance(value, str) and len(value) <= LONGEST)
        for value in values.values()
    )


_CHECKS = {
    "src": _is_png,
    "href": _leads,
    "data-picture": lambda name: name in lessons.names(),
    "data-values": _are_values,
}
_SANITISER = nh3.Cleaner(
    tags=set(TAGS.split()),
    attributes={tag: set(names.split()) for tag, names in ATTRIBUTES.items()},
    attribute_filter=_kept,
    filter_style_properties=set(STYLES.split()),
    link_rel=None,
    url_schemes={"data", "http", "https", "mailto"},
)


def png(text: str) -> str:
    """The base64 of a PNG in one line; "" for what is none."""
    text = "".join(text.split())
    try:
        Image.open(io.BytesIO(base64.b64decode(text, validate=True)), formats=["PNG"]).verify()
    except (ValueError, OSError, SyntaxError, Image.DecompressionBombError):
        return ""
    return text


def cleaned(lesson: NotebookNode) -> NotebookNode:
    """The lesson with its Markdown and code, and of outputs what is text, HTML or a PNG."""
    lesson.cells = [cell for cell in lesson.cells if cell.cell_type in ("markdown", "code")]
    for cell in lesson.cells:
        for name, kinds in cell.pop("attachments", {}).items():
            address = PNG + png(kinds.get("image/png", ""))
            cell.source = cell.source.replace(f"](attachment:{name}", f"]({address}")
        for output in cell.get("outputs", []):
            if "data" in output:
                output.data = _well_formed(output.data)
                output.metadata = _about(output.metadata)
        if "outputs" in cell:
            cell.outputs = [output for output in cell.outputs if output.get("data", True)]
    return lesson


def _about(metadata) -> NotebookNode:
    """What is said about a PNG: its alternative text, its width in CSS pixels."""
    found = metadata.get("image/png")
    known = found if isinstance(found, dict) else {}
    kinds = {"alt": str, "width": int | float}
    kept = {name: known[name] for name, kind in kinds.items() if isinstance(known.get(name), kind)}
    return NotebookNode({"image/png": NotebookNode(kept)})


def _well_formed(data) -> NotebookNode:
    takes: dict[str, Callable[[str], str]]
    takes = {"text/html": sanitised, "image/png": png, "text/plain": str}
    texts = {kind: data[kind] for kind in takes if isinstance(data.get(kind), str)}
    made = {kind: takes[kind](text) for kind, text in texts.items()}
    return NotebookNode({kind: text for kind, text in made.items() if text})
