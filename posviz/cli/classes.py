"""Commands for a class: exercises handed out, solved, graded; a guide; progress."""

import json
import secrets
from pathlib import Path
from typing import Annotated

import typer

from posviz.cli.common import (
    LESSON,
    Notebooks,
    Overwrite,
    To,
    check_folder,
    check_new,
    failed,
    refusals,
    unwind_when_stopped,
)
from posviz.wording import shortened

app = typer.Typer()

Seed = Annotated[
    int | None,
    typer.Option(
        "--seed",
        min=0,
        metavar="N",
        help="Seed of the hidden test inputs.  [default: a new one]",
    ),
]


@app.command()
def assign(
    lesson: Annotated[str, LESSON],
    to: Annotated[Path, To],
    kind: Annotated[
        str, typer.Option("--for", help="Who grades it: self, nbgrader or otter.", metavar="WHOM")
    ] = "self",
    solved: Annotated[
        bool,
        typer.Option("--solved", help="With solutions, and the feedback for every known mistake."),
    ] = False,
    without_hints: Annotated[
        bool, typer.Option("--without-hints", help="Leave the hints out.")
    ] = False,
    seed: Seed = None,
    notebooks: Notebooks = None,
    overwrite: Overwrite = False,
):
    """Write a notebook with only the exercises of a lesson.

    For nbgrader and otter-grader it is the instructor's, with solutions and hidden tests:
    `nbgrader generate_assignment` and `otter assign` make the students' of it.

    \b
    posviz assign 05 --to lab/
    posviz assign 05 --for nbgrader --without-hints --to course/
    posviz assign 05 --solved --to instructors/
    """
    unwind_when_stopped()
    with refusals():
        from posviz.classroom.assign import KINDS, assign, place
        from posviz.classroom.solutions import write_solutions
        from posviz.cli import arguments

        if kind not in KINDS:
            arguments.closest("--for", kind, KINDS)
        row, notebook = _lesson_and_notebook(lesson, notebooks)
        check_folder(to)
        file = place(row, "solved" if solved else kind, to)
        check_new([file], overwrite)
        if solved:
            write_solutions(row, notebook, file)
        else:
            assign(row, notebook, kind, file, _drawn(seed), not without_hints)
    typer.echo(f"{'Solutions' if solved else 'Exercises'} written to {shortened(file)}.")


@app.command()
def grade(
    folder: Annotated[
        Path,
        typer.Argument(
            show_default=False, help="The folder with the class's notebooks.", metavar="FOLDER"
        ),
    ],
    lesson: Annotated[
        str | None,
        typer.Argument(
            show_default=False,
            help="For example 05.  [default: what most answer]",
            metavar="LESSON",
        ),
    ] = None,
    share: Annotated[
        float,
        typer.Option(
            "--partial",
            min=0,
            max=1,
            metavar="SHARE",
            help="The share of the points that a named mistake earns.",
        ),
    ] = 0,
    seed: Seed = None,
    notebooks: Notebooks = None,
    overwrite: Overwrite = False,
):
    """Grade a class's notebooks, and write tables, a page and a picture of its mistakes.

    A student's name is the name of the notebook, or of the folder around it. The command writes
    grades.csv (one line for each student), details.csv (one for each answer), grades.html and
    grades.png into the class's folder.

    \b
    posviz grade handed_in/
    posviz grade handed_in/ 05 --partial 0.5
    """
    unwind_when_stopped()
    with refusals():
        from posviz.classroom import handed_in

        check_new([folder / name for name in handed_in.FILES], overwrite)
        handed_in.notebooks_in(folder)  # before imports that take seconds

        from posviz.classroom import grade, submission
        from posviz.classroom.report import report
        from posviz.cli import arguments
        from posviz.course import EXAMINATION, LESSONS

        lessons = (*LESSONS, EXAMINATION)
        (wanted,) = arguments.lessons_named([lesson], lessons) if lesson else (None,)
        names = arguments.notebooks(notebooks)
        paths = {row: names[row.notebook] for row in lessons if row.notebook in names}
        work, seed = grade.submissions(folder, paths), _drawn(seed)
        found = grade.lesson_of(work, folder, wanted)
        typer.echo(submission.protection(), err=True)
        rows = grade.grade(work, found, paths[found], seed, share)
    try:
        files = [*grade.write(rows, folder), *report(rows, folder)]
    except OSError as error:
        raise failed(error) from None
    written = ", ".join(map(shortened, files))
    typer.echo(f"Grades of {found.heading} written to {written}.")
    typer.echo(f"{grade.summary(rows)}. {grade.left_out(rows)}".rstrip())
    typer.echo(f"To repeat this grading exactly: --seed {seed}")


@app.command()
def guide(to: Annotated[Path, To], notebooks: Notebooks = None, overwrite: Overwrite = False):
    """Write an instructor's guide to the course, and its quiz for learning platforms.

    \b
    posviz guide --to instructors/
    """
    unwind_when_stopped()
    try:
        with refusals():
            from posviz.classroom.guide import FILES, write_guide
            from posviz.cli import arguments

            check_folder(to)
            check_new([to / name for name in FILES], overwrite)
            files = write_guide(arguments.notebooks(notebooks), to)
    except OSError as error:
        raise failed(error) from None
    typer.echo("\n".join(map(shortened, files)))


def _lesson_and_notebook(text, folder):
    """The course's row of the lesson that is meant, and its notebook."""
    from posviz.cli import arguments
    from posviz.course import EXAMINATION, LESSONS

    (row,) = arguments.lessons_named([text], [*LESSONS, EXAMINATION])
    (notebook,) = arguments.lesson_notebooks([text], False, folder)
    return row, notebook


def _drawn(seed) -> int:
    return secrets.randbelow(2**31) if seed is None else seed


@app.command()
def progress(
    as_json: Annotated[
        bool, typer.Option("--json", help="Print each answer with its date, to hand in.")
    ] = False,
):
    """Show which predictions and exercises you have answered on this machine.

    \b
    posviz progress
    posviz progress --json > result.json
    """
    from posviz.teaching import progress

    with refusals():
        told = progress.result() if as_json else progress.report()
    typer.echo(json.dumps(told, indent=1, ensure_ascii=False) if as_json else "\n".join(told))
