"""Every statement that was audited is decided: by a claim, or the list says why by none."""

import csv
import re
from pathlib import Path

from posviz.teaching.ledger import every_claim

ROOT = Path(__file__).parents[2]
with (Path(__file__).parent / "audited.csv").open(encoding="utf-8", newline="") as file:
    ROWS = list(csv.DictReader(file))
AUDITED = {"000": 61, "001": 44, "002": 31, "003": 46, "004": 9}  # statements of each text
ALSO = [f"X{number}" for number in range(1, 12)]  # where the texts contradict each other
KINDS = {  # why a statement is no claim of ours
    "formula": "the library computes it, and the test named compares it",
    "arithmetic": "sums of one printed example",
    "program": "how one program runs that is not ours",
    "misprint": "a slip of one text's letters or drawings",
    "opinion": "no number decides it",
    "history": "who did what when",
}
CLAIMS = {f"{lesson} {claim.function.__name__}" for lesson, claim in every_claim()}


def test_all_statements_are_there_once_and_in_order():
    numbered = [f"{text}-{n:02}" for text, count in AUDITED.items() for n in range(1, count + 1)]
    assert [row["id"] for row in ROWS] == numbered + ALSO


def test_every_statement_is_decided_or_says_why_not():
    for row in ROWS:
        claims = re.findall(r"\d\d \w+", row["decided by"])
        assert " ".join(claims) == row["decided by"], row
        assert set(claims) <= CLAIMS, row
        kind, _, told = row["why not a claim"].partition(": ")
        assert bool(claims) != (kind in KINDS), row
        assert bool(claims) != bool(told), row
        for path in re.findall(r"(?:tests|posviz)/[\w/.]+", told):
            assert (ROOT / path).exists(), path


def test_formulas_name_their_test():
    told = [row["why not a claim"] for row in ROWS]
    formulas = [text for text in told if text.startswith("formula")]
    named = [text for text in formulas if "tests/" in text]
    assert len(formulas) - len(named) <= 2  # school, and linear attention, which is not taught
