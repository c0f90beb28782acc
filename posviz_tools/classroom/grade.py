"""Grade a class: which lesson its notebooks answer, each student's points, and every mistake."""

import csv
import io
import os
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from statistics import mean
from typing import NamedTuple

from tqdm import tqdm

import posviz
from posviz.teaching.checker import Checker
from posviz.teaching.feedback import POINTS, Feedback
from posviz.wording import reason
from posviz_course.course import Lesson
from posviz_tools.classroom import submission
from posviz_tools.classroom.exercises import Exercise, of_lesson
from posviz_tools.notebooks import read
from posviz_tools.publish.assets import write_file

FILES = ("grades.csv", "details.csv", "grades.html")
NOT_GRADED = "not graded: "
# Hidden, put there by a tool, or written for students: no work that is handed in.
_ASIDE = re.compile(
    r"(^|/)([.~]|__|feedback/|Thumbs\.db$|desktop\.ini$)|^(" + "|".join(FILES) + ")$"
)
_MAGIC = re.compile(r"^\s*[%!].*$", re.MULTILINE)


class Submission(NamedTuple):
    """A student's notebook: its code cells, or why it cannot be read, and the lesson it answers."""

    student: str
    cells: list[str]
    fault: str
    lesson: Lesson | None

    def left_out(self, lesson: Lesson) -> str:
        """Why it is not graded, in a few words; "" where it is."""
        if self.fault:
            return "not a notebook"
        return _called(self.lesson) if self.lesson not in (None, lesson) else ""


class Row(NamedTuple):
    """The verdict on one answer.

    mistake: the name of a known one, or else "wrong", "error", "not attempted"; "" where right.
    told: the sentence that goes with it.
    """

    student: str
    exercise: str
    points: float
    mistake: str
    told: str

    @property
    def graded(self) -> bool:
        """Whether the notebook can be read and answers the lesson."""
        return not self.mistake.startswith(NOT_GRADED)


def submissions(folder: Path, lessons: dict[Lesson, Path]) -> list[Submission]:
    """The notebooks below a folder, whose students are their files, or the folders these lie in.

    lessons: the notebooks of all lessons. Where a student has several notebooks, each is named by
    its path; where a student has none, the first file is named. Raises RuntimeError where there
    are no notebooks at all.
    """
    files = [path.relative_to(folder) for path in sorted(folder.rglob("*")) if not path.is_dir()]
    names = {p: p.with_suffix("").parts for p in files if not _ASIDE.search(p.as_posix())}
    count = Counter(parts[0] for path, parts in names.items() if _is_notebook(path))
    if not count:
        raise RuntimeError(f"there are no notebooks in {folder}")
    first = {names[path][0]: path for path in reversed(names)}
    handed_in = []
    for path, parts in names.items():
        student = parts[0] if count[parts[0]] < 2 else "/".join(parts)
        if not _is_notebook(path) and (count[parts[0]] or path != first[parts[0]]):
            continue
        try:
            cells = [c.source for c in read(folder / path).cells if c.cell_type == "code"]
            handed_in.append(Submission(student, cells, "", _answered("\n".join(cells), lessons)))
        except (OSError, RuntimeError):
            handed_in.append(Submission(student, [], f"{path.name} is not a notebook.", None))
    return handed_in


def _is_notebook(path: Path) -> bool:
    return path.suffix.lower() == ".ipynb"


def _answered(code: str, lessons: dict[Lesson, Path]) -> Lesson | None:
    """Return the lesson of which the code has the largest share of answers' and checkers' names."""
    words, parts = set(re.findall(r"\w+", code)), {}
    for lesson, notebook in lessons.items():
        names = {name for e in of_lesson(notebook) for name in (e.name, e.checker_name)}
        parts[lesson] = len(names & words) / max(len(names), 1)
    best, *others = [lesson for lesson in parts if parts[lesson] == max(parts.values())]
    return None if others or not parts[best] else best


def _called(lesson) -> str:
    return f"lesson {lesson.number}" if lesson.number else "the examination"


def lesson_of(
    notebooks: Sequence[Submission], folder: Path, wanted: Lesson | None = None
) -> Lesson:
    """The lesson that most notebooks answer.

    Raises RuntimeError where another one is wanted, where there are two, or none.
    """
    counts = Counter(notebook.lesson for notebook in notebooks if notebook.lesson).most_common()
    if not counts:
        raise RuntimeError("no notebook has an answer to an exercise of the course.")
    first, count = counts[0]
    most = [lesson for lesson, answers in counts if answers == count]
    if wanted and wanted not in most:
        readable = sum(not notebook.fault for notebook in notebooks)
        raise RuntimeError(
            f"{count} of {readable} notebooks answer {_called(first)}. "
            f"Did you mean `posviz grade {folder} {first.number or first.notebook}`?"
        )
    if len(most) > 1 and not wanted:
        listed = " and ".join(lesson.heading for lesson in most)
        raise RuntimeError(f"notebooks answer {listed}: name the lesson to grade.")
    return wanted or first


def grade(
    notebooks: Sequence[Submission], lesson: Lesson, notebook: Path, seed: int, share: float = 0
) -> list[Row]:
    """A row for each exercise of each submission, graded by a process for each core.

    The seed draws the inputs; share: the part of the points that a mistake with a name is worth.
    Raises RuntimeError on Windows.
    """
    if submission.resource is None:
        raise RuntimeError("Windows cannot limit a process: grade in WSL, on Linux or on macOS.")
    of_lesson(notebook)  # forked processes have the checkers already
    job = partial(_verdicts, lesson=lesson, notebook=notebook, seed=seed)
    with ProcessPoolExecutor(os.cpu_count(), get_context("fork"), _bounded) as pool:
        done = tqdm(pool.map(job, notebooks), total=len(notebooks), unit="file", disable=None)
        return [
            _row(notebook.student, feedback, share)
            for notebook, verdicts in zip(notebooks, done, strict=True)
            for feedback in verdicts
        ]


def _bounded():
    """Limit the memory of a grading process, which computes what submissions ask for."""
    most = 2 * submission.MEMORY
    submission.resource.setrlimit(submission.resource.RLIMIT_DATA, (most, most))


def _verdicts(work: Submission, *, lesson: Lesson, notebook: Path, seed: int) -> list[Feedback]:
    exercises = of_lesson(notebook)
    if why := work.left_out(lesson):
        message = work.fault or f"This notebook answers {why}."
        return [Feedback("error", e.label, message, NOT_GRADED + why) for e in exercises]
    wrong, verdicts = list[Exercise](), []
    for e in exercises:
        feedback = verdict(e.checker, e.name, e.lent, work.cells, seed)
        called = [earlier for earlier in wrong if _calls(work.cells, earlier.name)]
        if called and feedback.status not in ("correct", "not attempted"):
            feedback = _following(e, called, work.cells, seed) or feedback
        if not feedback:
            wrong.append(e)
        verdicts.append(replace(feedback, title=e.label))
    return verdicts


def _calls(cells, name) -> bool:
    """Return whether the cells call a function, and do not only define it."""
    return bool(re.search(rf"(?<!def )\b{name}\(", "\n".join(cells)))


def _following(exercise, called, cells, seed) -> Feedback:
    """Return the feedback once the earlier answers that it calls are replaced by references."""
    right = {earlier.name: earlier.checker.reference for earlier in called}
    cells, lent = [*cells, f"from posviz import {', '.join(right)}"], exercise.lent | right
    feedback = verdict(exercise.checker, exercise.name, lent, cells, seed)
    labels = " and ".join(earlier.label.split()[0] for earlier in called)
    return replace(feedback, message=f"What is wrong follows from exercise {labels}.")


def verdict(
    checker: Checker, name: str, lent: dict[str, Callable], cells: Iterable[str], seed: int
) -> Feedback:
    """Return a checker's feedback on what a submission's cells define by this name.

    lent: what these may use of posviz. The seed draws the inputs.
    """
    check = replace(checker, seed=(seed,))
    code = [_MAGIC.sub("", cell) for cell in cells]
    try:
        with submission.answer(code, name, lent) as answer:
            return check(answer, solution=False)
    except Exception as error:  # such as a limit that is met between two calls
        message = getattr(error, "sentence", "") or f"Your code stopped: {reason(error)}"
        return Feedback("error", check.title, message)


def require(
    checker: Checker, name: str, cells: Iterable[str], *, lent: Iterable[str], seed: int
) -> None:
    """Raise AssertionError, with the feedback, unless the cells answer the exercise.

    This is what hidden tests call: the kernel's cells, `In`, run again in a process of their own.
    """
    feedback = verdict(checker, name, {key: getattr(posviz, key) for key in lent}, cells, seed)
    if not feedback:
        raise AssertionError(feedback.message)


def _row(student: str, feedback: Feedback, share: float) -> Row:
    mistake = "" if feedback else feedback.mistake or feedback.status
    if "posviz's own" in feedback.message:
        mistake = "posviz's own code used"
    points = share * POINTS if feedback.status == "mistake" else feedback.points
    return Row(student, feedback.title, points, mistake, feedback.message)


def by_student(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """The rows of each student, one for each exercise, in the lesson's order."""
    by_name = defaultdict[str, list[Row]](list)
    for row in rows:
        by_name[row.student].append(row)
    return by_name


def total(rows: Iterable[Row]) -> float:
    """The sum of points."""
    return sum(row.points for row in rows)


def summary(rows: Iterable[Row]) -> str:
    """As "6 students, mean 15.0 of 30 points": of those that were graded."""
    graded = by_student(row for row in rows if row.graded)
    sums = [total(own) for own in graded.values()]
    most = POINTS * max(map(len, graded.values()))
    students = "1 student" if len(sums) == 1 else f"{len(sums)} students"
    return f"{students}, mean {mean(sums):.1f} of {most} points"


def left_out(rows: Iterable[Row]) -> str:
    """As "2 of 8 were not graded: fritz (lesson 06), gina (not a notebook)."; "" for none."""
    first = [own[0] for own in by_student(rows).values()]
    why = [f"{r.student} ({r.mistake[len(NOT_GRADED) :]})" for r in first if not r.graded]
    verb = "was" if len(why) == 1 else "were"
    return f"{len(why)} of {len(first)} {verb} not graded: {', '.join(why)}." if why else ""


def write(rows: list[Row], folder: Path) -> list[Path]:
    """Write grades.csv, a line for each student, and details.csv, one for each answer."""
    exercises = dict.fromkeys(row.exercise for row in rows)
    table = [("student", *exercises, "sum")]
    for student, own in by_student(rows).items():
        table.append((student, *(f"{row.points:g}" for row in own), f"{total(own):g}"))
    details: list[Iterable[str]] = [Row._fields]
    for who, exercise, points, *rest in rows:
        details.append((who, exercise, f"{points:g}", *rest))
    return [_csv(table, folder / FILES[0]), _csv(details, folder / FILES[1])]


def _csv(lines: Iterable[Iterable[str]], file: Path) -> Path:
    text = io.StringIO()
    csv.writer(text).writerows(lines)
    return write_file(file, text.getvalue().encode())
