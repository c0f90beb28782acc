"""The table of all claims: a row for each, what each comes to, and which are asked for."""

import pytest
from bs4 import BeautifulSoup

from posviz.claims import everything
from posviz.claims.ledger import Verdict, every_claim, sign

CLAIMS = [pair for pair in every_claim() if pair[0] in ("05", "08")]


@pytest.fixture(autouse=True)
def two_lessons(monkeypatch):
    monkeypatch.setattr(everything, "every_claim", lambda: CLAIMS)


def rows(searched):
    found = BeautifulSoup(searched.table, "html.parser").select("tbody tr")
    return [[cell.get_text() for cell in row("td")] for row in found], found


def test_each_claim_has_a_row_with_its_verdict_and_a_link_to_what_decides_it():
    texts, found = rows(everything.ledger())
    assert len(texts) == len(CLAIMS)
    for (number, claim), row, shown in zip(CLAIMS, texts, found, strict=True):
        assert row[0] == sign(claim())
        assert (row[1], row[3]) == (claim.statement, claim.about)
        link = shown.a["href"]
        assert link.startswith(number)
        assert link.endswith(f"#{claim.section.replace(' ', '-')}" if claim.section else ".ipynb")


def test_a_lesson_a_topic_or_a_verdict_is_chosen_and_an_unknown_one_refused():
    texts, _ = rows(everything.ledger(lesson="08"))
    assert [row[1] for row in texts] == [c.statement for number, c in CLAIMS if number == "08"]
    about = CLAIMS[0][1].about
    texts, _ = rows(everything.ledger(about=about))
    assert {row[3] for row in texts} == {about}
    falses, _ = rows(everything.ledger(verdict="false"))
    assert {row[0] for row in falses} == {sign(Verdict("false", "", ""))}
    with pytest.raises(ValueError, match="lesson must be one of '05', '08', got '99'"):
        everything.ledger(lesson="99")
