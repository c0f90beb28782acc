"""The whole ledger: every claim has its row, its verdict, and a link to what decides it."""

import re

import pytest

from posviz.claims.everything import ledger
from posviz.claims.ledger import every_claim
from posviz.course import LESSONS


@pytest.fixture(scope="module")
def whole():
    return ledger()


@pytest.mark.slow("half a second")
def test_every_claim_of_the_course_has_its_row(whole):
    claims = [*every_claim()]
    assert {lesson for lesson, _ in claims} == {row.number for row in LESSONS[1:]}
    assert whole.table.count("<tr>") == len(claims) + 1
    assert repr(whole).startswith(f"{len(claims)} claims\n01 ✗ false: Self-attention is invariant")


@pytest.mark.slow("half a second")
def test_a_row_leads_to_the_section_that_decides_or_to_the_lesson(whole):
    links = re.findall(r'<a href="([^"#]+)(#[^"]+)?">', whole.table)
    assert {name for name, _ in links} == {f"{row.notebook}.ipynb" for row in LESSONS[1:]}
    assert ("01_why_order_matters.ipynb", "#2-Shuffle-it") in links
    assert ("08_alibi.ipynb", "") in links


def test_it_can_be_narrowed():
    found = repr(ledger(lesson="05", about="rotation", verdict="false")).splitlines()
    assert found[0] == f"{len(found) - 1} claims"
    assert all(line.startswith("05 ✗ false") for line in found[1:])
    assert any("clockwise" in line for line in found)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"lesson": "99"}, "lesson must be one of '01', '02'.*, got '99'"),
        ({"lesson": "05", "verdict": "maybe"}, "verdict must be one of 'false', 'true'.*, got"),
        ({"lesson": "05", "about": "YaRN"}, "about must be one of 'distance'.*, got 'YaRN'"),
    ],
)
def test_what_there_is_not_is_named(asked, message):
    with pytest.raises(ValueError, match=message):
        ledger(**asked)
