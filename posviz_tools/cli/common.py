"""What commands share: the program, how it refuses and reports, and options.

What the commands do is imported when they are called, so that help comes at once.
"""

import os
import re
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from tqdm import tqdm
from typer.core import TyperCommand, TyperGroup

from posviz.files import placed
from posviz.wording import reason, shortened

GROUPS = {
    "Read": ("start", "list", "progress", "doctor"),
    "Draw": ("export",),
    "Publish": ("site", "slides"),
    "Teach": ("assign", "grade", "guide"),
    "Look into models": ("identify", "config", "sweep"),
    "For authors": ("rerun", "proof"),
}


PUBLISH = "nbformat", "nbclient", "nbconvert", "jinja2", "markupsafe", "bs4", "nh3", "yaml"
LIVE = "site", "slides", "export"  # commands that need more for pages
INSTALL = {  # what brings a package, where it is not pip's own name
    **dict.fromkeys(PUBLISH, "pip install 'posviz[publish]'"),
    "playwright": "pip install playwright && playwright install chromium",
    "torch": "pip install 'posviz[torch]'",
    "transformers": "pip install 'posviz[models]'",
    "distributed": "pip install 'posviz[cluster]'",
    "submitit": "pip install 'posviz[cluster]'",
}


class Grouped(TyperGroup):
    """Commands in groups, a sentence each."""

    def resolve_command(self, ctx, args):
        """Name `start` to those who know `run.py lab`."""
        if args[0] == "lab":
            refuse("there is no command 'lab'. Did you mean `posviz start`?")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx, formatter):
        """Write the commands group by group."""
        for title, names in GROUPS.items():
            helps = [(name, str(self.commands[name].help).partition("\n")[0]) for name in names]
            with formatter.section(title):
                formatter.write_dl(helps, col_max=10, col_spacing=2)


class Plain(TyperCommand):
    """A command whose help names no type of Python's, and whose errors are a line each."""

    def get_help(self, ctx):
        """Return the help without `<str>`, which every argument is."""
        return re.sub(r" <[\w\[\] ]+>", "", super().get_help(ctx))

    def invoke(self, ctx):
        """Run the command: exit status 2 for wrong arguments, 1 for an error of the disk."""
        try:
            return super().invoke(ctx)
        except (typer.Exit, BrokenPipeError):
            raise
        except Exception as error:
            from traitlets import TraitError

            if isinstance(error, OSError):
                refuse(reason(error), 1)
            if isinstance(error, ModuleNotFoundError):
                package = str(error.name).partition(".")[0]
                how = INSTALL.get(package, f"pip install {package}")
                if ctx.command.name in LIVE:
                    how = how.replace("[publish]", "[publish,live]")
                refuse(f"{package} is missing: run `{how}`.")
            if isinstance(error, ValueError | RuntimeError | TraitError):
                refuse(str(error))
            raise


def refuse(message: str, status: int = 2):
    """Say in a line what is wrong, and end."""
    typer.echo(f"posviz: {message}", err=True)
    raise typer.Exit(status)


app = typer.Typer(
    cls=Grouped,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    help="Tools for the posviz course: lessons, figures, web pages, slides, grading, models.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
    no_args_is_help=True,
)
command = partial(app.command, cls=Plain)


def option(name: str, text: str, metavar: str | None = None, **more: Any) -> Any:
    """An option by its name, its help and the placeholder of its value."""
    return typer.Option(name, help=text, metavar=metavar, **more)


def argument(metavar: str, text: str) -> Any:
    """An argument by its placeholder and its help."""
    return typer.Argument(metavar=metavar, help=text, show_default=False)


def _show_version(wanted: bool):
    if wanted:
        from posviz import __version__

        typer.echo(f"posviz {__version__}")
        raise typer.Exit


Version = option("--version", "Show the version.", callback=_show_version, is_eager=True)


@app.callback()
def _top(version: Annotated[bool, Version] = False):
    pass


Lessons = Annotated[list[str] | None, argument("LESSON", "Lessons, for example 05 or rope.")]
OneLesson = Annotated[str, argument("LESSON", "A lesson, for example 05 or rope, or examination.")]
Names = Annotated[list[str] | None, argument("NAME", "Pictures, or lessons such as 05 or rope.")]
Everything = Annotated[bool, option("--all", "All pictures or lessons.")]
To = Annotated[
    Path, option("--to", "The folder to write into; created if missing.", "DIR", callback=placed)
]
Open = Annotated[bool, option("--open", "Serve it on this machine and open it in the browser.")]
Overwrite = Annotated[bool, option("--overwrite", "Replace files that exist.")]


def make_folder(folder: Path):
    """Make a folder to write into; ValueError where that cannot be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ValueError(f"{shortened(folder)} cannot be a folder: {error.strerror}.") from error
    if not os.access(folder, os.W_OK):
        raise ValueError(f"you may not write into {shortened(folder)}.")


def check_new(files, overwrite):
    """Raise ValueError where a file is there already, unless it may be written anew."""
    there = [file for file in files if file.exists()]
    if there and not overwrite:
        more = f", and {len(there) - 1} more," if len(there) > 1 else ""
        raise ValueError(f"{shortened(there[0])}{more} is there already: give --overwrite.")


def run_jobs(jobs, to, show="", at_once=1):
    """Run the jobs, by the names of the files that they write into `to`.

    show: the file in `to` that is served and opened in the browser in the end.
    at_once: if several run at a time, each is in a process, and the last one comes after them.
    """
    make_folder(to)
    todo = [*jobs.values()]
    with tqdm(total=len(todo), unit="job", disable=None) as bar:
        if at_once > 1:
            for _ in _in_processes([todo.pop(0) for _ in todo[1:]], at_once):
                bar.update()
        for job in todo:
            job()
            bar.update()
    files = sum(1 + name.count(", ") for name in jobs)  # a job may write "a.svg, .png"
    typer.echo(f"Files written to {shortened(to)}: {files}.")
    if show:
        serve(to, show)


def _in_processes(jobs, at_once):
    """Yield as the jobs end, each in one of so many processes; an error ends those that wait."""
    with ProcessPoolExecutor(at_once) as pool:
        running = [pool.submit(job) for job in jobs]
        try:
            for done in as_completed(running):
                yield done.result()
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def serve(folder, file):
    """Serve a folder to this machine alone, open a file of it in the browser, and go on."""
    import webbrowser
    from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

    quiet = type("Quiet", (SimpleHTTPRequestHandler,), {"log_message": lambda *_: None})
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(quiet, directory=folder)) as server:
        address = f"http://127.0.0.1:{server.server_port}/{file}"
        typer.echo(f"Served at {address} until you press Ctrl-C.")
        webbrowser.open(address)
        server.serve_forever()
