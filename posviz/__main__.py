"""The command line: `posviz list`, `export`, `page`, `slides`, `rerun`, `config` and others.

What the commands do is imported when they are called, so that help comes at once.
"""

import contextlib
import json
import os
import secrets
import signal
import stat
import sys
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from posviz.engine.places import placed
from posviz.publish.stopping import unwind_on
from posviz.wording import shortened

app = typer.Typer(
    help="Figures, animations, pages and slides of the course on positional encodings.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
    no_args_is_help=True,
)

Lessons = Annotated[
    list[str] | None,
    typer.Option("--lesson", help="A lesson, as 05 or rope; may be given again.", metavar="LESSON"),
]
Everything = Annotated[bool, typer.Option("--all", help="All of them.")]
Notebooks = Annotated[
    Path | None,
    typer.Option(
        "--notebooks",
        help="The folder of the notebooks.",
        metavar="DIR",
        callback=lambda folder: folder and placed(folder),
    ),
]
To = typer.Option(
    "--to", help="The folder to write into; made if need be.", metavar="DIR", callback=placed
)

_LESSON = typer.Option("--lesson", help="A lesson, as 05 or rope.", metavar="LESSON")
Seed = Annotated[
    int | None,
    typer.Option(
        "--seed", min=0, help="Draws the inputs that nobody has seen.  [default: a new one]"
    ),
]

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


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


@app.command("list")
def list_(
    lesson: Lessons = None,
    files: Annotated[bool, typer.Option("--files", help="The lesson's files instead.")] = False,
):
    """Every picture with its knobs: default, what is allowed, label, and what moves.

    \b
    posviz list
    posviz list --lesson 05
    posviz list --lesson 05 --files
    posviz list | grep d_model
    """
    from posviz import course
    from posviz.publish import arguments, inventory

    with refusals():
        if files:
            lines = inventory.files(arguments.lessons_named(lesson) if lesson else course.LESSONS)
        else:
            lines = inventory.lines(arguments.pictures(lessons=lesson or (), everything=not lesson))
    typer.echo("\n".join(lines))


@app.command()
def export(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME...", show_default=False)
    ] = None,
    lesson: Lessons = None,
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
    dark: Annotated[bool, typer.Option("--dark", help="Light on a dark background.")] = False,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", help="A knob's value; may be given again.", metavar="KNOB=VALUE"),
    ] = None,
    knob: Annotated[
        str | None,
        typer.Option(
            "--animate",
            help="The knob that moves in a gif or mp4.  [default: as `posviz list` tells]",
            metavar="KNOB",
        ),
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Write existing files anew.")
    ] = False,
):
    """Write figures and animations of pictures.

    \b
    posviz export SinusoidalTable --set d_model=128 --set base=500000
    posviz export --lesson 05 --to talk/ --format svg,png --style slide --dark
    posviz export RotatingVectors --format mp4 --animate query
    posviz export --all --format pdf --style paper
    """
    from posviz.engine import animation
    from posviz.publish import arguments, export_jobs

    with refusals():
        chosen = arguments.pictures(names or (), lesson or (), everything)
        formats = arguments.formats(kinds or (), animated=knob is not None)
        look = (arguments.style(style), dark)
        values, notes = arguments.settings(chosen, set_ or ())
        filmed, more = arguments.filmed_knobs(chosen, knob)
        _check_folder(to)
        if "mp4" in formats:
            animation.find_ffmpeg()
    for note in notes + more:
        typer.echo(note, err=True)
    jobs, kept = export_jobs.plan(values, filmed, formats, to, *look, overwrite)
    if kept:
        typer.echo(
            f"Existing files kept, whatever they show: {len(kept)}; --overwrite writes them anew.",
            err=True,
        )
    _run(jobs, to)


@app.command()
def page(
    lesson: Lessons = None,
    everything: Everything = False,
    to: Annotated[Path, To] = Path("site"),
    notebooks: Notebooks = None,
):
    """Write lessons as web pages that need no kernel and no network, and an index of them.

    \b
    posviz page --lesson 05 --to site/
    posviz page --all
    """
    from posviz.publish import arguments

    with refusals():
        chosen = arguments.lesson_notebooks(lesson or (), everything, notebooks)
        _check_folder(to)
        from posviz.publish.page import write_index, write_page
    _run({path.stem: partial(write_page, path, to) for path in chosen}, to, "Lessons", write_index)


@app.command()
def slides(
    lesson: Lessons = None,
    everything: Everything = False,
    to: Annotated[Path, To] = Path("slides"),
    notebooks: Notebooks = None,
    sections: Annotated[
        str | None,
        typer.Option(help="These sections alone, as 2,5,8.  [default: all]", metavar="NUMBERS"),
    ] = None,
    minutes: Annotated[
        float | None,
        typer.Option(
            min=1, help="What fits: sections that the lesson names for a lecturer come first."
        ),
    ] = None,
):
    """Write lessons as slides for a browser: all of them, or for a lecture.

    \b
    posviz slides --lesson 05 --to talk/
    posviz slides --lesson 05 --sections 2,5,8
    posviz slides --lesson 05 --minutes 20
    """
    from posviz.publish import arguments

    with refusals():
        chosen = arguments.lesson_notebooks(lesson or (), everything, notebooks)
        if sections and minutes:
            raise ValueError("choose --sections or --minutes, not both.")
        numbers = arguments.numbers(sections) if sections else ()
        _check_folder(to)
        from posviz.publish import lecture
        from posviz.publish.slides import write_slides
    choose: Callable = list
    if numbers:
        choose = partial(lecture.only, wanted=numbers)
    elif minutes:
        choose = partial(lecture.fitting, minutes=minutes)
    _run({path.stem: partial(write_slides, path, to, choose) for path in chosen}, to, "Lessons")


@app.command()
def proof(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME...", show_default=False)
    ] = None,
    lesson: Lessons = None,
    everything: Everything = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="In a browser, anew whenever the file is saved.")
    ] = False,
    to: Annotated[Path, To] = Path("figures/proofs"),
):
    """Show a picture in every style and at every knob's ends, and tell what is wrong there.

    A name is a picture's, or a file that defines one.

    \b
    posviz proof AngleTable
    posviz proof my_picture.py --watch
    posviz proof --lesson 05
    """
    from posviz.publish import arguments

    with refusals():
        files = arguments.picture_files(names or (), lesson or (), everything)
        if watch and len(files) != 1:
            raise ValueError(f"--watch shows one picture, and got {len(files)}.")
        _check_folder(to)
    if watch:
        _watch(files[0])
        return
    from posviz.publish.proof import write

    faults = 0
    for file in files:
        try:
            sheet, found = write(file, to)
        except OSError as error:
            raise _failed(error) from None
        typer.echo("\n".join([*found, f"{sheet}: faults: {len(found)}"]))
        faults += len(found)
    if len(files) == 1 and _has_screen():
        typer.launch(str(sheet))
    raise typer.Exit(int(faults > 0))


def _watch(file):
    from posviz.publish.watch import Watch

    signal.signal(signal.SIGINT, signal.default_int_handler)
    watch = Watch(file, typer.echo)
    typer.echo(f"{watch.address} shows {file}; Ctrl-C ends it.")
    if _has_screen():
        typer.launch(watch.address)
    with contextlib.suppress(KeyboardInterrupt):
        watch.run()


def _failed(error) -> typer.Exit:
    """Tell in a line what went wrong after the arguments were found right."""
    from posviz.publish import batch

    said = batch.reason(error) if isinstance(error, OSError) else shortened(error)
    typer.echo(f"posviz: {said}", err=True)
    return typer.Exit(1)


def _has_screen() -> bool:
    return (
        os.name == "nt"
        or sys.platform == "darwin"
        or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    )


@app.command()
def rerun(
    lessons: Annotated[
        list[str] | None, typer.Argument(metavar="LESSON...", show_default=False)
    ] = None,
    everything: Everything = False,
    changed: Annotated[
        bool, typer.Option("--changed", help="Those that changed files reach, as git tells.")
    ] = False,
    notebooks: Notebooks = None,
):
    """Execute lessons in place, and tell which of their text has changed.

    \b
    posviz rerun 05
    posviz rerun --changed
    """
    from posviz.publish import arguments

    with refusals():
        if changed and (lessons or everything):
            raise ValueError("--changed chooses the lessons: leave out the others and --all.")
        chosen = arguments.lesson_notebooks(lessons or (), everything or changed, notebooks)
        from posviz.publish import rerun

        chosen = rerun.of_changed_files(chosen) if changed else chosen
    _unwind_when_stopped()
    for path in chosen:
        try:
            lines = rerun.rerun(path)
        except (OSError, RuntimeError) as error:
            raise _failed(error) from None
        size = f"{shortened(path.name)}: {path.stat().st_size / 1e6:.2f} MB"
        typer.echo("\n".join([size, *map(shortened, lines or ["no text changed"])]))


@app.command()
def assign(
    lesson: Annotated[str, _LESSON],
    to: Annotated[Path, To],
    kind: Annotated[
        str, typer.Option("--for", help="self, nbgrader or otter.", metavar="WHOM")
    ] = "self",
    seed: Seed = None,
    notebooks: Notebooks = None,
):
    """Write a notebook that has a lesson's exercises alone.

    For nbgrader and otter-grader it is the instructor's, with solutions and hidden tests:
    `nbgrader generate_assignment` and `otter assign` make the students' of it.

    \b
    posviz assign --lesson 05 --to lab/
    posviz assign --lesson 05 --for nbgrader --to course/
    """
    with refusals():
        from posviz.grading.assign import KINDS, assign
        from posviz.publish import arguments

        if kind not in KINDS:
            arguments.closest("--for", kind, KINDS)
        row, notebook = _lesson_and_notebook(lesson, notebooks)
        _check_folder(to)
        file = assign(row, notebook, kind, to, _drawn(seed))
    typer.echo(f"Exercises written to {shortened(file)}.")


@app.command()
def grade(
    folder: Annotated[Path, typer.Argument(show_default=False)],
    lesson: Annotated[str, _LESSON],
    seed: Seed = None,
    notebooks: Notebooks = None,
):
    """Grade the notebooks of a class, and write grades.csv into their folder.

    A notebook is called as its student, or lies in a folder that is.

    \b
    posviz grade handed_in/ --lesson 05
    """
    _unwind_when_stopped()
    with refusals():
        from posviz.grading import grade, submission

        _, notebook = _lesson_and_notebook(lesson, notebooks)
        seed = _drawn(seed)
        typer.echo(submission.protection(), err=True)
        rows = grade.grade(folder, notebook, seed)
    file = grade.write(rows, folder / "grades.csv")
    typer.echo(f"Grades written to {shortened(file)}. Their inputs: --seed {seed}")


@app.command()
def report(table: Annotated[Path, typer.Argument(metavar="GRADES", show_default=False)]):
    """Tell what a class got wrong: a page and a picture beside the table of its grades.

    \b
    posviz report handed_in/grades.csv
    """
    try:
        with refusals():
            from posviz.grading.report import report

            files = report(table)
    except OSError as error:
        raise _failed(error) from None
    typer.echo("\n".join(map(shortened, files)))


@app.command()
def solutions(
    lesson: Annotated[str, _LESSON], to: Annotated[Path, To], notebooks: Notebooks = None
):
    """Write a notebook in which every exercise is solved, and every mistake told.

    \b
    posviz solutions --lesson 05 --to instructors/
    """
    _unwind_when_stopped()
    with refusals():
        from posviz.grading.solutions import write_solutions

        row, notebook = _lesson_and_notebook(lesson, notebooks)
        _check_folder(to)
        file = write_solutions(row, notebook, to)
    typer.echo(f"Solutions written to {shortened(file)}.")


def _lesson_and_notebook(text, folder):
    """The course's row of the lesson that is meant, and its notebook."""
    from posviz.publish import arguments

    (row,) = arguments.lessons_named([text])
    (notebook,) = arguments.lesson_notebooks([text], False, folder)
    return row, notebook


def _drawn(seed) -> int:
    return secrets.randbelow(2**31) if seed is None else seed


@app.command()
def progress(
    as_json: Annotated[
        bool, typer.Option("--json", help="Each answer with its day, to hand in.")
    ] = False,
):
    """Tell which predictions and exercises you have answered on this machine, by lesson.

    \b
    posviz progress
    posviz progress --json > result.json
    """
    from posviz.exercises import progress

    with refusals():
        told = progress.result() if as_json else progress.report()
    typer.echo(json.dumps(told, indent=1, ensure_ascii=False) if as_json else "\n".join(told))


@app.command()
def config(
    file: Annotated[Path | None, typer.Argument(metavar="[FILE|NAME]", show_default=False)] = None,
    as_json: Annotated[bool, typer.Option("--json", help="All numbers, as JSON.")] = False,
):
    """What a model's config.json says about position, and what is often misread in it.

    Without a file, the names of the configurations that are built in. The exit status is 1 with
    warnings, and 2 for a file that cannot be read.

    \b
    posviz config
    posviz config "Gemma 4"
    posviz config config.json
    posviz config config.json --json | jq .kinds[0].frequencies[0]
    """
    from posviz.configs import read_config
    from posviz.configs.builtin import CONFIGS

    if file is None:
        typer.echo("\n".join(CONFIGS))
        return
    with refusals():
        try:
            reading = read_config(file if file.exists() else CONFIGS.get(str(file), file))
        except TypeError as error:
            raise ValueError(error) from error
        except OSError as error:
            raise ValueError(f"{file}: {error.strerror}") from error
    typer.echo(reading.to_json() if as_json else str(reading))
    raise typer.Exit(1 if reading.warnings else 0)


@app.command()
def sweep(
    name: Annotated[
        str, typer.Argument(metavar="[NAME]", help="lesson, small or large.")
    ] = "small",
    to: Annotated[Path, To] = Path("runs"),
    part: Annotated[
        str, typer.Option("--part", metavar="K/N", help="One of N equal parts.")
    ] = "1/1",
    device: Annotated[
        str, typer.Option("--device", help="Where: torch CPU, CUDA, MPS.")
    ] = "torch CPU",
    list_only: Annotated[bool, typer.Option("--list", help="Name the runs, do none.")] = False,
    status: Annotated[bool, typer.Option("--status", help="Tell what is done, do none.")] = False,
):
    """Train small models on short texts, test them on long ones; lesson 12 draws the results.

    Each run is a file: what is there is not done again, so stop it and start it again as you like.
    Parts can run on other machines; copy their files into one folder.

    \b
    posviz sweep --list
    posviz sweep small
    posviz sweep lesson --part 3/10 --to runs
    posviz sweep lesson --status --to runs
    """
    from posviz.lab import named

    with refusals():
        _check_folder(to)
        configs = named.part_of(named.named(name, device), part)
        if list_only or status:
            from posviz.lab import results

            lines = [f"{c.key}  {c}" for c in configs] if list_only else results.status(configs, to)
            typer.echo("\n".join(lines))
            return
        from posviz.lab.sweep import sweep
    _unwind_when_stopped()
    done = len(sweep(configs, to))
    typer.echo(f"Runs in {shortened(to)}: {done} of {len(configs)}.")
    raise typer.Exit(0 if done == len(configs) else 1)


@app.command()
def doctor():
    """Tell what works on this machine, and what to do about what does not."""
    from posviz.publish.doctor import checks

    failed = False
    for check in checks():
        typer.echo(str(check))
        failed = failed or check.fatal
    raise typer.Exit(int(failed))


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def start(context: typer.Context, to: Annotated[Path, To] = Path()):
    """Copy the lessons into this folder, or another, and open them in JupyterLab.

    What is there stays. Further options are JupyterLab's.

    \b
    posviz start
    posviz start --to course --port=8890
    """
    from importlib.util import find_spec

    from platformdirs import user_cache_path

    from posviz.publish import arguments
    from posviz.publish.start import become, copy_lessons, lab_command

    with refusals():
        if find_spec("jupyterlab") is None:
            raise ValueError("JupyterLab is missing: run `pip install 'posviz[lab]'`.")
        _check_folder(to)
        found = list(arguments.notebooks().values())
    new = copy_lessons(found, to.resolve())
    typer.echo(f"Lessons copied to {shortened(to.resolve())}: {new} new, {len(found) - new} kept.")
    workspaces = user_cache_path("posviz") / "workspaces"
    command = lab_command(sys.executable, to.resolve(), workspaces, context.args)
    sys.stdout.flush()  # before another program takes this one's place
    raise typer.Exit(become(command))


def _check_folder(to):
    try:
        folder = stat.S_ISDIR(to.stat().st_mode)
    except FileNotFoundError:  # it will be made
        return
    except OSError as error:  # a name too long, or one below a file
        told = f"--to {shortened(to)} cannot be a folder: {error.strerror}."
        raise ValueError(told) from error
    if not folder:
        raise ValueError(f"--to {shortened(to)} is not a folder.")
    from posviz.engine.killed import unfinished

    with unfinished(to):  # removes what was left there, even if nothing is to be written
        pass


def _run(jobs, to, what="Files", last=None):
    """Run the jobs, named by their files, then `last`; report what was written and what failed."""
    from posviz.publish import batch

    _unwind_when_stopped()
    failures = batch.run(jobs, "job")
    if last is not None and len(failures) < len(jobs):
        try:
            last(to)
        except Exception as error:  # the others are written all the same, and told
            failures["index"] = batch.reason(error)
    for name, reason in failures.items():
        typer.echo(f"failed: {shortened(name)}: {reason}", err=True)
    files = sum(1 + name.count(", ") for name in jobs if name not in failures)
    typer.echo(f"{what} written to {shortened(to)}: {files}.")
    raise typer.Exit(1 if failures else 0)


def _unwind_when_stopped():
    for number in _SIGNALS:
        unwind_on(number, partial(_Stopped, 128 + number))


class _Stopped(SystemExit):
    """SIGINT or SIGTERM; the exit status says which, as shells do."""


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
    for number in _SIGNALS:
        signal.signal(number, _leave_at_once)
    try:
        app()
    except _Stopped:
        _tell_stopped()
        raise


if __name__ == "__main__":
    main()
