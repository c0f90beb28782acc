"""Every claim comes to its stored verdict by its stored numbers, and others would turn it."""

import pytest

from posviz_course.claims import RULES, every_claim
from tests.teaching import stored

CLAIMS = {stored.name_of(lesson, claim): claim for lesson, claim in every_claim()}
ROWS = stored.read()


def test_every_claim_has_its_row():
    assert list(ROWS) == list(CLAIMS)


@pytest.mark.parametrize("name", CLAIMS)
def test_claim_comes_to_its_verdict_by_its_numbers(name):
    found, row = CLAIMS[name](), ROWS[name]
    numbers = [float(number) for number in row["measured"].split()]
    assert found.word == row["verdict"], found.said
    assert stored.measured(found) == pytest.approx(numbers, rel=0.01, abs=1e-9)


@pytest.mark.parametrize("name", CLAIMS)
def test_numbers_beyond_the_bound_would_turn_the_verdict(name):
    claim = CLAIMS[name]
    compare, _, bound = claim.rule.partition(" ")
    near = [float(bound) + by for by in (-1e6, -1, 0, 1, 1e6)]
    assert compare in RULES
    words = {claim.judged({"": number}).word for number in near}
    assert words == {"true", "false"}


def test_every_lesson_has_several_verdicts_and_five_votes():
    for lesson in {name[:2] for name in CLAIMS}:
        names = [name for name in CLAIMS if name.startswith(lesson)]
        verdicts = {ROWS[name]["verdict"] for name in names}
        assert len(verdicts) > 1, f"{lesson}: whoever says {verdicts} is always right"
        assert len(names) == 5, lesson


def test_every_claim_and_every_because_is_a_sentence():
    for name, claim in CLAIMS.items():
        assert claim.statement.endswith("."), name
        assert (claim.function.__doc__ or "").strip().endswith("."), name
