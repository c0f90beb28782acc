"""What a class has reached and what it got wrong: a page, and a histogram of its sums."""

import io
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure

from posviz.classroom.grade import FILES, Row, by_student, left_out, summary, total
from posviz.classroom.quiz import TEMPLATES
from posviz.pictures.style import DPI, SIZE, style_context
from posviz.publish.assets import write_file
from posviz.teaching.feedback import POINTS

RIGHT = "right"
UNNAMED = {"error": "the code stopped", "wrong": "other mistakes"}
SENTENCES = 3  # that are shown of one mistake
STEP = POINTS / 2  # of the histogram


class Share(NamedTuple):
    """The part of a class that made a mistake, and what it was told."""

    mistake: str
    part: float
    told: str

    @property
    def percent(self) -> str:
        """As "38 %"."""
        return f"{100 * self.part:.0f} %"


def report(rows: list[Row], folder: Path) -> list[Path]:
    """Write grades.html and grades.png, and return both; OSError where that cannot be."""
    graded = [row for row in rows if row.graded]
    found, students, headline = shares(graded), by_student(rows), summary(rows)
    sums = {student: total(own) for student, own in students.items()}
    shown = [sums[student] for student in by_student(graded)]
    picture = write_file(folder / FILES[3], _png(shown, POINTS * len(found), headline))
    page = TEMPLATES.get_template("report.html.j2").render(
        exercises=found,
        students=students,
        sums=sums,
        summary=headline,
        left_out=left_out(rows),
        picture=picture.name,
        unnamed=UNNAMED,
    )
    return [write_file(folder / FILES[2], page.encode()), picture]


def shares(rows: list[Row]) -> dict[str, list[Share]]:
    """By exercise: the part that was right, then the mistakes, those of most first."""
    found: dict[str, list[Share]] = {}
    for exercise in dict.fromkeys(row.exercise for row in rows):
        own = [row for row in rows if row.exercise == exercise]
        wrong = Counter(row.mistake for row in own if row.mistake)
        found[exercise] = [Share(RIGHT, 1 - wrong.total() / len(own), "")]
        for name, count in wrong.most_common():
            told = dict.fromkeys(row.told for row in own if row.mistake == name)
            sentences = " · ".join(list(told)[:SENTENCES])
            found[exercise].append(Share(UNNAMED.get(name, name), count / len(own), sentences))
    return found


def _png(sums: Iterable[float], most: float, headline: str) -> bytes:
    """A histogram of sums, up to the most points that there are."""
    file = io.BytesIO()
    with style_context("slide"):
        figure = Figure(SIZE["slide"], DPI["slide"], layout="constrained")
        axes: Any = figure.subplots()
        axes.hist(sums, np.arange(-STEP / 2, most + STEP, STEP), rwidth=0.8)
        axes.set(title=headline, xlabel="sum of points", ylabel="students")
        axes.yaxis.get_major_locator().set_params(integer=True)
        figure.savefig(file, format="png", metadata={"Software": None})
    return file.getvalue()
