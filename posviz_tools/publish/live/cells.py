"""A reader's cells: what a page's second Python does, a call for each run of a cell."""

import ast
import contextlib
import html
import io
import linecache
import logging
import re
import sys
from typing import Any

import numpy as np
from matplotlib import projections
from matplotlib.figure import Figure

from posviz.pictures.bitmaps import image_html
from posviz.pictures.picture import Picture
from posviz.teaching.feedback import Feedback
from posviz.teaching.trace import frames_of
from posviz_tools.publish.live import tell
from posviz_tools.publish.live.names import needed
from posviz_tools.publish.place import drawn_place

MOST_LETTERS = 20_000  # of what a cell prints
_names: dict[str, Any] = {"__name__": "__main__"}
_ran: dict[str, tuple[str, str]] = {}  # the source of each cell that ran, and its error, by id


class _Explored(str):
    """What `explore()` returns on a page: HTML of a place where the other Python draws."""

    _repr_html_ = str.__str__


def begin() -> None:
    """Let `explore()` return a place on the page, and tell nobody which fonts a page lacks."""
    logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)
    if sys.modules.pop("mpl_toolkits", sys) is None:  # pictures do without
        from mpl_toolkits.mplot3d import Axes3D

        projections.register_projection(Axes3D)
    Picture.explore = _explore  # type: ignore[method-assign, assignment]


def run(id: str, sources: dict[str, str]) -> None:
    """Run a cell, after those above it that it needs as they are now; send the page what it shows.

    sources: all the cells of a page by id, in their order.
    """
    output, changed, stopped = io.StringIO(), False, ""
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        for above in needed(id, sources)[:-1]:
            if changed or _ran.get(above, ("", ""))[0] != sources[above]:
                changed = True
                tell(id, {"at": above})
                _ran[above] = sources[above], _run(above, sources[above], silent=True)[1]
            if _ran[above][1] and not stopped:
                first = html.escape(sources[above].strip().partition("\n")[0])
                cell = f"The cell above that begins <code>{first}</code>"
                stopped = f"<p>{cell} stopped:</p>{_ran[above][1]}"
        output.truncate(output.seek(0))
        tell(id, {"at": id})
        shown, failed, value = _run(id, sources[id])
    _ran[id] = sources[id], failed
    if failed or (isinstance(value, Feedback) and not value):
        shown += failed + stopped
    text = output.getvalue()
    text = f"{text[:MOST_LETTERS]} …" if len(text) > MOST_LETTERS else text
    printed = f'<pre class="text">{html.escape(text)}</pre>' if text else ""
    tell(id, {"html": printed + shown, "failed": bool(failed)})


def _run(id, source, silent=False) -> tuple[str, str, Any]:
    """Run a cell, and return what its last line shows and its error, as HTML, and its value.

    silent: other cells need what this one defines, be it only a part; it shows nothing.
    """
    file, failed = f"<{id}>", ""
    linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file
    try:
        tree = ast.parse(source, file)
    except SyntaxError as error:
        return "", _stopped(error), None
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    for statement in tree.body:
        try:
            exec(compile(ast.Module([statement], []), file, "exec"), _names)
        except BaseException as error:  # sys.exit(), too
            failed = failed or _stopped(error)
            if not silent:
                return "", failed, None
    if silent or last is None:
        return "", failed, None
    try:
        value = eval(compile(ast.Expression(last.value), file, "eval"), _names)
        return _html(value), "", value
    except BaseException as error:
        return "", _stopped(error), None


def _html(value) -> str:
    """What a cell shows of its last line's value."""
    if value is None:
        return ""
    if isinstance(value, Figure):
        return f"<figure>{image_html(value)}</figure>"
    if hasattr(value, "_repr_html_"):
        return value._repr_html_()
    return f'<pre class="text">{html.escape(repr(value))}</pre>'


def _explore(picture) -> _Explored:
    return _Explored(
        drawn_place(picture) or "<p>A picture of your own moves in JupyterLab alone.</p>"
    )


def _stopped(error) -> str:
    """An error in the reader's words: the line, what was wrong, and the shapes on that line."""
    if isinstance(error, ModuleNotFoundError):
        return _boxed(f"A page does not have {error.name}: this runs in JupyterLab.", "")
    text = f"{type(error).__name__}: {getattr(error, 'msg', None) or error}"
    if isinstance(error, SyntaxError):
        return _boxed(f"Line {error.lineno}: {text}", (error.text or "").rstrip())
    if not (theirs := frames_of(error, _names)):
        return _boxed(text, "")
    frame, number, line = theirs[-1]
    names = frame.f_globals | frame.f_locals
    arrays = {name: names[name] for name in re.findall(r"\w+", line) if name in names}
    shapes = [f"{n}: shape {a.shape}" for n, a in arrays.items() if isinstance(a, np.ndarray)]
    return _boxed(f"Line {number}: {text}", "\n".join([line, *shapes]))


def _boxed(text, evidence) -> str:
    lines = f"<pre>{html.escape(evidence)}</pre>" if evidence else ""
    return f'<div class="posviz-stopped"><p>{html.escape(text)}</p>{lines}</div>'
