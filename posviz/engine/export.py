"""Figures as files: written beside and renamed, so nothing half-written is left behind."""

import contextlib
import errno
import io
import uuid
from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_pdf import FigureCanvasPdf
from matplotlib.backends.backend_svg import FigureCanvasSVG
from PIL import Image

from posviz.engine.figures import drop_bitmaps, let_go
from posviz.engine.looks import style_context
from posviz.engine.svg import self_contained

_CANVAS = {"png": FigureCanvasAgg, "svg": FigureCanvasSVG, "pdf": FigureCanvasPdf}
FORMATS = tuple(_CANVAS)
# Title, caption and Python line, by the names that each format has for them.
_NAMES = {
    "png": ("Title", "Description", "Comment"),
    "svg": ("Title", "Description", "Source"),
    "pdf": ("Title", "Subject", "Keywords"),
}
# Two runs of the same picture give the same bytes: no date, no version.
_NO_DATE: dict[str, dict[str, str | None]] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": "posviz"},
    "pdf": {"CreationDate": None, "Creator": "posviz", "Producer": None},
}


def save(picture, path, *, style="notebook", dark=False) -> Path:
    """Write a picture as it stands; the format is the path's ending.

    Raises ValueError for an unknown ending or style, OSError where the place cannot be written to.
    """
    return save_all(picture, [path], style=style, dark=dark)[0]


def save_all(picture, paths, *, style="notebook", dark=False) -> list[Path]:
    """Write one figure of a picture to several files, each in the format of its ending.

    Raises what `save` raises; a file is touched only when all could be drawn.
    """
    paths = [Path(path) for path in paths]
    kinds = [_format(path) for path in paths]
    arrays = picture.compute()
    figure = picture.drawn(arrays, style, dark)
    words = picture.title(), picture.caption(arrays), repr(picture)
    with style_context(style, dark):
        files = [_encoded(figure, kind, words) for kind in kinds]
    let_go(figure)
    for path, data in zip(paths, files, strict=True):
        with replacing(path) as file:
            file.write(data)
    return paths


def _format(path: Path) -> str:
    kind = path.suffix.lower().lstrip(".")
    if kind not in FORMATS:
        raise ValueError(
            f"path = {str(path)!r} ends in {path.suffix!r}: choose one of "
            + ", ".join(f".{known}" for known in FORMATS)
            + "; animate writes .gif and .mp4"
        )
    return kind


def _encoded(figure, kind, words) -> bytes:
    """The figure as a file's bytes; on a full disk, matplotlib would hide the reason."""
    data, dpi = io.BytesIO(), figure.get_dpi()
    metadata = dict(zip(_NAMES[kind], words, strict=True)) | _NO_DATE[kind]
    # savefig would draw everything once more beforehand, for a layout that is settled already.
    write = getattr(_CANVAS[kind](figure), f"print_{kind}")
    write(data, metadata=metadata)
    figure.set_dpi(dpi)  # which SVG and PDF set to 72
    title, caption, _ = words
    return self_contained(data.getvalue(), title, caption) if kind == "svg" else data.getvalue()


@contextlib.contextmanager
def replacing(path: Path):
    """A binary file that takes the place of `path` only when everything was written.

    Raises OSError naming the path where it cannot be written to.
    """
    beside = path.with_name(f".{uuid.uuid4().hex}")
    try:
        if path.parent.exists() and not path.parent.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, f"{path.parent} is not a folder")
        path.parent.mkdir(parents=True, exist_ok=True)
        with beside.open("xb") as file:
            yield file
        beside.replace(path)
    except OSError as error:
        raise type(error)(error.errno, f"cannot write: {error.strerror}", str(path)) from error
    finally:
        with contextlib.suppress(OSError):  # such as a folder that is none
            beside.unlink(missing_ok=True)


def inside(folder: Path, name: str, kind: str) -> Path:
    """The file in the folder for a name a reader typed; ValueError if it would lead outside."""
    stem = name.strip().removesuffix(f".{kind}")
    awkward = stem.startswith(".") or any(c in stem for c in "/\\:") or not stem.isprintable()
    if not stem or awkward or len(stem) > 100:
        raise ValueError(
            f"file name = {name!r} is refused: use up to 100 characters, not a leading dot and no "
            "slash, backslash, colon or control character."
        )
    return folder / f"{stem}.{kind}"


def png_bytes(rgba: np.ndarray) -> bytes:
    """Pixels [height, width, 4] as a small PNG of 255 colours, for the page without a kernel."""
    colours = Image.fromarray(rgba).convert("RGB").quantize(255, dither=Image.Dither.NONE)
    data = io.BytesIO()
    colours.save(data, "PNG", optimize=True)
    return data.getvalue()


def notebook_png(figure):
    """A StyledFigure for a notebook's output: twice the pixels, at its true size, its caption."""
    dpi, own = figure.get_dpi(), figure.canvas
    canvas = FigureCanvasAgg(figure)
    figure.set_dpi(2 * dpi)
    try:
        canvas.draw()
        data = png_bytes(np.asarray(canvas.buffer_rgba()))
    finally:
        figure.set_dpi(dpi)
        drop_bitmaps(figure, own)
    return data, {"width": round(figure.get_figwidth() * dpi), "alt": figure.caption}
