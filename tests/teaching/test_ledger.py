"""The claims framework: the rule from number to verdict, and the table."""

import html
import re
import sys

import nbformat
import numpy as np
import pytest

import posviz.lessons
import run
from posviz.course import LESSONS, Lesson
from posviz.teaching import ledger
from posviz.teaching.ledger import Audit, Claim, Verdict, audit, claim, judge, shown

NBSP = "\N{NO-BREAK SPACE}"


@pytest.mark.parametrize(
    ("numbers", "verdict", "condition"),
    [
        ({"d = 4": 1, "d = 8": 2}, "true", ""),
        ({"d = 4": -1, "d = 8": -2}, "false", ""),
        ({"d = 4": -1, "d = 8": 2}, "true only if", "d = 8"),
        ({"d = 2": 3, "d = 4": -1, "d = 8": 2}, "true only if", "d = 2 or d = 8"),
    ],
)
def test_verdict_follows_from_the_numbers(numbers, verdict, condition):
    judged = judge(numbers, lambda number: number > 0, "A number.")
    assert (judged.verdict, judged.condition) == (verdict, condition)
    assert judged.text == "A number."


def test_the_numbers_are_shown_with_their_settings():
    judged = judge({"d = 4": 0.25, "d = 8": 60611.47716}, lambda number: True, "")
    assert judged.numbers == f"0.25 if d = 4; 60{NBSP}611.48 if d = 8"


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"),
        (444, "444"),
        (np.int64(256), "256"),
        (100_000, f"100{NBSP}000"),
        (0.97305507, "0.9731"),
        (16.000000000000004, "16"),
        (3.0144e-05, "3.014e-05"),
        (60611.47716626106, f"60{NBSP}611.48"),
        (-2.4654, "-2.465"),
        (0.0, "< 1e-14"),
        (8.9e-16, "< 1e-14"),
        (-8.9e-16, "< 1e-14"),
        (2.8e-14, "< 1e-12"),
        (4e-11, "< 1e-09"),
    ],
)
def test_numbers_are_rounded_and_rounding_errors_bounded(number, text):
    assert shown(number) == text


def test_the_statement_is_the_docstring_on_one_line():
    @claim("colours")
    def grass_is_red() -> Verdict:
        """Grass
        is red."""
        return judge({"it is June": 0.0}, lambda red: red > 1, "Redness.")

    assert grass_is_red.about == "colours"
    assert grass_is_red.statement == "Grass is red."
    assert grass_is_red().verdict == "false"


def test_an_unknown_lesson_names_the_known_ones():
    with pytest.raises(ValueError, match=r"lesson must be one of '01', '02', .*'\d\d', got '7'"):
        audit("7")
    with pytest.raises(ValueError, match="got 2"):
        audit(2)


def test_claims_of_a_new_folder_are_found(tmp_path, monkeypatch):
    (tmp_path / "colours" / "claims").mkdir(parents=True)
    (tmp_path / "colours" / "claims" / "grass.py").write_text(
        "from posviz.teaching.ledger import claim, judge\n"
        "@claim('colours')\n"
        "def grass_is_green():\n"
        "    '''Grass is green.'''\n"
        "    return judge({'it rains': 1.0}, lambda green: green > 0, 'Greenness.')\n"
    )
    monkeypatch.setattr(posviz.lessons, "__path__", [*posviz.lessons.__path__, str(tmp_path)])
    monkeypatch.setattr(ledger, "LESSONS", [*LESSONS, Lesson("77", "colours", "Colours", "Why?")])
    before = set(sys.modules)
    assert [asked.statement for asked, _ in audit("77").rows] == ["Grass is green."]
    for name in set(sys.modules) - before:
        del sys.modules[name]


@pytest.fixture
def table():
    long = "A <b>bold</b> claim & a long one" + ", with more to say" * 8 + "."
    numbers = {"x < 1": 1.5, "x > 1": 2.5}
    verdicts = {
        long: judge(numbers, lambda number: number < 2, "It is x."),
        "A false claim.": judge(numbers, lambda number: number < 1, "It is y. It has no rule."),
    }
    sections = {long: "2 A turn?"}
    return Audit(
        "05",
        tuple(
            (Claim("x", said, lambda verdict=verdict: verdict, (), sections.get(said, "")), verdict)
            for said, verdict in verdicts.items()
        ),
    )


def test_text_and_html_say_the_same(table):
    text = " ".join(repr(table).split())
    cells = re.findall(r"<(?:td|th scope=\"row\")[^>]*>(.*?)</t", table._repr_html_())
    assert len(cells) == 5 + 6
    for cell in cells:
        assert cell.startswith("<a") or " ".join(html.unescape(cell).split()) in text
    assert "<b>" not in table._repr_html_()  # it is a word of the claim, not a tag
    assert table.title in text
    assert table.title in html.unescape(table._repr_html_())


def test_what_is_stated_often_is_shown_and_the_rest_folded(table):
    shown_first, folded = table._repr_html_().split("<details>")
    assert folded.startswith("<summary>And 1 more</summary>")
    for text in ("A &lt;b&gt;bold", "It is x: 1.5 if x &lt; 1; 2.5 if x &gt; 1"):
        assert text in shown_first
        assert text not in folded
    assert "A false claim." not in shown_first
    for text in ("A false claim.", "It is y: 1.5 if", "It has no rule."):
        assert text in folded


def test_the_tables_can_be_read_aloud_and_wrap(table):
    shown_table = table._repr_html_()
    assert shown_table.count('<th scope="col"') == 5 + 6
    assert shown_table.count('<th scope="row"') == 1 + 1
    assert shown_table.count("<caption") == 2
    styles = re.findall(r'<t[dh][^>]*style="([^"]*)"', shown_table)
    assert len(styles) == 10 + 12
    assert all("white-space: normal" in style for style in styles)
    assert "color" not in shown_table  # it wears the theme's, light or dark
    assert max(map(len, repr(table).splitlines())) <= 96


def test_a_source_is_named_and_linked():
    judged = judge({"x < 1": 1}, bool, "It is x.")
    cited = Audit("05", ((Claim("x", "A claim.", lambda: judged, ("su2021roformer",)), judged),))
    link = '<a href="https://arxiv.org/abs/2104.09864" title="su2021roformer">Su et al., 2021</a>'
    assert repr(cited).endswith("Check it in: Su et al., 2021.")
    assert f">{link}</td></tr>" in cited._repr_html_()


def test_the_section_that_decides_is_linked_by_its_anchor(table):
    assert '<a href="#2-A-turn?">2 A turn?</a>' in table._repr_html_()


def test_a_claim_without_a_source_says_so(table):
    assert repr(table).count("none known; said often") == 2


def test_the_verdict_and_its_condition_are_words(table):
    text = " ".join(repr(table).split())
    assert "◐ true only if (of the cases tried) x < 1: A <b>bold</b> claim" in text
    assert "✗ false: A false claim." in repr(table)


@pytest.mark.parametrize("row", LESSONS[1:], ids=lambda row: row.number)
def test_sections_that_claims_name_are_headings_of_the_lesson(row):
    claims = ledger._claims(f"posviz.lessons.{row.topic}.claims")
    named = {found.section for found in claims if found.section}
    lesson = nbformat.read(run.NOTEBOOKS / f"{row.notebook}.ipynb", as_version=4)
    lines = [line for cell in lesson.cells for line in cell.source.splitlines()]
    assert named <= {line.lstrip("# ") for line in lines if line.startswith("##")}
    assert "".join(named).isascii(), "JupyterLab finds no other anchor"
