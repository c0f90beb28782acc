"""What commands share: their options, what they refuse, and how they run and stop."""

import contextlib
import os
import signal
import stat
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from posviz.cli.stopping import unwind_on
from posviz.pictures.files import placed
from posviz.wording import shortened

Lessons = Annotated[
    list[str] | None,
    typer.Argument(metavar="LESSON", show_default=False, help="Lessons, for example 05 or rope."),
]
Names = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="NAME", show_default=False, help="Pictures, or lessons such as 05 or rope."
    ),
]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace files that exist.")]
Everything = Annotated[bool, typer.Option("--all", help="All pictures or lessons.")]
Notebooks = Annotated[
    Path | None,
    typer.Option(
        "--notebooks",
        help="The folder with the notebooks.",
        metavar="DIR",
        callback=lambda folder: folder and placed(folder),
    ),
]
To = typer.Option(
    "--to", help="The folder to write into; created if missing.", metavar="DIR", callback=placed
)
Open = Annotated[
    bool, typer.Option("--open", help="Serve it on this machine and open it in the browser.")
]
LESSON = typer.Argument(help="A lesson, for example 05 or rope, or examination.", metavar="LESSON")

SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextlib.contextmanager
def refusals():
    """What is wrong with the arguments becomes one line, and exit status 2."""
    from traitlets import TraitError

    try:
        yield
    except (ValueError, TraitError, RuntimeError) as error:
        typer.echo(f"posviz: {error}", err=True)
    except ModuleNotFoundError as error:
        typer.echo(f"posviz: {error}: run `pip install 'posviz[publish]'`", err=True)
    else:
        return
    raise typer.Exit(2)


def failed(error) -> typer.Exit:
    """Tell in a line what went wrong after the arguments were found right."""
    from posviz.publish import batch

    said = batch.reason(error) if isinstance(error, OSError) else shortened(error)
    typer.echo(f"posviz: {said}", err=True)
    return typer.Exit(1)


def check_folder(to):
    """Raise ValueError unless `to` can be a folder."""
    there = next((each for each in (to, *to.absolute().parents) if os.path.exists(each)), to)
    if not os.access(there, os.W_OK):
        raise ValueError(f"--to {shortened(to)}: you may not write into {shortened(there)}.")
    try:
        folder = stat.S_ISDIR(to.stat().st_mode)
    except FileNotFoundError:  # it will be made
        return
    except OSError as error:  # a name too long, or one below a file
        told = f"--to {shortened(to)} cannot be a folder: {error.strerror}."
        raise ValueError(told) from error
    if not folder:
        raise ValueError(f"--to {shortened(to)} is not a folder.")


def check_new(files, overwrite):
    """Raise ValueError where a file is there already, unless it may be written anew."""
    there = [file for file in files if file.exists()]
    if there and not overwrite:
        more = f", and {len(there) - 1} more," * (len(there) > 1)
        raise ValueError(f"{shortened(there[0])}{more} is there already: give --overwrite.")


def run_jobs(jobs, to, what="Files", last=None, show=""):
    """Run the jobs, named by their files, then `last`; report what was written and what failed.

    show: the file in `to` that is served and opened in the browser in the end.
    """
    from posviz.publish import batch

    unwind_when_stopped()
    failures = batch.run(jobs)
    if last is not None and len(failures) < len(jobs):
        try:
            last(to)
        except Exception as error:  # the others are written all the same, and told
            failures["site"] = batch.reason(error)
    for name, reason in failures.items():
        typer.echo(f"failed: {shortened(name)}: {reason}", err=True)
    files = sum(1 + name.count(", ") for name in jobs if name not in failures)
    typer.echo(f"{what} written to {shortened(to)}: {files}.")
    if show:
        serve(to, show)
    raise typer.Exit(1 if failures else 0)


def serve(folder, file):
    """Serve a folder to this machine alone, open a file of it in the browser, and go on."""
    import webbrowser
    from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

    class Quiet(SimpleHTTPRequestHandler):
        """Serves files without a line for each."""

        def log_message(self, *_):  # type: ignore[override]
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder)) as server:
        address = f"http://127.0.0.1:{server.server_port}/{file}"
        typer.echo(f"Served at {address} until you press Ctrl-C.")
        webbrowser.open(address)
        server.serve_forever()


def unwind_when_stopped():
    """Let a signal end the program as an exit does, so that nothing half-written stays."""
    for number in SIGNALS:
        unwind_on(number, partial(Stopped, 128 + number))


class Stopped(SystemExit):
    """SIGINT or SIGTERM; the exit status says which, as shells do."""
