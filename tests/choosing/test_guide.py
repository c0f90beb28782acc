"""What stays lit, why the others do not, and the advice."""

import itertools

from posviz.choosing.columns import COLUMNS
from posviz.choosing.guide import FAULTS, QUESTIONS, choose, fault
from posviz.choosing.rows import ROWS


def test_nothing_asked_and_all_are_lit():
    found = choose({})
    assert found.lit == list(ROWS)
    assert found.advice.startswith("Take RoPE, found in 208 of 530 files; as well: none (NoPE), ")


def test_a_decoder_of_today():
    answers = {"kernel": "flash, without a bias", "cache": "keys are cached", "learns": "nothing"}
    found = choose(answers | {"distance": "a shift changes nothing"})
    assert found.lit == ["none (NoPE)", "RoPE", "RoPE in 2-D", "stretched RoPE", "xPos"]
    assert "flash: ✓ nothing; cached: ✓ < 1e-9; parameters: 0" in found.advice


def test_where_nothing_is_left_the_nearest_is_told():
    found = choose({"distance": "by what stands between", "kernel": "flash, without a bias"})
    assert found.lit == []
    assert found.advice.startswith("No row does all of it; RoPE (208 of 530 files) fails only in ")
    assert found.advice.endswith("between: ✗ < 1e-9.")


def test_every_answer_asks_for_columns_that_are_explained():
    asked = {name for answers in QUESTIONS.values() for names in answers.values() for name in names}
    assert asked == FAULTS.keys() <= COLUMNS.keys()
    for row, column in itertools.product(ROWS, asked):
        found = COLUMNS[column](row)
        if not found.can:
            assert "✗" not in fault(column, found)
            assert "{" not in fault(column, found)
