"""The command line's arguments, read: pictures, lessons, their notebooks."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import NoReturn

import posviz.lessons
from posviz.course import EXAMINATION, LESSONS, OF_TOPIC, Lesson
from posviz.wording import quoted, shortened, spelt_like


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
    return OF_TOPIC[posviz.lessons.names()[name].split(".")[2]].number


def pictures(names=(), everything=False) -> list[str]:
    """The class names of the pictures meant, in the course's order, each once.

    names: of pictures, or of lessons, which mean all of theirs. Raises ValueError for an unknown
    name, and where nothing or too much was chosen.
    """
    if everything and names:
        raise ValueError("--all means every picture: leave out the names, or --all.")
    if not (everything or names):
        raise ValueError("name pictures or lessons, or give --all; `posviz list` shows them.")
    known = {name: lesson_of(name) for name in posviz.lessons.names()}
    meant = {name.lower(): [name] for name in known}
    for row in LESSONS:
        own = [name for name in known if known[name] == row.number]
        meant |= dict.fromkeys(_spellings(row.notebook), own)
    chosen = set(known if everything else ())
    for name in names:
        if name.lower() not in meant:
            near = [*known, *(row.notebook for row in LESSONS)]
            closest("picture or lesson", name, near, "`posviz list` shows all")
        chosen |= set(meant[name.lower()])
    return sorted(chosen, key=lambda name: (known[name], list(known).index(name)))


def lesson(text: str, names: Iterable[str]) -> str:
    """The notebook's name meant by "05", "5", "05_rope" or "rope"; ValueError for an unknown one.

    Of two that are meant it is the last.
    """
    meant = {typed: name for name in names for typed in _spellings(name)}
    return meant.get(text.lower()) or closest("lesson", text, sorted(names))


def _spellings(name) -> set[str]:
    number, _, rest = name.lower().partition("_")
    return {name.lower(), number, number.removeprefix("0"), rest} - {""}


def row_of(text) -> Lesson:
    """The course's row of the lesson, or of the examination, that is meant."""
    rows = {row.notebook: row for row in (*LESSONS, EXAMINATION)}
    return rows[lesson(text, rows)]


# ---------------------------------------------------------------- notebooks


def notebooks(folder: Path | None = None) -> dict[str, Path]:
    """The notebooks of the lessons and of the examination by name; ValueError where there are none.

    Looked for in the folder, or else beside the package, as in a clone, in it, as pip installs
    them, or in ./notebooks.
    """
    package = Path(posviz.__file__).parent
    beside, inside = package.with_name("notebooks"), package / "notebooks"
    for place in [folder] if folder else [beside, inside, Path("notebooks")]:
        names = ("[0-9][0-9]_*", EXAMINATION.notebook)
        found = [path for name in names for path in sorted(place.glob(f"{name}.ipynb"))]
        if found:
            return {path.stem: path for path in found}
    tried = shortened(folder) if folder else f"{beside} or in {Path('notebooks').resolve()}"
    raise ValueError(f"no notebooks in {tried}: give their folder with --notebooks.")


def lesson_notebooks(lessons, everything, folder) -> list[Path]:
    """The notebooks of the lessons meant; ValueError where none or too much was chosen."""
    if everything == bool(lessons):
        raise ValueError("choose the lessons, such as 05, or --all.")
    found = notebooks(folder)
    own = {row.notebook for row in LESSONS}
    names = sorted(found, key=own.__contains__)  # before it a reader's copy, with its number
    meant = {lesson(text, names) for text in lessons or ()}
    return [found[name] for name in sorted(meant or found)]


def repository(address: str) -> str:
    """The "owner/name" of a repository on GitHub, by its address; ValueError for another."""
    found = re.fullmatch(r"https://github\.com/([\w.-]+/[\w.-]+?)(?:\.git)?/?", address)
    if not found:
        raise ValueError(
            f"--repository takes one as https://github.com/you/posviz; got {quoted(address)}."
        )
    return found[1]


def numbers(text: str) -> list[int]:
    """The sections in "2,5,8"."""
    if not re.fullmatch(r"\d+( *, *\d+)*", text):
        raise ValueError(f"--sections takes numbers with commas, as 2,5,8; got {quoted(text)}.")
    return [int(word) for word in text.split(",")]
