"""What stays lit, why the others do not, and the advice."""

import itertools

import pytest

from posviz_course.choosing.columns import COLUMNS
from posviz_course.choosing.guide import FAULTS, QUESTIONS, choose, fault
from posviz_course.choosing.rows import HYBRID, PLANS, ROWS, TWO_BASES


def test_nothing_asked_and_all_are_lit():
    found = choose({})
    assert set(found.lit) == {*ROWS, *PLANS}
    assert found.advice.startswith("These can do it, most used first: RoPE (208 of 530 files); ")
    assert "Without files of their own: none (NoPE); " in found.advice


def test_a_decoder_of_today():
    answers = {"kernel": "flash, without a bias", "cache": "keys are cached", "learns": "nothing"}
    found = choose(answers | {"distance": "a shift changes nothing"})
    assert found.used == ["RoPE", "stretched RoPE", TWO_BASES, HYBRID]
    assert found.lit == [*found.used, "none (NoPE)", "xPos"]
    assert found.advice.endswith("it does not say how well a trained model does it.")


@pytest.mark.parametrize(
    ("later", "best"),
    [("near things", HYBRID), ("far things", "stretched RoPE"), ("near and far", HYBRID)],
)
def test_longer_texts_untrained_begin_with_what_is_measured_and_used(later, best):
    found = choose({"later": f"longer texts, untrained; {later}"})
    assert found.used[0] == best
    assert "learned" not in found.lit
    assert ("But stretched RoPE: loss 1.61 → 2.23." in found.advice) == (best == "stretched RoPE")
    assert "two layers, trained on 64 tokens" in found.advice


def test_text_is_not_given_an_encoding_of_rows_and_columns():
    found = choose({"reads": "text, left to right"})
    assert "RoPE in 2-D" not in found.lit
    assert choose(
        {"reads": "patches of an image", "later": "longer texts, stretched for them"}
    ).used


def test_each_row_stands_in_one_group_of_the_table():
    found = choose({"reads": "patches of an image", "distance": "a shift changes nothing"})
    used, *others = choose({"kernel": "flash, without a bias"}).groups().items()
    assert used[0] == "✓ in released models"
    assert used[1][:2] == ["RoPE (208 files)", "stretched RoPE (176 files)"]
    assert dict(others)["✗ the kernel needs a bias"][:2] == ["Transformer-XL", "T5"]
    rows = [row for group in found.groups().values() for row in group]
    assert sorted(rows) == sorted((*ROWS, *PLANS))
    assert found.advice in repr(found)
    runs = choose({"later": "longer texts, untrained; far things"})
    assert "RoPE 1.00 → 0.70; ALiBi 1.00 → 0.82" in repr(runs)
    assert "? not measured here: Shaw; Transformer-XL" in repr(runs)


@pytest.mark.parametrize("later", ["near things", "far things", "near and far"])
@pytest.mark.parametrize("reads", ["text, both ways", "patches of an image"])
def test_runs_with_a_causal_mask_advise_nobody_who_reads_both_ways(reads, later):
    found = choose({"reads": reads, "later": f"longer texts, untrained; {later}"})
    assert found.lit == []
    assert found.unknown
    assert "two layers, trained on 64 tokens" not in found.advice


def test_a_shift_of_patches_that_crosses_a_line_changes_something():
    found = choose({"reads": "patches of an image", "distance": "a shift changes nothing"})
    assert "RoPE in 2-D" not in found.lit


def test_where_nothing_is_left_the_nearest_is_told():
    found = choose({"distance": "by what stands between", "kernel": "flash, without a bias"})
    assert found.lit == []
    start = "No released encoding is known to do all of it. The nearest is RoPE, but: reads no "
    assert found.advice.startswith(start)


def test_what_was_not_run_is_nearer_than_what_fails():
    answers = {"reads": "patches of an image", "later": "longer texts, untrained; near and far"}
    assert (
        "The nearest is RoPE in 2-D, but: loss not measured here; recall" in choose(answers).advice
    )


def test_every_answer_asks_for_columns_that_are_explained():
    asked = {name for answers in QUESTIONS.values() for names in answers.values() for name in names}
    assert asked == FAULTS.keys() <= COLUMNS.keys()
    for row, column in itertools.product((*ROWS, *PLANS), asked):
        found = COLUMNS[column](row)
        if not found.can:
            assert "✗" not in fault(column, found)
            assert "{" not in fault(column, found)


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ({"cache": "yes"}, "'cache' must be one of 'none', 'keys are cached', got 'yes'"),
        ({"size": "large"}, "a question must be one of 'reads', 'later', .*, got 'size'"),
    ],
)
def test_an_unknown_question_or_answer_is_told_what_there_is(answers, message):
    with pytest.raises(ValueError, match=message):
        choose(answers)
