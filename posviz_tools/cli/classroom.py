"""Commands for a class: exercises handed out, solved, graded; a guide; progress."""

import secrets
from pathlib import Path
from typing import Annotated

import typer

from posviz.wording import shortened
from posviz_tools.cli import arguments, common
from posviz_tools.cli.common import argument, check_new, command, option

SOLVED = "With solutions, and the feedback for every known mistake."
SEED = "Seed of the hidden test inputs.  [default: a new one]"
SHARE = "The share of the points that a named mistake earns."
WHOM = "Who grades it: self, nbgrader or otter."
Share = Annotated[float, option("--partial", SHARE, "SHARE", min=0, max=1)]
Seed = Annotated[int | None, option("--seed", SEED, "N", min=0)]
Graded = Annotated[str | None, argument("LESSON", "For example 05.  [default: what most answer]")]


@command()
def assign(
    lesson: common.OneLesson,
    to: common.To,
    kind: Annotated[str, option("--for", WHOM, "WHOM")] = "self",
    solved: Annotated[bool, option("--solved", SOLVED)] = False,
    without_hints: Annotated[bool, option("--without-hints", "Leave the hints out.")] = False,
    share: Share = 0,
    seed: Seed = None,
    overwrite: common.Overwrite = False,
):
    """Write a notebook with only the exercises of a lesson.

    For nbgrader and otter-grader it is the instructor's, with solutions and hidden tests:
    `nbgrader generate_assignment` and `otter assign` make the students' of it.

    \b
    posviz assign 05 --to lab/
    posviz assign 05 --for nbgrader --without-hints --partial 0.5 --to course/
    posviz assign 05 --solved --to instructors/
    """
    from posviz_tools.classroom.assign import KINDS, assign, file_of, write_solutions

    if kind not in KINDS:
        arguments.closest("--for", kind, KINDS)
    if share and (solved or kind == "self"):
        raise ValueError("a sheet without a grader takes no --partial: give it to `posviz grade`.")
    row = arguments.row_of(lesson)
    notebook = arguments.notebooks()[row.notebook]
    file = file_of(row, "solved" if solved else kind, to)
    check_new([file], overwrite)
    if solved:
        write_solutions(row, notebook, file)
    else:
        assign(row, notebook, kind, file, _choose_seed(seed), not without_hints, share)
    typer.echo(f"{'Solutions' if solved else 'Exercises'} written to {shortened(file)}.")


@command()
def grade(
    folder: Annotated[Path, argument("FOLDER", "The folder with the class's notebooks.")],
    lesson: Graded = None,
    share: Share = 0,
    seed: Seed = None,
    overwrite: common.Overwrite = False,
):
    """Grade a class's notebooks, and write tables and a page of its mistakes.

    A student's name is the name of the notebook, or of the folder around it. The command writes
    grades.csv (one line for each student), details.csv (one for each answer) and grades.html into
    the class's folder.

    \b
    posviz grade handed_in/
    posviz grade handed_in/ 05 --partial 0.5
    """
    from posviz_tools.classroom import grade, submission
    from posviz_tools.classroom.report import report

    check_new([folder / name for name in grade.FILES], overwrite)
    wanted = arguments.row_of(lesson) if lesson else None
    paths = {arguments.row_of(name): path for name, path in arguments.notebooks().items()}
    work, seed = grade.submissions(folder, paths), _choose_seed(seed)
    graded = grade.lesson_of(work, folder, wanted)
    typer.echo(submission.protection(), err=True)
    verdicts = grade.grade(work, graded, paths[graded], seed, share)
    files = [*grade.write(verdicts, folder), report(verdicts, folder, graded.heading)]
    typer.echo(f"Grades of {graded.heading} written to {', '.join(map(shortened, files))}.")
    typer.echo(f"{grade.summary(verdicts)}. {grade.remarks(verdicts)}".rstrip())
    typer.echo(f"To repeat this grading exactly: --seed {seed}")


@command()
def guide(to: common.To, overwrite: common.Overwrite = False):
    """Write an instructor's guide to the course, and its quiz for learning platforms.

    \b
    posviz guide --to instructors/
    """
    from posviz_tools.classroom.guide import FILES, write_guide

    check_new([to / name for name in FILES], overwrite)
    typer.echo("\n".join(map(shortened, write_guide(arguments.notebooks(), to))))


def _choose_seed(seed) -> int:
    return secrets.randbelow(2**31) if seed is None else seed


@command()
def progress():
    """Show which predictions and exercises you have answered on this machine."""
    from posviz_course.progress import report

    typer.echo("\n".join(report()))
