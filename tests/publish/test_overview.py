"""What a notebook says of itself, read from its text."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

import run
from posviz.course import LESSONS
from posviz.publish.overview import cited, overview, sections

CITING = (
    '[Su et al., 2021](https://arxiv.org/abs/2104.09864 "su2021roformer") and [another](a.html "b")'
)
CLAIMED = '<a href="https://arxiv.org/abs/1706.03762" title="vaswani2017attention">Vaswani</a>'


def written(folder, *texts):
    path = folder / "05_middle.ipynb"
    nbformat.write(new_notebook(cells=[new_markdown_cell(text) for text in texts]), path)
    return path


def test_title_question_needs_and_minutes(tmp_path):
    needs = (
        "**You need** [lesson 04](04_before.ipynb#The-end) (scores < 1.5); section 2 needs more. "
    )
    said = overview(
        written(
            tmp_path,
            "# 05 · A <b> & c\n\n*How can it be <i> so?*",
            needs + "**Time:** 45 minutes, and 15 more for the appendix. **Time:** 5 minutes",
        )
    )
    link = '<a href="04_before.html#The-end">lesson 04</a>'
    assert said == (
        "05_middle",
        "05 · A <b> & c",
        "How can it be <i> so?",
        f"{link} (scores &lt; 1.5)",
        45,
        15,
    )


def test_what_a_notebook_does_not_say_is_empty(tmp_path):
    said = overview(written(tmp_path, "# 05\n\n**Bold** is no question.", "*Nor is this?*"))
    assert said == ("05_middle", "05", "", "", 0, 0)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.notebook)
def test_every_lesson_says_all_of_it(lesson):
    said = overview(run.NOTEBOOKS / f"{lesson.notebook}.ipynb")
    assert (said.title, said.question) == (f"{lesson.number} · {lesson.title}", lesson.question)
    assert said.needs
    assert "$" not in said.needs, "an index sets no formulas"
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
