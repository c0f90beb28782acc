"""Every claim comes to its stored verdict by its stored numbers, and others could turn it."""

import sys

import pytest

from posviz.teaching.ledger import every_claim, judge
from tests.teaching import stored

CLAIMS = {stored.name_of(lesson, claim): claim for lesson, claim in every_claim()}
ROWS = stored.read()
FAR = [-1e9, -1, 0, 1e-30, 1, 1e9]

# Rules whose bound the text rounds, writes as a word or has anew for each number.
ELSEWHERE = {
    "05 the_matrix_between_is_r_m_minus_n",
    "08 the_factor_is_the_window",
    "11 a_one_is_a_layer_without",
}


def numbers(text):
    return [float(number) for number in text.split()]


def test_every_claim_has_its_row():
    assert list(ROWS) == list(CLAIMS)


@pytest.mark.parametrize("name", CLAIMS)
def test_claim_comes_to_its_verdict_by_numbers_that_could_turn_it(name, monkeypatch):
    claim, judged = CLAIMS[name], []

    def keep(measured, holds, text):
        judged.append((measured, holds, text))
        return judge(measured, holds, text)

    monkeypatch.setattr(sys.modules[claim.function.__module__], "judge", keep)
    found, row = stored.row_of(name, claim()), ROWS[name]
    assert found["verdict"] == row["verdict"], found
    for column in ("measured", "in the text"):
        wanted = pytest.approx(numbers(row[column]), rel=0.01, abs=1e-9)
        assert numbers(found[column]) == wanted, (column, found)

    [(measured, holds, text)] = judged
    bounds = [*stored.numbers_in(f"{claim.statement} {text}"), *measured.values()]
    near = [bound * factor for bound in bounds for factor in (0.999, 1, 1.001)]
    if name not in ELSEWHERE:
        assert {bool(holds(number)) for number in near + FAR} == {True, False}


def test_every_lesson_has_claims_of_all_kinds_and_five_that_are_shown():
    for lesson in {name[:2] for name in CLAIMS}:
        names = [name for name in CLAIMS if name.startswith(lesson)]
        verdicts = [ROWS[name]["verdict"] for name in names]
        assert {verdict.split()[0] for verdict in verdicts} == {"true", "false"}, lesson
        assert any(verdict.startswith("true only if ") for verdict in verdicts), lesson
        assert sum(bool(CLAIMS[name].section) for name in names) == 5, lesson


def test_every_claim_is_a_sentence_about_something():
    for name, claim in CLAIMS.items():
        assert claim.statement.endswith("."), name
        assert claim.about, name
