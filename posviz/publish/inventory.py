"""`posviz list`: every picture with its knobs as lines of text, every file of a lesson."""

import os
import re
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

from posviz.course import Lesson
from posviz.publish import arguments
from posviz.publish.imports import ROOT, imported


def lines(names) -> list[str]:
    """A line per picture and one per knob: lesson, name, default, what is allowed, label."""
    rows = []
    for name, found in arguments.loaded(names).items():
        lesson, filmed = arguments.lesson_of(name), found.filmed_knobs()[0]
        rows.append(f"{lesson}  {name}: {found.title()}")
        for knob_name, knob in found.knobs().items():
            label = f"  ({knob.label})" if knob.label != knob_name else ""
            moves = "  [moves in an animation]" if knob_name == filmed else ""
            default = knob.write(knob.default_value)
            rows.append(f"{lesson}  {name}  {knob_name} = {default}  {knob.rule}{label}{moves}")
    return rows


def files(lessons: Iterable[Lesson]) -> list[str]:
    """Every file of the lessons, each once, as its path from the current folder.

    Notebook, pictures, exercises, claims and solutions; the encodings and derivations that these
    import; the tests of all of them. Raises ValueError where there are no notebooks.
    """
    found = chain.from_iterable(_files(lesson) for lesson in lessons)
    return list(dict.fromkeys(os.path.relpath(file) for file in found))


def _files(lesson) -> Iterator[Path]:
    parts = ("pictures", "exercises", "claims")
    own = [arguments.notebooks()[lesson.notebook]]
    for part in parts:
        own += sorted((ROOT / "posviz" / part / lesson.topic).glob("*.py"))
    own += (ROOT / "posviz" / "grading" / "solved").glob(f"{lesson.topic}.py")
    used = frozenset().union(*map(imported, own))
    mathematics = [
        ROOT / f"{name.replace('.', '/')}.py"
        for name in sorted(used)
        if re.fullmatch(r"posviz\.(encodings|derivations)\.\w+", name)
    ]
    yield from own + mathematics
    for part in parts:
        yield from sorted((ROOT / "tests" / part / lesson.topic).glob("test_*.py"))
    for file in mathematics:
        tests = ROOT / "tests" / file.parent.name
        yield from sorted({*tests.glob(f"test_{file.name}"), *tests.glob(f"test_{file.stem}_*.py")})
