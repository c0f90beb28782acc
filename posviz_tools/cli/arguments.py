"""The command line's arguments, read: pictures, lessons, their notebooks."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import NoReturn

import posviz_tools
from posviz.wording import quoted, spelt_like
from posviz_course import lessons
from posviz_course.course import EXAMINATION, LESSONS, OF_TOPIC, Lesson


def closest(what, text, known: Iterable[str], where="") -> NoReturn:
    """Raise ValueError with what was typed, the closest known name, and where all are listed."""
    lower, typed = {name.lower(): name for name in known}, text.lower()
    begun = [name for name in lower if typed and name.startswith(typed)]
    near = begun or spelt_like(typed, lower, cutoff=0.5)
    hint = f" Did you mean {lower[near[0]]!r}?" if near else ""
    where = where or f"There are {', '.join(lower.values())}"
    raise ValueError(f"{what} {quoted(text)} is unknown.{hint} {where}.")


# ---------------------------------------------------------------- pictures and lessons


def lesson_of(name) -> str:
    """The number of the lesson that a picture, by its class's name, belongs to: "05"."""
    return OF_TOPIC[lessons.names()[name].split(".")[2]].number


def pictures(names: Iterable[str] | None = None, everything: bool = False) -> list[str]:
    """The class names of the pictures meant, each once; a lesson's name means all of its pictures.

    Raises ValueError for an unknown name, and where nothing or too much was chosen.
    """
    if everything == bool(names):
        raise ValueError("name pictures or lessons, or give --all; `posviz list` shows them.")
    known = sorted(lessons.names(), key=lesson_of)
    meant = {name.lower(): [name] for name in known}
    for row in LESSONS:
        own = [name for name in known if lesson_of(name) == row.number]
        meant |= dict.fromkeys(_spellings(row.notebook), own)
    chosen = known if everything else []
    for name in names or ():
        if name.lower() not in meant:
            near = [*known, *(row.notebook for row in LESSONS)]
            closest("picture or lesson", name, near, "`posviz list` shows all")
        chosen += meant[name.lower()]
    return list(dict.fromkeys(chosen))


def row_of(text: str) -> Lesson:
    """The lesson meant by "05", "5", "05_rope" or "rope", or the examination; else ValueError."""
    rows = {row.notebook: row for row in (*LESSONS, EXAMINATION)}
    meant = {typed: row for name, row in rows.items() for typed in _spellings(name)}
    return meant.get(text.lower()) or closest("lesson", text, rows)


def _spellings(name) -> set[str]:
    number, _, rest = name.lower().partition("_")
    return {name.lower(), number, number.removeprefix("0"), rest} - {""}


# ---------------------------------------------------------------- notebooks


def notebooks() -> dict[str, Path]:
    """The notebooks of the lessons and of the examination, by name.

    They lie beside the package, as in a clone, or in it, as pip installs them.
    """
    package = Path(posviz_tools.__file__).parent
    beside, inside = package.with_name("notebooks"), package / "notebooks"
    folder = beside if beside.is_dir() else inside
    names = [row.notebook for row in (*LESSONS, EXAMINATION)]
    return {name: folder / f"{name}.ipynb" for name in names}


def lesson_notebooks(lessons: Iterable[str] | None, everything: bool) -> list[Path]:
    """The notebooks of the lessons meant; ValueError where none or too much was chosen."""
    if everything == bool(lessons):
        raise ValueError("choose the lessons, such as 05, or --all.")
    chosen = {row_of(text).notebook for text in lessons or ()}
    return [path for name, path in notebooks().items() if everything or name in chosen]


def repository(address: str) -> str:
    """The "owner/name" of a repository on GitHub, by its address; ValueError for another."""
    match = re.fullmatch(r"https://github\.com/([\w.-]+/[\w.-]+?)(?:\.git)?/?", address)
    if not match:
        raise ValueError(
            f"--repository takes one as https://github.com/you/posviz; got {quoted(address)}."
        )
    return match[1]


def numbers(text: str) -> list[int]:
    """The sections in "2,5,8"."""
    if not re.fullmatch(r"\d+( *, *\d+)*", text):
        raise ValueError(f"--sections takes numbers with commas, as 2,5,8; got {quoted(text)}.")
    return [int(word) for word in text.split(",")]
