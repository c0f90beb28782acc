"""`posviz export`: the files to write, and the jobs that write them."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import posviz.lessons
from posviz.cli.faults import text_faults
from posviz.pictures import animation, export


def plan(values, filmed, formats, to: Path, look) -> list[tuple[list[Path], Callable]]:
    """Jobs, each with the files that it writes.

    values: the settings of each picture, by class name; filmed: the knob of each film.
    """
    jobs: list[tuple[list[Path], Callable]] = []
    for name, setting in values.items():
        stills = [to / f"{name}.{kind}" for kind in formats if kind not in animation.FORMATS]
        if stills:
            jobs.append((stills, partial(save, name, setting, stills, look)))
        for kind in formats:
            if kind in animation.FORMATS and (knob := filmed.get(name)):
                film = to / f"{name}_{knob}.{kind}"
                jobs.append(([film], partial(animate, name, setting, knob, film, look)))
    return jobs


def named(files: list[Path]) -> str:
    """Several endings of one name: "SinusoidalTable.svg, .png"."""
    return ", ".join([files[0].name, *(file.suffix for file in files[1:])])


def save(name, setting, paths, look):
    """Write one picture in several formats, from one figure."""
    picture = posviz.lessons.load(name)(**setting)
    export.save_all(picture, paths, **look._asdict())


def crowded(values, look) -> list[str]:
    """A line for each picture that has texts without room in that style."""
    lines = []
    for name, setting in values.items():
        if faults := text_faults(posviz.lessons.load(name)(**setting).figure(**look._asdict())):
            more = f", and {len(faults) - 1} more" * (len(faults) > 1)
            lines.append(f"{name} has no room for all its texts: {faults[0]}{more}.")
    return lines


def animate(name, setting, knob, path, look):
    """Write one animation."""
    animation.animate(posviz.lessons.load(name)(**setting), knob, path, **look._asdict())
