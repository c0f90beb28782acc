"""The command line's arguments, read: pictures, lessons, formats, styles, values of knobs."""

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import NoReturn

import posviz.lessons
from posviz.course import EXAMINATION, LESSONS, OF_TOPIC, Lesson
from posviz.pictures import animation, export
from posviz.pictures.picture import Picture
from posviz.pictures.style import STYLES
from posviz.wording import quoted, shortened, spelt_like

FORMATS = (*export.FORMATS, *animation.FORMATS, "html")


def closest(what, text, known: Iterable[str], where="") -> NoReturn:
    """Raise ValueError with what was typed, the closest known name, and where all are listed."""
    known = list(known)
    lower = {name.lower(): name for name in reversed(known)}
    near = spelt_like(text.lower(), lower, cutoff=0.5)
    hint = f" Did you mean {lower[near[0]]!r}?" if near else ""
    raise ValueError(
        f"{what} {quoted(text)} is unknown.{hint} {where or 'There are ' + ', '.join(known)}."
    )


# ---------------------------------------------------------------- pictures and lessons


def lesson_of(name) -> str:
    """The number of the lesson that a picture, by its class's name, belongs to: "05"."""
    return OF_TOPIC[posviz.lessons.names()[name].split(".")[2]].number


def pictures(names=(), everything=False) -> list[str]:
    """The class names of the pictures meant, in the course's order, each once.

    names: of pictures, or of lessons, which mean all of theirs. Raises ValueError for an unknown
    name, and where nothing or too much was chosen.
    """
    known = {name: lesson_of(name) for name in posviz.lessons.names()}
    if everything and names:
        raise ValueError("--all means every picture: leave out the names, or --all.")
    if not (everything or names):
        raise ValueError("name pictures or lessons, or give --all; `posviz list` shows them.")
    spelled, chosen = {name.lower(): name for name in known}, set(known if everything else ())
    lessons = {row.number: row.notebook for row in LESSONS}
    for name in names:
        if name.lower() in spelled:
            chosen.add(spelled[name.lower()])
        elif (number := _number(name, lessons)) is not None:
            chosen |= {each for each in known if known[each] == number}
        else:
            near = [*known, *lessons.values()]
            closest("picture or lesson", name, near, "`posviz list` shows all")
    return sorted(chosen, key=lambda name: (known[name], list(known).index(name)))


def lessons_named(texts, known: Iterable[Lesson] = LESSONS) -> list[Lesson]:
    """The course's rows of the lessons meant, in its order; ValueError for an unknown one."""
    rows = {row.number: row for row in known}
    numbers = {lesson(text, {row.number: row.notebook for row in known}) for text in texts}
    return [row for number, row in rows.items() if number in numbers]


def picture_files(names=(), everything=False) -> list[Path]:
    """The files of the pictures meant; a name that ends in .py is a file of its own.

    Raises ValueError as `pictures` does, and for a file that is not there.
    """
    typed = [Path(name).resolve() for name in names if name.endswith(".py")]
    for file in typed:
        if not os.path.isfile(file):  # pathlib's own raises for a name too long
            raise ValueError(f"{shortened(file)} is no file.")
    names = [name for name in names if not name.endswith(".py")]
    if typed and not (names or everything):
        return typed
    root, modules = Path(posviz.__file__).parents[1], posviz.lessons.names()
    chosen = [modules[name].split(".") for name in pictures(names, everything)]
    return typed + [root.joinpath(*parts).with_suffix(".py") for parts in chosen]


def lesson(text, names: dict[str, str]) -> str:
    """The number meant by "05", "5", "05_rope" or "rope"; ValueError for an unknown one."""
    number = _number(text, names)
    return closest("lesson", text, names.values()) if number is None else number


def _number(text, names) -> str | None:
    typed = text.strip().lower()
    meant = (typed.zfill(2), typed)
    return next(
        (
            number
            for number, name in names.items()
            if typed and (number in meant or typed in (name, name.partition("_")[2]))
        ),
        None,
    )


# ---------------------------------------------------------------- notebooks


def notebooks(folder: Path | None = None) -> dict[str, Path]:
    """The notebooks of the lessons and of the examination by name; ValueError where there are none.

    Looked for in the folder, or else beside the package, as in a clone, in it, as pip installs
    them, or in ./notebooks.
    """
    package = Path(posviz.__file__).parent
    beside, inside = package.with_name("notebooks"), package / "notebooks"
    for place in [folder] if folder else [beside, inside, Path("notebooks")]:
        names = ("[0-9][0-9]_*", EXAMINATION.notebook) if os.path.isdir(place) else ()
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
    own = {row.number: row.notebook for row in LESSONS if row.notebook in found}
    names = {name[:2]: name for name in found} | own  # a reader's copy may have the number, too
    meant = {text if text in found else names[lesson(text, names)] for text in lessons}
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
    words = [word.strip() for word in text.split(",")]
    for word in words:
        if not (word.isascii() and word.isdigit()):
            raise ValueError(f"--sections takes numbers with commas, as 2,5,8; got {quoted(word)}.")
    return [int(word[:9]) for word in words]


# ---------------------------------------------------------------- formats, styles and knobs


def formats(texts, animated=False) -> list[str]:
    """The formats in "svg,pdf"; with an animated knob there is one that moves among them."""
    words = [word.strip().lower().lstrip(".") for text in texts for word in text.split(",")]
    for word in words:
        if word not in FORMATS:
            closest("format", word, FORMATS)
    if animated and not set(words) & set(animation.FORMATS):
        words.append("gif")
    return list(dict.fromkeys(words or ["pdf"]))


def style(text) -> str:
    """The style of that name; ValueError for an unknown one."""
    return text if text in STYLES else closest("style", text, STYLES)


def loaded(names) -> dict[str, type[Picture]]:
    """The pictures' classes by name."""
    return {name: posviz.lessons.load(name) for name in names}


def settings(names, texts) -> tuple[dict[str, dict], list[str]]:
    """The values of "knob=value" texts for each picture that has the knob, and notes to print.

    Raises ValueError for a knob that no picture has, TraitError for a value that is refused.
    """
    classes = loaded(names)
    values: dict[str, dict] = {name: {} for name in names}
    notes = []
    for text in texts:
        knob, equals, typed = text.partition("=")
        if not equals:
            raise ValueError(f"--set {quoted(text)} is unclear: write --set knob=value.")
        having, note = _with_knob(classes, knob.strip(), f"--set {shortened(text)}")
        notes += note
        for name in having:
            values[name][knob.strip()] = classes[name].knobs()[knob.strip()].read(typed)
    for name in names:
        classes[name](**values[name])  # raises TraitError where a value is refused
    return values, notes


def filmed_knobs(names, knob=None) -> tuple[dict[str, str], list[str]]:
    """The knob that moves in each picture's animation, and notes to print.

    Raises ValueError for a knob that no picture has, or that cannot move.
    """
    classes = loaded(names)
    if knob is None:
        return {name: found.filmed_knobs()[0] for name, found in classes.items()}, []
    having, notes = _with_knob(classes, knob, f"--animate {knob}")
    for name in having:
        animation.check_can_be_filmed(classes[name], knob)
    return dict.fromkeys(having, knob), notes


def _with_knob(classes, knob, option) -> tuple[list[str], list[str]]:
    """The pictures that have the knob, and a line about those that have not."""
    having = [name for name, found in classes.items() if knob in found.knobs()]
    if not having:
        known = dict.fromkeys(name for found in classes.values() for name in found.knobs())
        closest("knob", knob, known, "`posviz list` shows the knobs of each picture")
    missing = [name for name in classes if name not in having]
    return having, [f"{option} is not for {', '.join(missing)}."] if missing else []
