"""`posviz export`: the files to write, and the jobs that write them."""

from functools import partial
from pathlib import Path

import posviz.lessons
from posviz.cli.faults import text_faults
from posviz.pictures import animation, export


def plan(values, filmed, formats, to: Path, style, dark, overwrite) -> tuple[dict, list[Path]]:
    """The jobs that write every file not there yet, by what they write, and the files kept.

    values: the settings of each picture, by class name; filmed: the knob of each film.
    """
    jobs, kept = {}, []
    for name, setting in values.items():
        stills = [to / f"{name}.{kind}" for kind in formats if kind not in animation.FORMATS]
        films = [
            to / f"{name}_{filmed[name]}.{kind}"
            for kind in formats
            if kind in animation.FORMATS and name in filmed
        ]
        kept += [path for path in stills + films if path.exists() and not overwrite]
        if wanted := [path for path in stills if path not in kept]:
            jobs[_named(wanted)] = partial(save, name, setting, wanted, style, dark)
        for path in films:
            if path not in kept:
                jobs[path.name] = partial(animate, name, setting, filmed[name], path, style, dark)
    return jobs, kept


def _named(paths) -> str:
    """Several endings of one name: "SinusoidalTable.svg, .png"."""
    return ", ".join([paths[0].name, *(path.suffix for path in paths[1:])])


def save(name, setting, paths, style, dark):
    """Write one picture in several formats, from one figure."""
    picture = posviz.lessons.load(name)(**setting)
    export.save_all(picture, paths, style=style, dark=dark)


def crowded(values, style, dark) -> list[str]:
    """A line for each picture that has texts without room in that style."""
    lines = []
    for name, setting in values.items():
        if faults := text_faults(posviz.lessons.load(name)(**setting).figure(style, dark)):
            more = f", and {len(faults) - 1} more" * (len(faults) > 1)
            lines.append(f"{name} has no room for all its texts: {faults[0]}{more}.")
    return lines


def animate(name, setting, knob, path, style, dark):
    """Write one animation."""
    animation.animate(posviz.lessons.load(name)(**setting), knob, path, style=style, dark=dark)
