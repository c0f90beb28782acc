"""Pictures in small, light and dark, with their controls and their place on a page."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from posviz_course import lessons
from posviz_course.course import OF_TOPIC
from posviz_tools.publish.lesson import StoredLesson
from posviz_tools.publish.site import gallery

ALIBI = OF_TOPIC["alibi"].notebook


@pytest.fixture
def notebook(tmp_path):
    """A lesson on ALiBi that names one picture before it explores it, and lacks a third."""
    code = (
        "AlibiScores().figure()",
        "AlibiSlopes(\n    head=3,\n).explore()",
        "AlibiScores().explore()",
    )
    cells = [new_code_cell(line, id=f"cell-{number}") for number, line in enumerate(code)]
    path = tmp_path / f"{ALIBI}.ipynb"
    nbformat.write(new_notebook(cells=[new_markdown_cell("# 08 · ALiBi"), *cells]), path)
    return path


def test_pictures_stand_in_the_order_in_which_they_are_explored(notebook):
    shown = gallery.shown([StoredLesson(notebook)])
    assert [(picture.name, picture.href) for picture in shown] == [
        ("AlibiSlopes", f"{ALIBI}.html#cell-id=cell-1"),
        ("AlibiScores", f"{ALIBI}.html#cell-id=cell-2"),
        ("AlibiLine", f"{ALIBI}.html"),
        ("ReadingLamp", f"{ALIBI}.html"),
        ("WeightByDistance", f"{ALIBI}.html"),
    ]
    assert shown[0].title == lessons.load("AlibiSlopes").title()
    assert shown[0].lesson.title == "08 · ALiBi"
    assert "num_heads" in shown[0].controls
    assert 'data-picture="AlibiSlopes"' in shown[0].attributes
    assert "data-shown" in shown[0].attributes, "room is kept for it"
