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
        help="Draws the inputs that nobody has seen.  [default: a new one]",
    ),
]


@app.command()
def assign(
    lesson: Annotated[str, LESSON],
    to: Annotated[Path, To],
    kind: Annotated[
        str, typer.Option("--for", help="self, nbgrader or otter.", metavar="WHOM")
    ] = "self",
    solved: Annotated[
        bool, typer.Option("--solved", help="With every solution, and every mistake named.")
    ] = False,
    seed: Seed = None,
    notebooks: Notebooks = None,
    overwrite: Overwrite = False,
):
    """Write a notebook that has a lesson's exercises alone.

    For nbgrader and otter-grader it is the instructor's, with solutions and hidden tests:
    `nbgrader generate_assignment` and `otter assign` make the students' of it.

    \b
    posviz assign 05 --to lab/
    posviz assign 05 --for nbgrader --to course/
    posviz assign 05 --solved --to instructors/
    """
    unwind_when_stopped()
    with refusals():
        from posviz.classroom.assign import KINDS, assign
        from posviz.classroom.solutions import write_solutions
        from posviz.cli import arguments

        if kind not in KINDS:
            arguments.closest("--for", kind, KINDS)
        row, notebook = _lesson_and_notebook(lesson, notebooks)
        check_folder(to)
        if solved:
            check_new([to / f"{row.notebook}_solutions.ipynb"], overwrite)
            file = write_solutions(row, notebook, to)
        else:
            file = assign(row, notebook, kind, to, _drawn(seed), overwrite)
    typer.echo(f"{'Solutions' if solved else 'Exercises'} written to {shortened(file)}.")


@app.command()
def grade(
    folder: Annotated[
        Path,
        typer.Argument(show_default=False, help="Of the class.", metavar="FOLDER"),
    ],
    lesson: Annotated[str, LESSON],
    seed: Seed = None,
    notebooks: Notebooks = None,
    overwrite: Overwrite = False,
):
    """Grade the notebooks of a class: a table, and a page and a picture of its mistakes.

    A notebook is called as its student, or lies in a folder that is. What is written, grades.csv,
    grades.html and grades.png, lies in their folder.

    \b
    posviz grade handed_in/ 05
    """
    unwind_when_stopped()
    with refusals():
        from posviz.classroom import grade, submission
        from posviz.classroom.report import report

        _, notebook = _lesson_and_notebook(lesson, notebooks)
        table, seed = folder / "grades.csv", _drawn(seed)
        check_new([table], overwrite)
        typer.echo(submission.protection(), err=True)
        rows = grade.grade(folder, notebook, seed)
    try:
        files = [grade.write(rows, table), *report(table)]
    except OSError as error:
        raise failed(error) from None
    typer.echo(f"Grades written to {', '.join(map(shortened, files))}. Their inputs: --seed {seed}")


@app.command()
def guide(to: Annotated[Path, To], notebooks: Notebooks = None, overwrite: Overwrite = False):
    """Write an instructor's guide to the course, and its quiz for learning platforms.

    \b
    posviz guide --to instructors/
    """
    unwind_when_stopped()
    try:
        with refusals():
            from posviz.classroom.guide import write_guide
            from posviz.cli import arguments

            check_folder(to)
            check_new([to / "guide.html"], overwrite)
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
        bool, typer.Option("--json", help="Each answer with its day, to hand in.")
    ] = False,
):
    """Tell which predictions and exercises you have answered on this machine, by lesson.

    \b
    posviz progress
    posviz progress --json > result.json
    """
    from posviz.teaching import progress

    with refusals():
        told = progress.result() if as_json else progress.report()
    typer.echo(json.dumps(told, indent=1, ensure_ascii=False) if as_json else "\n".join(told))
