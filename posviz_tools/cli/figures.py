"""Commands for pictures: list them, write their files, look for faults."""

from itertools import groupby
from pathlib import Path
from typing import Annotated

import typer

import posviz_course.lessons
from posviz_course.course import LESSONS
from posviz_tools.cli import arguments, common
from posviz_tools.cli.common import command, option


@command("list")
def list_(names: common.Names = None):
    """List the lessons, their pictures, or a picture's controls and their ranges.

    \b
    posviz list
    posviz list rope
    posviz list RotatingVectors
    """
    if names:
        lines = [line for name in arguments.pictures(names) for line in controls(name)]
    else:
        by_lesson = groupby(arguments.pictures(everything=True), arguments.lesson_of)
        own = {number: ", ".join(pictures) for number, pictures in by_lesson}
        lines = [f"{row.number}  {row.title}: {own[row.number]}" for row in LESSONS]
    typer.echo("\n".join(lines))


def controls(name: str) -> list[str]:
    """A line for a picture and one per knob: lesson, name, default, what is allowed, label."""
    picture, lesson = posviz_course.lessons.load(name), arguments.lesson_of(name)
    lines = [f"{lesson}  {name}: {picture.title()}"]
    for knob_name, knob in picture.knobs().items():
        label = f"  ({knob.label})" if knob.label != knob_name else ""
        moves = "  [moves in an animation]" if knob_name == picture.filmed_knobs()[0] else ""
        default = knob.write(knob.default_value)
        lines.append(f"{lesson}  {name}  {knob_name} = {default}  {knob.rule}{label}{moves}")
    return lines


Texts = list[str] | None
FORMATS = "svg, pdf, png, gif, html: one or several with commas."
AS_USUAL = "  [default: pdf, or gif with --animate]"
SETTINGS = "A knob's value; may be given again."
MOVES = "The knob that moves in a gif.  [default: as `posviz list` tells]"
SEVERAL = "Values of a knob, side by side or in rows."
FILM = "A knob from end to end, as five figures side by side."
SNIPPET = "LaTeX and Markdown beside it, with the caption."
STYLES = "notebook, slide, paper or poster."
TITLE = "Above the figure; auto writes the headline that it has in its lesson's slides."
PARTS = "Of a slide with its own title: full, body or half."
CAPTION = "Instead of its own, in a snippet and in the file."
COLORS = "Instead of the first of the palette."
LABELS = "Other words in its texts; may be given again."


@command()
def export(
    context: typer.Context,
    names: common.Names = None,
    everything: common.Everything = False,
    to: common.To = Path("figures"),
    kinds: Annotated[str, option("--format", FORMATS + AS_USUAL, "FORMATS")] = "",
    set_: Annotated[Texts, option("--set", SETTINGS, "KNOB=VALUE")] = None,
    knob: Annotated[str, option("--animate", MOVES, "KNOB")] = "",
    multiples: Annotated[str, option("--small-multiples", SEVERAL, "KNOB=A,B,C")] = "",
    filmstrip: Annotated[str, option("--filmstrip", FILM, "KNOB")] = "",
    alias: Annotated[str, option("--as", "The name of the files.", "NAME")] = "",
    snippet: Annotated[bool, option("--snippet", SNIPPET)] = False,
    overwrite: common.Overwrite = False,
    # How it looks: each is a field of an `Appearance`.
    style: Annotated[str, option("--style", STYLES, "STYLE")] = "notebook",
    layout: Annotated[str, option("--layout", PARTS, "PART")] = "",
    font: Annotated[str, option("--font", "An installed font's name.", "FONT")] = "",
    dark: Annotated[bool, option("--dark", "Light on a dark background.")] = False,
    colors: Annotated[str, option("--colors", COLORS, "COLOR,COLOR")] = "",
    cmap: Annotated[str, option("--cmap", "A colour map of matplotlib's.", "NAME")] = "",
    width: Annotated[str, option("--width", "As 3.03in, 77mm or 252pt.", "LENGTH")] = "",
    title: Annotated[str, option("--title", TITLE, "TEXT")] = "",
    caption: Annotated[str, option("--caption", CAPTION, "TEXT")] = "",
    labels: Annotated[Texts, option("--label", LABELS, "OLD=NEW")] = None,
    legend: Annotated[bool, option("--legend/--no-legend", "Without its legends.")] = True,
    transparent: Annotated[bool, option("--transparent", "Without a background.")] = False,
    panel: Annotated[int, option("--panel", "One of its panels alone.", "NUMBER", min=0)] = 0,
):
    """Write figures, animations and living pages of pictures.

    \b
    posviz export SinusoidalTable --set d_model=128 --set base=500000
    posviz export 05 --to talk/ --format svg,png --style slide --dark
    posviz export RotatingVectors --panel 2 --style slide --layout half
    posviz export RotatingVectors --style paper --small-multiples query=3,9,27
    posviz export RotatingVectors --animate query
    posviz export RotatingVectors --format html
    posviz export --all --format pdf --style paper
    """
    from posviz_tools.cli import export_jobs

    formats = export_jobs.formats(kinds, animated=bool(knob))
    figures = export_jobs.exports(arguments.pictures(names, everything), context.params)
    fitting = export_jobs.with_room_for_texts(figures)
    jobs = export_jobs.plan(fitting, formats, to, snippet)
    common.check_new([file for files, _ in jobs for file in files], overwrite)
    common.run_jobs({export_jobs.named(files): job for files, job in jobs}, to)
    raise typer.Exit(int(len(fitting) < len(figures)))


@command()
def proof(
    names: common.Names = None,
    everything: common.Everything = False,
    to: common.To = Path("figures/proofs"),
):
    """Draw a picture in every style and at its controls' ends, and report what is wrong.

    \b
    posviz proof SinusoidalTable
    posviz proof 05
    """
    from posviz_tools.cli.proof import write

    chosen, faults = arguments.pictures(names, everything), 0
    common.make_folder(to)
    for name in chosen:
        sheet, lines, count = write(posviz_course.lessons.load(name), to)
        typer.echo("\n".join([*lines, f"{sheet}: faults: {count}"]))
        faults += count
    raise typer.Exit(int(faults > 0))
