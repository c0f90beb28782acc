"""`posviz list`: lessons and their pictures, and a picture's knobs, as lines of text."""

from itertools import groupby

from posviz.cli import arguments
from posviz.course import LESSONS


def titles(names) -> list[str]:
    """A line for each lesson: number, title, the names of its pictures."""
    of_number = {lesson.number: lesson.title for lesson in LESSONS}
    return [
        f"{number}  {of_number[number]}: {', '.join(own)}"
        for number, own in groupby(names, arguments.lesson_of)
    ]


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
