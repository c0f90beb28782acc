"""The command line: `posviz list`, `export`, `site`, `slides`, `rerun`, `config` and others.

What the commands do is imported when they are called, so that help comes at once.
"""

import os
import re
import signal
import warnings
from typing import Annotated

import typer
from typer.core import TyperCommand, TyperGroup

from posviz.cli import classes, figures, lessons, models
from posviz.cli.common import SIGNALS, Stopped

GROUPS = {
    "Read": ("start", "list", "progress", "doctor"),
    "Draw": ("export",),
    "Publish": ("site", "slides"),
    "Teach": ("assign", "grade", "guide"),
    "Look into models": ("config", "sweep"),
    "For authors": ("rerun", "proof"),
}


class Grouped(TyperGroup):
    """Commands in groups, a sentence each."""

    def format_commands(self, ctx, formatter):
        """Write the commands group by group."""
        for title, names in GROUPS.items():
            helps = {name: self.commands[name].help or "" for name in names}
            said = [(name, text.partition("\n")[0]) for name, text in helps.items()]
            with formatter.section(title):
                formatter.write_dl(said, col_max=10, col_spacing=2)

    def parse_args(self, ctx, args):
        """Read the arguments; `--lesson 05`, as it once was, is `05` at the end."""
        rest, lessons, words = [], [], iter(args)
        for word in words:
            if word == "--lesson":
                lessons += [next(words, "")]
            elif word.startswith("--lesson="):
                lessons += [word.removeprefix("--lesson=")]
            else:
                rest += [word]
        return super().parse_args(ctx, rest + lessons)


class Plain(TyperCommand):
    """A command whose help names no type of Python's."""

    def get_help(self, ctx):
        """Return the help without `<str>`, which every argument is."""
        return re.sub(r" <[\w\[\] ]+>", "", super().get_help(ctx))


app = typer.Typer(
    cls=Grouped,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    help="Tools for the posviz course: lessons, figures, web pages, slides, grading, models.",
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
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
):
    pass


@app.command()
def doctor():
    """Check the installation, and suggest fixes."""
    from posviz.cli.doctor import checks

    failed = False
    for check in checks():
        typer.echo(str(check))
        failed = failed or check.fatal
    raise typer.Exit(int(failed))


for _group in (figures, lessons, classes, models):
    for _command in _group.app.registered_commands:
        _command.cls = Plain
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
