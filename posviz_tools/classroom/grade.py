"""Grade a class: which lesson its notebooks answer, each student's points, and every mistake."""

import contextlib
import csv
import functools
import io
import json
import os
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from statistics import mean
from typing import NamedTuple

from IPython import get_ipython
from tqdm import tqdm

from posviz.teaching.feedback import POINTS, Feedback
from posviz.wording import reason
from posviz_course.course import Lesson
from posviz_tools.classroom import submission
from posviz_tools.classroom.exercises import Exercise, of_lesson
from posviz_tools.publish.assets import write_file

FILES = ("grades.csv", "details.csv", "grades.html")
NOT_GRADED = "not graded: "
# Hidden, put there by a tool, or written for students: no work that is handed in.
_ASIDE = re.compile(
    r"(^|/)([.~]|__|feedback/|Thumbs\.db$|desktop\.ini$)|^(" + "|".join(FILES) + ")$"
)
_ABSENT = re.compile(r"needs (\S+), which is missing where")
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
            return "no notebook that can be read"
        return _called(self.lesson) if self.lesson not in (None, lesson) else ""


class Row(NamedTuple):
    """The verdict on one answer.

    mistake: the name of a known one, or else "wrong", "error", "not attempted"; "" where right.
    feedback: the sentence that goes with it.
    """

    student: str
    exercise: str
    points: float
    mistake: str
    feedback: str

    @property
    def graded(self) -> bool:
        """Whether the notebook can be read and answers the lesson."""
        return not self.mistake.startswith(NOT_GRADED)


def submissions(folder: Path, lessons: dict[Lesson, Path]) -> list[Submission]:
    """The notebooks of students, who are called as the files of a folder, or as folders in it.

    lessons: the notebooks of all lessons. Where a student has several notebooks, each is named by
    its path; where a student has none, the first file is named, or the folder. Raises RuntimeError
    where there are no notebooks at all.
    """
    own = defaultdict[str, list[Path]](list)
    for entry in sorted(folder.glob("*")):
        is_folder = entry.is_dir()
        inner = sorted(entry.rglob("*")) if is_folder else [entry]
        paths = [path.relative_to(folder) for path in inner if not path.is_dir()]
        kept = [path for path in paths if not _ASIDE.search(path.as_posix())]
        if not _ASIDE.search(f"{entry.name}/" if is_folder else entry.name):
            own[entry.name if is_folder else entry.stem] += kept or [Path(entry.name)]
    if not any(_is_notebook(path) for paths in own.values() for path in paths):
        raise RuntimeError(f"there are no notebooks in {folder}")
    return [each for who, paths in own.items() for each in _of(who, paths, folder, lessons)]


def _of(student, paths, folder, lessons) -> Iterator[Submission]:
    """A student's notebooks; where there are none, what tells what is there."""
    notebooks = [path for path in paths if _is_notebook(path)]
    for path in notebooks or paths[:1]:
        name = "/".join(path.with_suffix("").parts) if len(notebooks) > 1 else student
        try:
            cells = code_cells(folder / path)
            yield Submission(name, cells, "", _answered("\n".join(cells), lessons))
        except RuntimeError as error:
            yield Submission(name, [], str(error), None)


def code_cells(file: Path) -> list[str]:
    """The code cells of a notebook, however odd the rest of it; RuntimeError where it is none."""
    if file.is_dir():
        raise RuntimeError(f"The folder {file.name} has no notebook.")
    if not _is_notebook(file):
        raise RuntimeError(f"{file.name} is not a notebook.")
    try:
        found = json.loads(file.read_bytes())  # in UTF-8 or UTF-16
        sheets = [found] if "cells" in found else found["worksheets"]
        cells = [cell for sheet in sheets for cell in sheet["cells"]]
        texts = [c.get("source", c.get("input", "")) for c in cells if c["cell_type"] == "code"]
        return ["".join(text) for text in texts]
    except OSError as error:
        raise RuntimeError(f"{file.name} cannot be read: {reason(error)}.") from None
    except (ValueError, RecursionError) as error:
        why = f"it is no JSON ({error})" if file.stat().st_size else "it is empty"
    except (LookupError, TypeError, AttributeError):
        why = "it has no cells"
    raise RuntimeError(f"{file.name} is not a notebook: {why}.")


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
    return [_verdict_on(n, tuple(work.cells), notebook, seed) for n in range(len(exercises))]


@functools.lru_cache(maxsize=50)  # of a submission: an exercise asks for the verdicts before it
def _verdict_on(number: int, cells: tuple[str, ...], notebook: Path, seed: int) -> Feedback:
    """The verdict on an exercise of a lesson's notebook, by its number from 0.

    If it is not right and calls earlier answers that are wrong, their references stand for them.
    """
    exercise, *before = of_lesson(notebook)[number::-1]
    found = verdict(exercise, cells, seed)
    wrong = [
        each
        for n, each in enumerate(reversed(before))
        if not found and _calls(cells, each.name) and not _verdict_on(n, cells, notebook, seed)
    ]
    if wrong:
        lent = verdict(exercise, cells, seed, {e.name: e.checker.reference for e in wrong})
        if lent:
            labels = " and ".join(each.label.split()[0] for each in wrong)
            message = f"This answer is right. Only exercise {labels}, which it calls, is wrong."
            found = replace(lent, message=message)
        elif lent.mistake:
            found = lent
    return replace(found, title=exercise.label)


def _calls(cells, name) -> bool:
    """Return whether the cells call a function, and do not only define it."""
    return bool(re.search(rf"(?<!def )\b{name}\(", "\n".join(cells)))


def verdict(
    exercise: Exercise,
    cells: Iterable[str],
    seed: int,
    instead: dict[str, Callable] | None = None,
) -> Feedback:
    """Return a checker's feedback on what a submission's cells define by an exercise's name.

    The seed draws the inputs. instead: what stands for other answers, by name.
    """
    check = replace(exercise.checker, seed=(seed,))
    code = [_MAGIC.sub("", cell) for cell in cells]
    try:
        with submission.answer(code, exercise.name, exercise.lent, instead) as found:
            return check(found, solution=False)
    except Exception as error:  # such as a limit that is met between two calls
        message = getattr(error, "sentence", "") or f"Your code stopped: {reason(error)}"
        return Feedback("error", check.title, message)


# ---------------------------------------------------------------- in the kernel of another grader


def run_only_tests(seed: int) -> None:
    """Let the kernel of nbgrader's autograde run hidden tests alone: they run the submission.

    A hidden test has the line that sets the seed, which no student knows.
    """
    if os.environ.get("NBGRADER_EXECUTION") == "autograde":
        line = f"seed = {seed}\n"
        transformers = get_ipython().input_transformers_cleanup
        transformers.insert(0, lambda lines: lines if line in lines else [])


class NoPoints(AssertionError):
    """An answer gets no points: a notebook shows the sentence without a traceback."""

    def _render_traceback_(self):  # IPython asks for it
        return [str(self)]


def require(notebook: Path, name: str, file: Path | str, seed: int, share: float = 0) -> float:
    """Print the verdict on an answer in a file, and return its points; NoPoints for none.

    This is what hidden tests call. notebook: of the lesson; share: as in `grade`. A file that was
    given another name is the only notebook where the test runs.
    """
    if not (file := Path(file)).exists():
        [file] = Path().glob("*.ipynb")
    cells = tuple(code_cells(file))
    number = [each.name for each in of_lesson(notebook)].index(name)
    # nbgrader gives no points where anything is written to stderr, such as a warning.
    with contextlib.redirect_stderr(io.StringIO()):
        feedback = _verdict_on(number, cells, notebook, seed)
    if not (points := _points(feedback, share)):
        raise NoPoints(feedback.message)
    print(f"{feedback.heading}. {feedback.message}")
    return points


def _points(feedback: Feedback, share: float) -> float:
    return share * POINTS if feedback.status == "mistake" else feedback.points


def _row(student: str, feedback: Feedback, share: float) -> Row:
    mistake = "" if feedback else feedback.mistake or feedback.status
    if "posviz's own" in feedback.message:
        mistake = "posviz's own code used"
    if package := _ABSENT.search(feedback.message):
        mistake = f"{package[1]} is missing here"
    return Row(student, feedback.title, _points(feedback, share), mistake, feedback.message)


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
    """As "6 notebooks, mean 15.0 of 30 points": of those that were graded."""
    graded = by_student(row for row in rows if row.graded)
    sums = [total(own) for own in graded.values()]
    most = POINTS * max(map(len, graded.values()))
    notebooks = "1 notebook" if len(sums) == 1 else f"{len(sums)} notebooks"
    return f"{notebooks}, mean {mean(sums):.1f} of {most} points"


def left_out(rows: Iterable[Row]) -> str:
    """As "2 of 8 were not graded: fritz (lesson 06), gina (not a notebook)."; "" for none."""
    first = [own[0] for own in by_student(rows).values()]
    why = [f"{r.student} ({r.mistake[len(NOT_GRADED) :]})" for r in first if not r.graded]
    verb = "was" if len(why) == 1 else "were"
    return f"{len(why)} of {len(first)} {verb} not graded: {', '.join(why)}." if why else ""


def remarks(rows: list[Row]) -> str:
    """Who was not graded, who has several notebooks, which packages are missing; "" for nothing."""
    told = [left_out(rows)]
    count = Counter(student.partition("/")[0] for student in by_student(rows))
    if several := [f"{student} ({n})" for student, n in count.items() if n > 1]:
        told.append(f"With several notebooks, of which each is graded: {', '.join(several)}.")
    need = Counter(row.mistake for row in rows if _ABSENT.search(row.feedback))
    told += [f"{package} (answers that need it: {n})." for package, n in need.items()]
    return " ".join(filter(None, told))


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
