"""A lesson as it is stored: what pages show of it, and what it says of itself."""

import json

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

import run
from posviz.pictures.stored import LINE
from posviz.teaching.prediction import predict
from posviz_course.course import LESSONS, OF_TOPIC
from posviz_tools.notebooks import read
from posviz_tools.publish.lesson import StoredLesson, asked, stored_lessons


def write(path, *sources):
    """A notebook with a title and these cells of code."""
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    cells = [new_markdown_cell("# 00 · Title"), *map(new_code_cell, sources)]
    notebook = new_notebook(cells=cells, metadata={"kernelspec": kernel})
    nbformat.write(notebook, path)
    return path


def test_html_is_cleaned_and_the_hint_below_an_explorer_goes(tmp_path):
    outputs = [
        new_output("display_data", {"text/html": "<p>A</p>", "text/plain": LINE}),
        new_output("display_data", {"text/html": "<p onclick='a'>B</p>"}),
    ]
    cells = [new_code_cell("…", execution_count=1, outputs=outputs), new_code_cell("")]
    nbformat.write(new_notebook(cells=cells), tmp_path / "00_a.ipynb")
    (output,) = StoredLesson(tmp_path / "00_a.ipynb").outputs
    assert output.data["text/html"] == "<p>B</p>"


def test_a_cell_that_was_not_run_is_named(tmp_path):
    with pytest.raises(RuntimeError, match=r"^00_a.ipynb, cell 1 was not run: "):
        StoredLesson(write(tmp_path / "00_a.ipynb", "1 + 1")).check_was_run()


CELL = new_code_cell("1")
WHOLE = new_notebook(cells=[CELL])
NO_NOTEBOOKS = {
    "empty": "",
    "cut short": json.dumps(WHOLE)[:-5],
    "a list": "[]",
    "no cells": json.dumps(WHOLE | {"cells": []}),
    "cells that are none": json.dumps(WHOLE | {"cells": [None]}),
    "a source that is none": json.dumps(WHOLE | {"cells": [CELL | {"source": 1}]}),
}


@pytest.mark.parametrize("content", NO_NOTEBOOKS.values(), ids=NO_NOTEBOOKS)
def test_what_is_no_notebook_is_named_in_a_line(tmp_path, content):
    path = tmp_path / "03_broken.ipynb"
    path.write_text(content)
    told = r"^03_broken\.ipynb (is no notebook|has no cells)"
    with pytest.raises(RuntimeError, match=told) as refusal:
        read(path)
    assert len(str(refusal.value)) < 400
    assert str(refusal.value).isprintable()


# ---------------------------------------------------------------- what it says of itself

CITING = (
    '[Su et al., 2021](https://arxiv.org/abs/2104.09864 "su2021roformer") and [another](a.html "b")'
)
CLAIMED = '<a href="https://arxiv.org/abs/1706.03762" title="vaswani2017attention">Vaswani</a>'


def stored_cells(file, *cells, **about):
    """A lesson of these cells."""
    nbformat.write(new_notebook(cells=cells, metadata=about), file)
    return StoredLesson(file)


def titled(file, title, **about):
    return stored_cells(file, new_markdown_cell(f"# {title}\n\n**Time:** 5 minutes"), **about)


def test_title_question_needs_and_minutes(tmp_path):
    about = {"needs": ["05", "01"], "knowledge": "scores < 1.5", "minutes": 45, "optional": 15}
    row = OF_TOPIC["alibi"]
    said = titled(tmp_path / f"{row.notebook}.ipynb", "08 · A <b> & c", posviz=about)
    assert (said.title, said.question) == ("08 · A <b> & c", row.question)
    assert said.needs == [OF_TOPIC["order"], OF_TOPIC["rotary"]]
    assert said.metadata == about


def test_what_a_notebook_does_not_say_is_empty(tmp_path):
    said = titled(tmp_path / "05_middle.ipynb", "05")
    assert (said.title, said.question, said.needs) == ("05", "", [])
    assert said.metadata == {"knowledge": "", "minutes": 0, "optional": 0}


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.notebook)
def test_every_lesson_says_all_of_it(lesson):
    said = StoredLesson(run.NOTEBOOKS / f"{lesson.notebook}.ipynb")
    assert (said.title, said.question) == (f"{lesson.number} · {lesson.title}", lesson.question)
    assert said.needs or said.metadata["knowledge"]
    assert not set("$*`[") & set(said.metadata["knowledge"]), "it is shown as it is written"
    assert 0 < said.metadata["minutes"] <= 60


def test_sections_have_their_text_and_code_but_nothing_folded_or_hidden(tmp_path):
    cells = [
        new_markdown_cell("# A title\n\nFirst."),
        new_markdown_cell("## 1 *The* turn\n\nTurn `q`, then\n\n- this\n- that\n\n### Try\n\nIt."),
        new_markdown_cell("<details><summary>Hint</summary>\n\nFolded.\n</details>"),
        new_code_cell("turn(q)"),
        new_code_cell("answer = 2", metadata={"jupyter": {"source_hidden": True}}),
    ]
    assert stored_cells(tmp_path / "05_a.ipynb", *cells).sections == [
        (1, "A-title", "A title", ["First."], []),
        (2, "1-The-turn", "1 <em>The</em> turn", ["Turn q, then", "this that"], []),
        (3, "Try", "Try", ["It."], ["turn(q)"]),
    ]


def test_a_lesson_cites_by_its_text_and_by_what_its_cells_show(tmp_path):
    cells = [
        new_markdown_cell(CITING),
        new_code_cell(outputs=[new_output("execute_result", {"text/html": CLAIMED})]),
    ]
    lesson = stored_cells(tmp_path / "05_a.ipynb", *cells)
    assert lesson.cited == {"su2021roformer", "vaswani2017attention"}


def test_neighbours_are_the_lessons_beside_it_of_those_that_are_written(tmp_path):
    names = ("01_a", "03_a", "examination")
    first, second, last = stored_lessons([tmp_path / f"{name}.ipynb" for name in names])
    assert (first.neighbours, second.neighbours) == ({"next": second}, {"prev": first})
    assert last.neighbours == {}


def test_a_prediction_is_read_as_it_was_asked():
    shown = predict(
        "Which *one*?",
        ("a < b", True, ""),
        ("no", False, "See [it](https://a.b), [that](04_before.ipynb)."),
        answer="2",
    )
    found = asked(f"<p>before</p>{shown.text}")
    assert found.question == "<p>Which <em>one</em>?</p>"
    assert [choice for choice, _ in found.choices] == ["a &lt; b", "no"]
    assert '<a href="https://a.b">it</a>, that.' in found.choices[1][1]
    assert found.answer == "<p><strong>a &lt; b.</strong> 2</p>"
    first, second = found.notes.index("A</strong>"), found.notes.index("B</strong>")
    assert first < found.notes.index("✓") < second < found.notes.index("✗")
    assert asked("<p>Which?</p>") is None
