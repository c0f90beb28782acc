"""Where a reader's code stopped. It imports nothing of posviz: a grader's jail runs it, too."""

import dis
import linecache
import traceback
from types import FrameType
from typing import Any


def frames_of(error: BaseException, names: Any) -> list[tuple[FrameType, int, str]]:
    """Return the error's frames in code with these globals, each with its line: number and text."""
    frames = traceback.walk_tb(error.__traceback__)
    theirs = [(frame, number) for frame, number in frames if frame.f_globals is names]
    return [(f, n, linecache.getline(f.f_code.co_filename, n).strip()) for f, n in theirs]


def failing_line(function: Any, error: Exception) -> tuple[str, list[str]]:
    """Return the reader's line that raised, and the variables that were still `...` there.

    The line reads " on line 3, `return x / y`". If it calls a function of another cell, the line in
    that cell follows. If a variable is still `...`, it is the line that assigns it. It is "" where
    the code cannot be traced. An error of another process carries both.
    """
    if hasattr(error, "failed_at"):
        return error.failed_at
    # All cells of a notebook have the same globals, and each is a file of its own.
    theirs = frames_of(error, getattr(function, "__globals__", None))
    if not theirs:
        return "", []
    last, number, text = theirs[-1]
    empty = [name for name, value in last.f_locals.items() if value is ...]
    if line := _assigned(last.f_code, empty):
        return _quoted(line, linecache.getline(last.f_code.co_filename, line).strip()), empty
    file = function.__code__.co_filename
    in_its_cell = [_quoted(n, t) for f, n, t in theirs if f.f_code.co_filename == file]
    where = in_its_cell[-1] if in_its_cell else ""
    if last.f_code.co_filename != file:
        where += f", in {last.f_code.co_name}{_quoted(number, text)}"
    return where, empty


def _quoted(number, text) -> str:
    return f" on line {number}, `{text}`"


def _assigned(code, names) -> int | None:
    """Return the first line of the code that assigns one of these variables."""
    for step in dis.get_instructions(code):
        stored = step.argval if isinstance(step.argval, tuple) else (step.argval,)
        if step.opname.startswith("STORE") and set(names) & set(stored):
            return step.positions.lineno if step.positions else None
    return None
