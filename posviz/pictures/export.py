"""Figures as files: written beside and renamed, so nothing half-written is left behind."""

import io
import sys
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

from matplotlib.backend_bases import get_registered_canvas_class

from posviz import __version__
from posviz.files import placed, replacing
from posviz.pictures.bitmaps import drop_bitmaps
from posviz.pictures.drawing import Drawing
from posviz.pictures.style import appearance, style_context
from posviz.wording import is_ours, quoted

FORMATS = ("png", "svg", "pdf")
# The fields of `about`, by each format's own names for them.
_NAMES = {
    "png": ("Title", "Description", "Comment", "Software", "Copyright"),
    "svg": ("Title", "Description", "Source", "Creator", "Rights"),
    "pdf": ("Title", "Subject", "Keywords", "Creator", "Author"),
}
# Without a date and matplotlib's version, so that two runs give the same bytes.
_NO_DATE: dict[str, dict[str, str | None]] = {
    "png": {},
    "svg": {"Date": None},
    "pdf": {"CreationDate": None, "Producer": None},
}
LICENCE = "The posviz authors, CC BY 4.0, https://creativecommons.org/licenses/by/4.0/"


def about(picture: Drawing, caption: str, call: str, title: str) -> list[str]:
    """Return the metadata of a file that this method call has written.

    Title, caption, the Python that writes the same bytes again, and the program; for a picture of
    the course also its rights.
    """
    facts = [title or picture.title(), caption, python_line(picture, call), f"posviz {__version__}"]
    return [*facts, LICENCE] if is_ours(type(picture)) else facts


def python_line(picture: Drawing, call: str) -> str:
    """The Python that imports a picture's class, makes the picture, and calls a method of it."""
    kind = type(picture)
    module, name = kind.__module__, kind.__name__
    packages = (top for top in ("posviz", module.partition(".")[0]) if top in sys.modules)
    public = (top for top in packages if _module_of(sys.modules[top], name) == module)
    line = f"{picture!r}.{call}"
    if module == "__main__":  # a reader's own class, written in this notebook
        return line
    return f"from {next(public, module)} import {name}\n{line}"


def _module_of(package: ModuleType, name: str) -> str:
    """Return a public class's module, found by name: a reloaded class is another object."""
    return getattr(getattr(package, name, None), "__module__", "")


def method_call(method: str, *arguments: str, **options: Any) -> str:
    """The call of `save` or `animate` in an appearance, as Python."""
    named = [f"{name}={value!r}" for name, value in appearance(**options).arguments().items()]
    return f"{method}({', '.join([*map(repr, arguments), *named])})"


def save_all(picture: Drawing, paths: Iterable[str | Path], **options: Any) -> list[Path]:
    """Write one figure of a picture to several files, each in the format of its ending.

    options and what is raised: as of `Picture.save`; a file is touched only when all were drawn.
    """
    files = [placed(path) for path in paths]
    kinds = [format_of(file, FORMATS, "animate writes .gif") for file in files]
    look = appearance(**options)
    figure = picture.figure_in(look)
    calls = [method_call("save", file.name, **look._asdict()) for file in files]
    with style_context(*look.theme):
        contents = [
            _encoded(figure, kind, about(picture, figure.caption, call, look.title))
            for kind, call in zip(kinds, calls, strict=True)
        ]
    drop_bitmaps(figure)
    for path, data in zip(files, contents, strict=True):
        with replacing(path) as file:
            file.write(data)
    return files


def format_of(path: Path, formats: Iterable[str], others: str) -> str:
    """Return the format by the path's ending; ValueError, with a hint to the others, if unknown."""
    kind = path.suffix.lower().lstrip(".")
    if kind not in formats:
        ends = f"path = {quoted(str(path))} ends in {quoted(path.suffix)}"
        raise ValueError(f"{ends}: choose one of .{', .'.join(formats)}; {others}")
    return kind


def _encoded(figure, kind, facts: list[str]) -> bytes:
    """The figure as a file's bytes; on a full disk, matplotlib would hide the reason."""
    data, dpi = io.BytesIO(), figure.get_dpi()
    metadata = dict(zip(_NAMES[kind], facts, strict=False)) | _NO_DATE[kind]
    # savefig would draw everything once more beforehand, for a layout that is settled already.
    write = getattr(get_registered_canvas_class(kind)(figure), f"print_{kind}")
    write(data, metadata=metadata)
    figure.set_dpi(dpi)  # which SVG and PDF set to 72
    return data.getvalue()
