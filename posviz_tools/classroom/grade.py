"""Grade a class: which lesson its notebooks answer, each student's points, and every mistake."""

import contextlib
import csv
import functools
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

from IPython import get_ipython
from tqdm import tqdm

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
    found = []
    for path, parts in names.items():
        student = parts[0] if count[parts[0]] < 2 else "/".join(parts)
        if not _is_notebook(path) and (count[parts[0]] or path != first[parts[0]]):
            continue
        try:
            cells = code_cells(folder / path)
            found.append(Submission(student, cells, "", _answered("\n".join(cells), lessons)))
        except (OSError, RuntimeError):
            found.append(Submission(student, [], f"{path.name} is not a notebook.", None))
    return found


def code_cells(file: Path) -> list[str]:
    """The code cells of a notebook; OSError or RuntimeError where it cannot be read."""
    return [cell.source for cell in read(file).cells if cell.cell_type == "code"]


def _is_notebook(path: Path) -> bool:
    return path.suffix.lower() == ".ipynb"


def _answered(code: str, lessons: dict[Lesson, Path]) -> Lesson | None:
    """The lesson of whose names, of answers and of checkers, the code has the largest part."""
    words, parts = set(re.findall(r"\w+", code)), {}
    for lesson, notebook in lessons.items():
        names = {name for e in of_lesson(notebook) for name in (e.name, e.checker_name)}
        parts[lesson] = len(names & words) / max(len(names), 1)
    best, *others = [each for each in parts if parts[each] == max(parts.values())]
    return None if others or not parts[best] else best


def _called(lesson) -> str:
    return f"lesson {lesson.number}" if lesson.number else "the examination"


def lesson_of(
    notebooks: Sequence[Submission], folder: Path, wanted: Lesson | None = None
) -> Lesson:
    """The lesson that most notebooks answer.

    Raises RuntimeError where another one is wanted, where there are two, or none.
    """
    found = Counter(each.lesson for each in notebooks if each.lesson).most_common()
    if not found:
        raise RuntimeError("no notebook has an answer to an exercise of the course.")
    first, count = found[0]
    most = [lesson for lesson, answers in found if answers == count]
    if wanted and wanted not in most:
        readable = sum(not each.fault for each in notebooks)
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
            _row(each.student, feedback, share)
            for each, verdicts in zip(notebooks, done, strict=True)
            for feedback in verdicts
        ]


def _bounded():
    """In a process that grades: what a submission asks it to compute must fit, too."""
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
            found = replace(lent, message=f"What is wrong follows from exercise {labels}.")
        elif lent.mistake:
            found = lent
    return replace(found, title=exercise.label)


def _calls(cells, name) -> bool:
    """Whether cells have a call of a function beside its definition."""
    return bool(re.search(rf"(?<!def )\b{name}\(", "\n".join(cells)))


def verdict(
    exercise: Exercise,
    cells: Iterable[str],
    seed: int,
    instead: dict[str, Callable] | None = None,
) -> Feedback:
    """What a checker says of what a submission's cells call by an exercise's name.

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
    """Let this kernel run hidden tests alone: they run the submission, with its limits.

    A hidden test has the line that sets the seed, which no student knows.
    """
    line = f"seed = {seed}\n"
    transformers = get_ipython().input_transformers_cleanup
    transformers.insert(0, lambda lines: lines if line in lines else [])


def require(notebook: Path, name: str, file: Path | str, seed: int) -> None:
    """Print the verdict on an answer in a file; if it is not right, raise AssertionError.

    This is what hidden tests call. notebook: of the lesson.
    """
    cells = tuple(code_cells(Path(file)))
    number = [each.name for each in of_lesson(notebook)].index(name)
    # nbgrader gives no points where anything is written to stderr, such as a warning.
    with contextlib.redirect_stderr(io.StringIO()):
        feedback = _verdict_on(number, cells, notebook, seed)
    if not feedback:
        raise AssertionError(feedback.message)
    print(f"{feedback.heading}. {feedback.message}")


def _row(student: str, feedback: Feedback, share: float) -> Row:
    mistake = "" if feedback else feedback.mistake or feedback.status
    if "posviz's own" in feedback.message:
        mistake = "posviz's own code used"
    if package := _ABSENT.search(feedback.message):
        mistake = f"{package[1]} is missing here"
    points = feedback.points + share * POINTS * (feedback.status == "mistake")
    return Row(student, feedback.title, points, mistake, feedback.message)


def by_student(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """The rows of each student, one for each exercise, in the lesson's order."""
    found = defaultdict[str, list[Row]](list)
    for row in rows:
        found[row.student].append(row)
    return found


def total(rows: Iterable[Row]) -> float:
    """The sum of points."""
    return sum(row.points for row in rows)


def summary(rows: Iterable[Row]) -> str:
    """As "6 students, mean 15.0 of 30 points": of those that were graded."""
    graded = by_student(row for row in rows if row.graded)
    sums = [total(own) for own in graded.values()]
    most = POINTS * max(map(len, graded.values()))
    return f"{len(sums)} student{'s' * (len(sums) != 1)}, mean {mean(sums):.1f} of {most} points"


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
