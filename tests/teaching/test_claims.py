"""A claim is judged by its rule; votes are closed, and the ledger has a row for each claim."""

import re

import nbformat
import pytest
from bs4 import BeautifulSoup

import run
from posviz_course.claims import audit, claim, every_claim, ledger, recall, shown
from posviz_course.course import LESSONS


@claim(
    "A number doubles.",
    cases={"for 1": 1, "for 2": 2, "for 3": 3},
    measures="twice the number",
    rule="> 3",
    section="1 Twice",
)
def doubled(number):
    """Twice
    is more."""
    return 2 * number


def test_the_verdict_is_an_english_sentence_with_its_numbers():
    assert doubled().said == (
        "It depends: true for 2 and for 3, false for 1. Twice is more. "
        "Twice the number: 2 for 1; 4 for 2; 6 for 3."
    )
    assert doubled.judged({"": 5}).said == "True. Twice is more. Twice the number: 5."
    assert doubled.judged({"": 3}).word == "false"


@pytest.mark.parametrize(
    ("number", "text"),
    [(3, "3"), (12345, "12\xa0345"), (0.25, "0.25"), (1234.5, "1\xa0234.50"), (1e-15, "< 1e-14")],
)
def test_a_number_is_shown_to_the_digits_that_machines_agree_on(number, text):
    assert shown(number) == text


def test_five_votes_are_asked_and_each_has_one_right_answer():
    page = BeautifulSoup(audit("05").text, "html.parser")
    votes = page.select(".posviz-vote")
    assert len(votes) == 5
    for vote in votes:
        choices = [summary.text for summary in vote.select(".posviz-guess > summary")]
        assert choices == ["True", "False", "It depends"]
        assert len(vote.select(".posviz-holds")) == 1
        told = vote.select_one(".posviz-answer p").text
        assert told.startswith(vote.select_one(".posviz-holds summary").text)


def test_recall_asks_the_first_two_votes_without_their_sections():
    asked = BeautifulSoup(recall("05").text, "html.parser").select(".posviz-vote")
    votes = BeautifulSoup(audit("05").text, "html.parser").select(".posviz-vote")[:2]
    assert [vote.p.text for vote in asked] == [vote.p.text for vote in votes]
    assert all(vote.select("a") == [] for vote in asked)


def test_a_vote_is_noted_as_such(monkeypatch):
    noted = []
    monkeypatch.setattr("posviz.teaching.progress.note", lambda *given: noted.append(given))
    asked = audit("05")
    asked.receive({"question": 1, "chosen": 0})
    ((kind, _, statement, _),) = noted
    voted = [found.statement for _, found in every_claim("05")]
    assert (kind, statement) == ("votes", voted[1])


@pytest.mark.slow("computes every claim")
def test_the_ledger_has_every_claim_with_a_link_to_what_decides_it():
    whole, claims = ledger(), [*every_claim()]
    assert {lesson for lesson, _ in claims} == {row.number for row in LESSONS[1:]}
    assert whole.table.count("<tr>") == len(claims) + 1
    first, *lines = repr(whole).splitlines()
    assert first == f"{len(claims)} claims"
    assert [line[:2] for line in lines] == [lesson for lesson, _ in claims]
    links = re.findall(r'<a href="([^"#]+)(#[^"]+)?">\d\d', whole.table)
    assert {name for name, _ in links} == {f"{row.notebook}.ipynb" for row in LESSONS[1:]}


def test_an_unknown_lesson_is_named():
    with pytest.raises(ValueError, match=r"lesson must be one of '01', '02', .*'\d\d', got '7'"):
        audit("7")


@pytest.mark.parametrize("row", LESSONS[1:], ids=lambda row: row.number)
def test_sections_that_claims_name_are_headings_of_the_lesson(row):
    named = {found.section for _, found in every_claim(row.number)}
    lesson = nbformat.read(run.NOTEBOOKS / f"{row.notebook}.ipynb", as_version=4)
    lines = [line for cell in lesson.cells for line in cell.source.splitlines()]
    assert named <= {line.lstrip("# ") for line in lines if line.startswith("##")}
    assert "".join(named).isascii(), "JupyterLab finds no other anchor"
