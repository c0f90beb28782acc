"""What a notebook says of itself, read from its metadata, its title and its headings."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

import run
from posviz.course import LESSONS, OF_TOPIC
from posviz.publish.overview import cited, overview, sections

CITING = (
    '[Su et al., 2021](https://arxiv.org/abs/2104.09864 "su2021roformer") and [another](a.html "b")'
)
CLAIMED = '<a href="https://arxiv.org/abs/1706.03762" title="vaswani2017attention">Vaswani</a>'


def written(file, title, **about):
    cells = [new_markdown_cell(f"# {title}\n\n**Time:** 5 minutes")]
    nbformat.write(new_notebook(cells=cells, metadata=about), file)
    return file


def test_title_question_needs_and_minutes(tmp_path):
    about = {"needs": ["05", "01"], "knowledge": "scores < 1.5", "minutes": 45, "optional": 15}
    row = OF_TOPIC["alibi"]
    said = overview(written(tmp_path / f"{row.notebook}.ipynb", "08 · A <b> & c", posviz=about))
    needs = (OF_TOPIC["order"], OF_TOPIC["rotary"])
    assert said[:3] == (row.notebook, "08 · A <b> & c", row.question)
    assert said[3:] == (needs, "scores < 1.5", 45, 15)


def test_what_a_notebook_does_not_say_is_empty(tmp_path):
    said = overview(written(tmp_path / "05_middle.ipynb", "05"))
    assert said == ("05_middle", "05", "", (), "", 0, 0)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.notebook)
def test_every_lesson_says_all_of_it(lesson):
    said = overview(run.NOTEBOOKS / f"{lesson.notebook}.ipynb")
    assert (said.title, said.question) == (f"{lesson.number} · {lesson.title}", lesson.question)
    assert said.needs or said.knowledge
    assert not set("$*`[") & set(said.knowledge), "it is shown as it is written"
    assert 0 < said.minutes <= 60


def test_sections_have_their_text_and_code_but_nothing_folded_or_hidden():
    cells = [
        new_markdown_cell("# A title\n\nFirst."),
        new_markdown_cell("## 1 *The* turn\n\nTurn `q`, then\n\n- this\n- that\n\n### Try\n\nIt."),
        new_markdown_cell("<details><summary>Hint</summary>\n\nFolded.\n</details>"),
        new_code_cell("turn(q)"),
        new_code_cell("answer = 2", metadata={"jupyter": {"source_hidden": True}}),
    ]
    assert sections(cells) == [
        (1, "A-title", "A title", ["First."], []),
        (2, "1-The-turn", "1 <em>The</em> turn", ["Turn q, then", "this that"], []),
        (3, "Try", "Try", ["It."], ["turn(q)"]),
    ]


def test_a_lesson_cites_by_its_text_and_by_what_its_cells_show():
    cells = [
        new_markdown_cell(CITING),
        new_code_cell(outputs=[new_output("execute_result", {"text/html": CLAIMED})]),
    ]
    assert cited(new_notebook(cells=cells)) == {"su2021roformer", "vaswani2017attention"}
