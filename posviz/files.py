"""Files: where they go, which names readers may give them; written beside and renamed."""

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from posviz.wording import quoted, shortened

SETTING = "POSVIZ_FIGURES"


def placed(path: str | Path) -> Path:
    """The path itself, with `~` as the home folder; one in `figures` in the folder of the setting.

    POSVIZ_FIGURES names the folder that is meant by `figures`.
    """
    path, elsewhere = Path(os.path.expanduser(path)), os.environ.get(SETTING)
    if not elsewhere or path.parts[:1] != ("figures",):
        return path
    return Path(os.path.expanduser(elsewhere)).absolute().joinpath(*path.parts[1:])


def inside(folder: Path, name: str, kind: str) -> Path:
    """The file in the folder for a name a reader typed; ValueError if it would lead outside."""
    stem = name.strip().removesuffix(f".{kind}")
    if not stem or stem.startswith(".") or not stem.isprintable() or set(stem) & set("/\\:"):
        advice = "choose one without slash, backslash and colon that begins with no dot"
        raise ValueError(f"file name = {quoted(name)} is refused: {advice}.")
    return folder / f"{stem}.{kind}"


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A binary file that takes the place of `path` only when everything was written.

    Raises OSError naming the path where it cannot be written to, and what to do where the reader
    may not write.
    """
    beside = path.with_name(f".{os.getpid()}-{path.name}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with beside.open("wb") as file:
                yield file
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        is_file = isinstance(error, FileExistsError)
        reason = f"cannot write: {'its folder is a file' if is_file else error.strerror}"
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            setting = f"set {SETTING} to" if path.parts[:1] == ("figures",) else "choose"
            reason = f"{reason}; {setting} a folder that you may write to"
        raise type(error)(error.errno, reason, shortened(path)) from error
