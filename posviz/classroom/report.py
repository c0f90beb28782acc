"""What a class got wrong, read from the table of its grades: a page and a picture."""

import csv
import io
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from matplotlib.figure import Figure

from posviz.classroom.grade import Row
from posviz.pictures.style import DPI, SIZE, style_context
from posviz.publish.assets import write

RIGHT = "right"
UNNAMED = {"error": "the code stopped", "wrong": "wrong in no way that has a name"}
MOST = 8  # mistakes of an exercise in the picture


class Share(NamedTuple):
    """The part of a class that made a mistake, and what one of them is told."""

    mistake: str
    part: float
    told: str

    @property
    def percent(self) -> str:
        """As "38 %"."""
        return f"{100 * self.part:.0f} %"


def report(table: Path) -> list[Path]:
    """Write a page and a picture beside a table of grades, and return both.

    Raises ValueError where it is none that `posviz grade` has written, OSError for files.
    """
    rows = _read(table)
    found = shares(rows)
    picture = write(table.with_suffix(".png"), _png(found))
    folder = FileSystemLoader(Path(__file__).parent)
    jinja = Environment(loader=folder, autoescape=True, undefined=StrictUndefined)
    students = len({row.student for row in rows})
    page = jinja.get_template("report.html.j2").render(
        exercises=found, picture=picture.name, students=students
    )
    return [write(table.with_suffix(".html"), page.encode()), picture]


def shares(rows: list[Row]) -> dict[str, list[Share]]:
    """By exercise: the part that was right, then the mistakes, those of most first."""
    found: dict[str, list[Share]] = {}
    for exercise in dict.fromkeys(row.exercise for row in rows):
        own = [row for row in rows if row.exercise == exercise]
        told = {row.mistake: row.told for row in reversed(own)}
        wrong = Counter(row.mistake for row in own if row.mistake)
        right = Share(RIGHT, 1 - wrong.total() / len(own), "")
        most = wrong.most_common()
        shares = (Share(UNNAMED.get(name, name), n / len(own), told[name]) for name, n in most)
        found[exercise] = [right, *shares]
    return found


def _read(table: Path) -> list[Row]:
    text = table.read_text("utf-8")
    try:
        fields, *lines = csv.reader(io.StringIO(text))
        rows = [Row(who, what, int(points), *told) for who, what, points, *told in lines]
        if tuple(fields) != Row._fields or not rows:
            raise ValueError
    except (ValueError, TypeError, csv.Error):
        raise ValueError(f"{table.name} is no table that `posviz grade` has written.") from None
    return rows


def _png(found: dict[str, list[Share]]) -> bytes:
    """A bar for each mistake, one exercise below the other."""
    shown = {exercise: each[: MOST + 1] for exercise, each in found.items()}
    lines = [len(each) for each in shown.values()]
    size = SIZE["slide"][0], sum(lines) / 2 + len(lines)  # inches
    file = io.BytesIO()
    with style_context("slide"):
        figure = Figure(size, DPI["slide"], layout="constrained")
        panels = figure.subplots(len(shown), squeeze=False, height_ratios=lines)[:, 0]
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
