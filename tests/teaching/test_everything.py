"""The whole ledger: every claim has its row, its verdict, and a link to what decides it."""

import re

import pytest

from posviz.course import LESSONS
from posviz.teaching.everything import ledger
from posviz.teaching.ledger import every_claim


@pytest.mark.slow("computes every claim")
def test_every_claim_has_its_row_and_a_link_to_what_decides_it():
    whole, claims = ledger(), [*every_claim()]
    assert {lesson for lesson, _ in claims} == {row.number for row in LESSONS[1:]}
    assert whole.table.count("<tr>") == len(claims) + 1
    assert repr(whole).startswith(f"{len(claims)} claims\n01 ✗ false: Self-attention is invariant")
    links = re.findall(r'<a href="([^"#]+)(#[^"]+)?">', whole.table)
    assert {name for name, _ in links} == {f"{row.notebook}.ipynb" for row in LESSONS[1:]}
    assert ("01_why_order_matters.ipynb", "#2-Shuffle-it") in links
    assert ("08_alibi.ipynb", "") in links


def test_ledger_is_narrowed_to_a_lesson_and_a_verdict():
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
def test_an_unknown_lesson_verdict_or_topic_is_named(asked, message):
    with pytest.raises(ValueError, match=message):
        ledger(**asked)
