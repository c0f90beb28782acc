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


Formats = Annotated[
    list[str] | None,
    typer.Option(
        "--format",
        help="svg, pdf, png, gif, mp4, html: one or several with commas.  "
        "[default: pdf, or gif with --animate]",
        metavar="FORMATS",
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", help="A knob's value; may be given again.", metavar="KNOB=VALUE"),
]
Animated = Annotated[
    str | None,
    typer.Option(
        "--animate",
        help="The knob that moves in a gif or mp4.  [default: as `posviz list` tells]",
        metavar="KNOB",
    ),
]
Multiples = Annotated[
    str,
    typer.Option(
        "--small-multiples", help="Values of a knob, side by side or in rows.", metavar="KNOB=A,B,C"
    ),
]
Filmstrip = Annotated[
    str, typer.Option(help="A knob from end to end, as five figures side by side.", metavar="KNOB")
]
Alias = Annotated[str, typer.Option("--as", help="The name of the files.", metavar="NAME")]
Snippet = Annotated[
    bool, typer.Option("--snippet", help="LaTeX and Markdown beside it, with the caption.")
]
# How it looks: each is a field of an `Appearance`.
Style = Annotated[str, typer.Option(help="notebook, slide, paper or poster.", metavar="STYLE")]
Layout = Annotated[
    str, typer.Option(help="Of a slide with its own title: full, body or half.", metavar="PART")
]
Font = Annotated[str, typer.Option(help="An installed font's name.", metavar="FONT")]
Dark = Annotated[bool, typer.Option("--dark", help="Light on a dark background.")]
Colors = Annotated[
    str, typer.Option(help="Instead of the first of the palette.", metavar="COLOR,COLOR")
]
Cmap = Annotated[str, typer.Option(help="A colour map of matplotlib's.", metavar="NAME")]
Width = Annotated[str, typer.Option(help="As 3.03in, 77mm or 252pt.", metavar="LENGTH")]
Title = Annotated[str, typer.Option(help="Above the figure.", metavar="TEXT")]
Labels = Annotated[
    list[str] | None,
    typer.Option(
        "--label", help="Other words in its texts; may be given again.", metavar="OLD=NEW"
    ),
]
Legend = Annotated[bool, typer.Option("--legend/--no-legend", help="Without its legends.")]
Panel = Annotated[int, typer.Option(help="One of its panels alone.", metavar="NUMBER", min=0)]


@app.command()
def export(
    context: typer.Context,
    names: Names = None,
    everything: Everything = False,
    to: Annotated[Path, To] = Path("figures"),
    kinds: Formats = None,
    set_: Settings = None,
    knob: Animated = None,
    multiples: Multiples = "",
    filmstrip: Filmstrip = "",
    alias: Alias = "",
    snippet: Snippet = False,
    overwrite: Overwrite = False,
    style: Style = "notebook",
    layout: Layout = "",
    font: Font = "",
    dark: Dark = False,
    colors: Colors = "",
    cmap: Cmap = "",
    width: Width = "",
    title: Title = "",
    labels: Labels = None,
    legend: Legend = True,
    panel: Panel = 0,
):
    """Write figures, animations and living pages of pictures.

    \b
    posviz export SinusoidalTable --set d_model=128 --set base=500000
    posviz export 05 --to talk/ --format svg,png --style slide --dark
    posviz export RotatingVectors --panel 2 --style slide --layout half
    posviz export RotatingVectors --style paper --small-multiples query=3,9,27
    posviz export RotatingVectors --format mp4 --animate query
    posviz export RotatingVectors --format html
    posviz export --all --format pdf --style paper
    """
    from posviz.cli import arguments, export_jobs

    with refusals():
        chosen = arguments.pictures(names or (), everything)
        formats = arguments.formats(kinds or (), animated=knob is not None)
        values, notes = arguments.settings(chosen, set_ or ())
        filmed, more = arguments.filmed_knobs(chosen, knob)
        look = export_jobs.look(context.params)
        export_jobs.check_formats(formats, look, context.params)
        found = export_jobs.exports(values, look, context.params)
        jobs = export_jobs.plan(found, filmed, formats, to, snippet)
        check_folder(to)
        check_new([file for files, _ in jobs for file in files], overwrite)
        found, crowded = export_jobs.checked(found)
    for line in notes + more + crowded:
        typer.echo(line, err=True)
    jobs = export_jobs.plan(found, filmed, formats, to, snippet)
    try:
        run_jobs({export_jobs.named(files): job for files, job in jobs}, to)
    except typer.Exit as done:
        raise typer.Exit(done.exit_code or int(bool(crowded))) from None


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
    from posviz.cli.proof import real, write

    faults = 0
    for file in files:
        try:
            sheet, found = write(file, to)
        except OSError as error:
            raise failed(error) from None
        typer.echo("\n".join([*found, f"{sheet}: faults: {len(real(found))}"]))
        faults += len(real(found))
    if len(files) == 1 and _has_screen():
        typer.launch(str(sheet))
    raise typer.Exit(int(faults > 0))


def _has_screen() -> bool:
    return (
        os.name == "nt"
        or sys.platform == "darwin"
        or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    )
