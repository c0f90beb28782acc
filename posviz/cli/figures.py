"""Commands for pictures: list them, write their files, look for faults."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from posviz.cli.common import (
    Everything,
    Names,
    Overwrite,
    To,
    check_folder,
    check_new,
    failed,
    refusals,
    run_jobs,
)

app = typer.Typer()


@app.command("list")
def list_(names: Names = None):
    """List the lessons, their pictures, or a picture's controls and their ranges.

    \b
    posviz list
    posviz list rope
    posviz list RotatingVectors
    """
    from posviz.cli import arguments, inventory

    with refusals():
        if names:
            lines = inventory.lines(arguments.pictures(names))
        else:
            lines = inventory.titles(arguments.pictures(everything=True))
    typer.echo("\n".join(lines))


@app.command()
def export(
    names: Names = None,
    everything: Everything = False,
    to: Annotated[Path, To] = Path("figures"),
    kinds: Annotated[
        list[str] | None,
        typer.Option(
            "--format",
            help="svg, pdf, png, gif, mp4: one or several with commas.  "
            "[default: pdf, or gif with --animate]",
            metavar="FORMATS",
        ),
    ] = None,
    style: Annotated[
        str, typer.Option(help="notebook, slide, paper or poster.", metavar="STYLE")
    ] = "notebook",
    layout: Annotated[
        str,
        typer.Option(
            help="How much of a slide it fills: full, body (below a title) or half.",
            metavar="LAYOUT",
        ),
    ] = "",
    font: Annotated[str, typer.Option(help="Name of an installed font.", metavar="FONT")] = "",
    dark: Annotated[bool, typer.Option("--dark", help="Light on a dark background.")] = False,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help="Set a control, for example d_model=128. Repeatable.",
            metavar="KNOB=VALUE",
        ),
    ] = None,
    knob: Annotated[
        str | None,
        typer.Option(
            "--animate",
            help="The control that moves in a gif or mp4.  [default: see `posviz list`]",
            metavar="KNOB",
        ),
    ] = None,
    overwrite: Overwrite = False,
):
    """Write figures and animations of pictures.

    \b
    posviz export SinusoidalTable --set d_model=128 --set base=500000
    posviz export 05 --to talk/ --format svg,png --style slide --dark
    posviz export 05 --style slide --layout half --font STIXGeneral
    posviz export RotatingVectors --format mp4 --animate query
    posviz export --all --format pdf --style paper
    """
    from posviz.cli import arguments, export_jobs
    from posviz.pictures import animation
    from posviz.pictures.style import appearance

    with refusals():
        chosen = arguments.pictures(names or (), everything)
        formats = arguments.formats(kinds or (), animated=knob is not None)
        look = appearance(arguments.style(style), dark, layout=layout, font=font)
        values, notes = arguments.settings(chosen, set_ or ())
        filmed, more = arguments.filmed_knobs(chosen, knob)
        check_folder(to)
        if "mp4" in formats:
            animation.find_ffmpeg()
        jobs = export_jobs.plan(values, filmed, formats, to, look)
        check_new([file for files, _ in jobs for file in files], overwrite)
    for note in notes + more:
        typer.echo(note, err=True)
    if layout:
        for line in export_jobs.crowded(values, look):
            typer.echo(line, err=True)
    run_jobs({export_jobs.named(files): job for files, job in jobs}, to)


@app.command()
def proof(
    names: Names = None,
    everything: Everything = False,
    to: Annotated[Path, To] = Path("figures/proofs"),
):
    """Draw a picture in every style and at its controls' ends, and report what is wrong.

    A name is a picture's, or a file that defines one.

    \b
    posviz proof AngleTable
    posviz proof my_picture.py
    posviz proof 05
    """
    from posviz.cli import arguments

    with refusals():
        files = arguments.picture_files(names or (), everything)
        check_folder(to)
    from posviz.cli.proof import write

    faults = 0
    for file in files:
        try:
            sheet, found = write(file, to)
        except OSError as error:
            raise failed(error) from None
        typer.echo("\n".join([*found, f"{sheet}: faults: {len(found)}"]))
        faults += len(found)
    if len(files) == 1 and _has_screen():
        typer.launch(str(sheet))
    raise typer.Exit(int(faults > 0))


def _has_screen() -> bool:
    return (
        os.name == "nt"
        or sys.platform == "darwin"
        or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    )
