"""Lesson 03's exercises: a table of positions, and moves that are not noticed."""

from posviz.lessons.learned.exercises.moved import check_unnoticed
from posviz.lessons.learned.exercises.table import check_parameter_count


def test_tables_of_known_models_have_as_many_parameters():
    """GPT-2 1024 × 768 and BERT 512 × 768; OPT has 2048 positions and two rows more."""
    gpt2, bert, opt = (1024, 768, 0), (512, 768, 0), (2048, 768, 2)
    counts = [check_parameter_count.reference(*model) for model in (gpt2, bert, opt)]
    assert counts == [786_432, 393_216, 1_574_400]


def test_moves_that_are_noticed_and_that_are_not_are_asked_about():
    told = [bool(check_unnoticed.reference(*case)) for case in check_unnoticed.cases()]
    assert told == [True, False, True, False, False, True, False, False]
