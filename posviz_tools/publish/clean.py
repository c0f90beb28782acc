"""What pages and slides take of a notebook: text, links and pictures, and nothing that acts.

Markdown and the HTML that cells show go through one sanitiser (nh3), our own HTML as well: who
wrote it is unknown. Its links lead to pages of the site, or nowhere.
"""

import base64
import functools
import io
import re
from pathlib import PurePosixPath
from typing import NamedTuple
from urllib.parse import urlsplit

import nh3
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbformat import NotebookNode
from PIL import Image

from posviz.pictures.stored import LINE
from posviz_tools.publish.place import PNG

TAGS = """
    a blockquote br caption code del details div em figcaption figure h1 h2 h3 h4 h5 h6 hr img li ol
    p pre small span strong sub summary sup table tbody td th thead tr ul
"""
ATTRIBUTES = {
    "*": "class style",
    "a": "href title",
    "details": "open",
    "img": "alt height src title width",
    "ol": "start",
    "th": "scope",
} | {f"h{level}": "id" for level in range(1, 7)}
STYLES = """
    border-left font-weight margin max-height max-width overflow padding text-align vertical-align
    white-space word-break
"""
_CORNER = re.compile(r"<th\b[^>]*></th>")
_MARKDOWN = MarkdownWithMath(renderer=IPythonRenderer(escape=False, anchor_link_text="#"))
_PAGES = (".html", ".ipynb", ".md")  # what links to them end with


class Site(NamedTuple):
    """Where links may lead: to these pages, and to code in "owner/name" on GitHub."""

    pages: frozenset[str] = frozenset()
    repository: str = ""


ALONE = Site()


@functools.cache
def markdown(text: str, site: Site = ALONE) -> str:
    """Markdown as HTML."""
    return sanitised(_MARKDOWN.render(text), site)


def sanitised(html: str, site: Site = ALONE) -> str:
    """HTML with what lessons use, and without all else; a table's corner is no heading."""
    return _CORNER.sub("<td></td>", _sanitiser(site).clean(html))


@functools.cache
def _sanitiser(site) -> nh3.Cleaner:
    def kept(_, name, value):
        if name == "src":
            return value if value.startswith(PNG) and png(value.removeprefix(PNG)) else None
        return _leading(value, site) if name == "href" else value

    return nh3.Cleaner(
        tags=set(TAGS.split()),
        attributes={tag: set(names.split()) for tag, names in ATTRIBUTES.items()},
        attribute_filter=kept,
        filter_style_properties=set(STYLES.split()),
        link_rel=None,
        url_schemes={"data", "http", "https", "mailto"},
    )


def _leading(address, site) -> str | None:
    """Where a link leads on the site."""
    try:
        scheme, host, path, *_ = urlsplit(address)
    except ValueError:  # for data://℀, which browsers can read
        return None
    if scheme or host or not path:
        return None if scheme == "data" else address
    _, hash, place = address.partition("#")
    file = PurePosixPath(path)
    if file.suffix in _PAGES and file.stem in site.pages:
        return f"{file.stem}.html{hash}{place}"
    if site.repository and address.startswith("../"):
        return f"https://github.com/{site.repository}/blob/HEAD/{address.removeprefix('../')}"
    return None


def png(text: str) -> str:
    """The base64 of a PNG in one line; "" for what is none."""
    text = "".join(text.split())
    try:
        Image.open(io.BytesIO(base64.b64decode(text, validate=True)), formats=["PNG"]).verify()
    except (ValueError, OSError, SyntaxError, Image.DecompressionBombError):
        return ""
    return text


def cleaned(lesson: NotebookNode, site: Site = ALONE) -> NotebookNode:
    """The lesson with its Markdown and code, and of outputs what is text, HTML or a PNG."""
    lesson.cells = [cell for cell in lesson.cells if cell.cell_type != "raw"]
    for cell in lesson.cells:
        for name, kinds in cell.pop("attachments", {}).items():
            address = PNG + png(kinds.get("image/png", ""))
            cell.source = cell.source.replace(f"](attachment:{name}", f"]({address}")
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if _clean(output, site)]
    return lesson


def _clean(output, site) -> bool:
    """Clean what a cell shows; whether that is more than a hint for notebooks."""
    if "data" not in output:  # it was printed
        return True
    data = {
        "text/html": sanitised(output.data.get("text/html", ""), site),
        "image/png": png(output.data.get("image/png", "")),
        "text/plain": output.data.get("text/plain", ""),
    }
    output.data = NotebookNode({kind: text for kind, text in data.items() if text})
    return data["text/plain"] != LINE and any(data.values())
