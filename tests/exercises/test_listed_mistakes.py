"""Every checker of every lesson: its reference is right, and its mistakes can be told apart."""

import importlib
import itertools
import pkgutil

import numpy as np
import pytest

import posviz.exercises
from posviz.exercises.checker import Checker

MODULES = [
    importlib.import_module(module.name)
    for module in pkgutil.walk_packages(posviz.exercises.__path__, "posviz.exercises.")
]
CHECKERS = {
    f"{module.__name__.removeprefix('posviz.exercises.')}.{name}": value
    for module in MODULES
    for name, value in vars(module).items()
    if isinstance(value, Checker)
}


def clearly_differ(checker, first, second):
    """On one input the answers differ in shape, or by far more than the tolerance."""
    for case in checker.cases():
        mine, right = np.asarray(first(*case)), np.asarray(second(*case))
        if mine.shape != right.shape or not np.allclose(mine, right, rtol=0.05, atol=0.05):
            return True
    return False


@pytest.mark.sampled(quick=3)
@pytest.mark.parametrize("name", CHECKERS)
def test_every_listed_mistake_can_be_told_from_the_reference_and_the_others(name):
    checker = CHECKERS[name]
    answers = {mistake.name: mistake.function for mistake in checker.mistakes}
    answers["the reference"] = checker.reference
    alike = [
        pair
        for pair in itertools.combinations(answers, 2)
        if not clearly_differ(checker, *map(answers.get, pair))
    ]
    assert alike == []


@pytest.mark.parametrize("name", CHECKERS)
def test_every_listed_mistake_has_a_name_of_its_own_and_a_sentence(name):
    mistakes = CHECKERS[name].listed
    assert mistakes
    assert len({mistake.name for mistake in mistakes}) == len(mistakes)
    assert all(mistake.message.endswith(".") for mistake in mistakes)


@pytest.mark.parametrize("name", CHECKERS)
def test_every_reference_is_correct_and_every_stub_quiet(name):
    checker = CHECKERS[name]
    assert checker(lambda *case: checker.reference(*case)).status == "correct"
    assert checker(...).status == "not attempted"
