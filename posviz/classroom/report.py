"""What a class has reached and what it got wrong: a page and a picture of its grades."""

import io
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

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
LONGEST = 8  # mistakes of an exercise in the picture
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
    picture = write_file(folder / FILES[3], _png(found, shown, headline))
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


def _png(found: dict[str, list[Share]], sums: Iterable[float], headline: str) -> bytes:
    """A histogram of sums, and below it a bar for each mistake, by exercise."""
    shown = {exercise: each[: LONGEST + 1] for exercise, each in found.items()}
    heights = [6, *(len(each) for each in shown.values())]
    size = SIZE["slide"][0], sum(heights) / 2 + len(heights)  # inches
    file = io.BytesIO()
    with style_context("slide"):
        figure = Figure(size, DPI["slide"], layout="constrained")
        first, *panels = figure.subplots(len(heights), height_ratios=heights)
        edges = np.arange(-STEP / 2, POINTS * len(found) + STEP, STEP)
        first.hist(sums, edges, rwidth=0.8)
        first.set(title=headline, xlabel="sum of points", ylabel="students")
        first.yaxis.get_major_locator().set_params(integer=True)
        for axes, (exercise, each) in zip(panels, shown.items(), strict=True):
            colours = ["C2" if share.mistake == RIGHT else "C0" for share in each]
            names = [share.mistake for share in each]
            bars = axes.barh(range(len(each)), [share.part for share in each], color=colours)
            axes.bar_label(bars, [share.percent for share in each], padding=4)
            axes.set(title=exercise, xlim=(0, 1.1), xticks=[])
            axes.set_yticks(range(len(each)), names)
            axes.invert_yaxis()
        figure.savefig(file, format="png", metadata={"Software": None})
    return file.getvalue()
