"""The command line: `posviz list`, `export`, `page`, `slides`, `rerun`, `config` and others.

What the commands do is imported when they are called, so that help comes at once.
"""

import os
import signal
import warnings
from typing import Annotated

import typer

from posviz.cli import classes, figures, lessons, models
from posviz.cli.common import SIGNALS, Stopped

app = typer.Typer(
    help="Figures, animations, pages and slides of the course on positional encodings.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
    no_args_is_help=True,
)


def _version(asked: bool):
    if asked:
        from posviz import __version__

        typer.echo(f"posviz {__version__}")
        raise typer.Exit


@app.callback()
def _top(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="The version.")
    ] = False,
):
    pass


@app.command()
def doctor():
    """Tell what works on this machine, and what to do about what does not."""
    from posviz.cli.doctor import checks

    failed = False
    for check in checks():
        typer.echo(str(check))
        failed = failed or check.fatal
    raise typer.Exit(int(failed))


for _group in (figures, lessons, classes, models):
    app.add_typer(_group.app)


def _tell_stopped():
    typer.echo(
        "Stopped: the files that are there are whole; run it again for the others.", err=True
    )


def _leave_at_once(number, _):
    """Before anything is written: an exception amidst an import could be lost, or end in abort."""
    _tell_stopped()
    os._exit(128 + number)


def _note(message, *_, **__) -> str:
    """A warning, as that no font has a character: its message without a line of code."""
    return f"note: {message}\n"


def main():
    """Run the command line."""
    warnings.formatwarning = _note
    for number in SIGNALS:
        signal.signal(number, _leave_at_once)
    try:
        app()
    except Stopped:
        _tell_stopped()
        raise


if __name__ == "__main__":
    main()
