"""What an instructor is told of a lesson is what its notebook says."""

import ast
import re

from nbformat import v4, write

import posviz
import posviz.pictures
from posviz.classroom.lessons import plan
from posviz.course import LESSONS
from posviz.publish.lesson import about, read


def test_three_or_four_aims_name_exercises_of_the_lesson_by_number(lessons, notebooks):
    for found in lessons:
        aims = about(read(notebooks[found.row.notebook]))["aims"]
        assert [aim["text"] for aim in aims] == [each.text for each in found.objectives]
        assert len(aims) in (3, 4), found.row
        for aim, objective in zip(aims, found.objectives, strict=True):
            numbers = [found.exercises.index(each) + 1 for each in objective.exercises]
            assert numbers == aim["exercises"]


def test_a_notebook_without_metadata_aims_at_nothing_and_takes_its_time(tmp_path):
    path = tmp_path / f"{LESSONS[0].notebook}.ipynb"
    write(v4.new_notebook(cells=[v4.new_markdown_cell("# Mine\n" + "word " * 998)]), path)
    found = plan(LESSONS[0], path)
    assert (found.needs, found.objectives, found.minutes) == ((), (), (5, 0, 5, 0))


def test_every_explorer_of_a_lesson_is_in_the_list_in_its_order(lessons, notebooks):
    for found in lessons:
        cells = read(notebooks[found.row.notebook]).cells
        code = "\n".join(cell.source for cell in cells if cell.cell_type == "code")
        shown = [re.search(r"\.(\w+)\(", each.line)[1] for each in found.shown]
        assert len(shown) == code.count(".explore()"), found.row
        left = iter(shown)
        assert all(name in left for name in re.findall(r"^(\w+)\(.*\.explore\(\)", code, re.M))
        headings = "".join(cell.source for cell in cells if cell.source.startswith("#"))
        assert all(each.section in headings for each in found.shown)


def test_a_line_opens_its_picture_without_the_notebook(lessons, monkeypatch):
    monkeypatch.setattr("posviz.pictures.picture.Picture.explore", lambda picture: picture)
    for shown in [shown for found in lessons for shown in found.shown]:
        picture = eval(shown.line, {"posviz": posviz})
        assert type(picture).__name__ in shown.line
        for said in ast.parse(shown.line).body[0].value.func.value.keywords:
            assert getattr(picture, said.arg) == said.value.value


def test_every_lesson_has_its_times_and_names_only_lessons_before_it(lessons):
    numbers = [row.number for row in LESSONS]
    for found in lessons:
        assert 10 <= found.minutes.lecture <= 30, found.row
        assert found.minutes.lab < found.minutes.alone
        assert set(found.needs) <= set(numbers[: numbers.index(found.row.number)])
    assert lessons[12].needs == ("05", "08", "10")


def test_what_is_given_data_is_said_to_be(tmp_path):
    cells = [
        v4.new_markdown_cell("## 1 Rows\n\nSee:"),
        v4.new_code_cell("rows = LearnedTable(snapshots=ours, progress=0)\nrows.explore()"),
        v4.new_code_cell("HeadBrowser(model).explore()\nother(1).explore()"),
    ]
    path = tmp_path / f"{LESSONS[0].notebook}.ipynb"
    write(v4.new_notebook(cells=cells), path)
    first, second = plan(LESSONS[0], path).shown
    assert first == ("1 Rows", "posviz.LearnedTable(progress=0).explore()", False)
    assert second == ("1 Rows", "posviz.HeadBrowser().explore()", False)
