"""The command line: `posviz list`, `export`, `site`, `slides`, `rerun`, `config` and others."""

import signal
import sys
import warnings

import typer

from posviz_tools.cli import (  # noqa: F401  (they add their commands)
    classroom,
    doctor,
    figures,
    identify,
    lessons,
    models,
)
from posviz_tools.cli.common import app

STOPPED = {128 + number: number for number in (signal.SIGINT, signal.SIGTERM)}  # by exit status


def _stop(number, _):
    """Exit by an exception, so that half-written files are removed."""
    sys.exit(128 + number)


def main():
    """Run the command line."""
    # A warning, as that no font has a character, is its message without a line of code.
    warnings.formatwarning = lambda message, *_, **__: f"note: {message}\n"
    for number in STOPPED.values():
        signal.signal(number, _stop)
    try:
        app()
    except SystemExit as end:
        if end.code in STOPPED:
            told = "Stopped: the files that are there are whole; run it again for the others."
            typer.echo(told, err=True)
        raise


if __name__ == "__main__":
    main()
