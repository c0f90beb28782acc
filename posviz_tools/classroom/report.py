"""A page with the points of a class and its mistakes."""

from collections import Counter
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import NamedTuple

from posviz.teaching.feedback import POINTS
from posviz_tools.classroom.grade import FILES, Row, by_student, remarks, summary, total
from posviz_tools.classroom.quiz import TEMPLATES
from posviz_tools.publish.assets import write_file

RIGHT = "right"
UNNAMED = {"error": "missing, or the code stopped", "wrong": "other mistakes"}
SENTENCES = 3  # that are shown of one mistake
STEP = POINTS / 2  # of the histogram


class Share(NamedTuple):
    """The share of a class that made a mistake, and the feedback that it got."""

    mistake: str
    part: float
    feedback: str

    @property
    def percent(self) -> str:
        """As "38 %"."""
        return f"{100 * self.part:.0f} %"


def report(rows: list[Row], folder: Path, lesson: str) -> Path:
    """Write a lesson's grades.html, and return where it is; OSError where that cannot be."""
    graded = [row for row in rows if row.graded]
    by_exercise, students = shares(graded), by_student(rows)
    sums = {student: total(own) for student, own in students.items()}
    shown = [sums[student] for student in by_student(graded)]
    page = TEMPLATES.get_template("report.html.j2").render(
        lesson=lesson,
        date=date.today().isoformat(),
        exercises=by_exercise,
        students=students,
        sums=sums,
        histogram=histogram(shown, POINTS * len(by_exercise)),
        summary=summary(rows),
        remarks=remarks(rows),
        unnamed=UNNAMED,
    )
    return write_file(folder / FILES[2], page.encode())


def shares(rows: list[Row]) -> dict[str, list[Share]]:
    """Return, by exercise, the share of right answers, then the mistakes, the commonest first."""
    shares: dict[str, list[Share]] = {}
    for exercise in dict.fromkeys(row.exercise for row in rows):
        own = [row for row in rows if row.exercise == exercise]
        wrong = Counter(row.mistake for row in own if row.mistake)
        shares[exercise] = [Share(RIGHT, 1 - wrong.total() / len(own), "")]
        for name, count in wrong.most_common():
            feedback = dict.fromkeys(row.feedback for row in own if row.mistake == name)
            sentences = " · ".join(list(feedback)[:SENTENCES])
            shares[exercise].append(Share(UNNAMED.get(name, name), count / len(own), sentences))
    return shares


def histogram(sums: Iterable[float], most: float) -> list[tuple[float, int]]:
    """How many notebooks have about so many points, from none to the most that there are."""
    counts = Counter(round(total / STEP) for total in sums)
    return [(STEP * step, counts[step]) for step in range(round(most / STEP) + 1)]
