"""Tasks: what is read and what has to be said, by slow loops; the same texts for every arm."""

import math

import numpy as np
import pytest

from posviz_course.lab import tasks
from posviz_course.lab.configs import TASKS as NAMES
from posviz_course.lab.tasks import IGNORED, TASKS, held_out_batch, training_batch

each_way = pytest.mark.parametrize("test", [False, True], ids=["training", "test"])


def drawn(task, length, test, batch=6):
    if test:
        return tasks.held_out_batch(task, length, batch)
    return training_batch(task, 3, 5, batch, length)


def rows(batch):
    return zip(*(array.tolist() for array in batch), strict=True)


@pytest.mark.parametrize("task", [name for name in NAMES if name != "bytes"])
def test_texts_depend_on_seed_and_step_alone(task):
    first = training_batch(task, 1, 7, 4, 32)
    training_batch(task, 1, 8, 4, 32)
    for again, same in (
        (training_batch(task, 1, 7, 4, 32), True),
        *((training_batch(task, seed, step, 4, 32), False) for seed, step in ((2, 7), (1, 8))),
    ):
        assert np.array_equal(first.tokens, again.tokens) == same


@each_way
def test_recall_asks_for_what_was_given(test):
    for tokens, targets, places in rows(drawn("recall", 32, test)):
        given = {}
        for place, (token, target, bin_) in enumerate(zip(tokens, targets, places, strict=True)):
            if token < 64:
                assert target == IGNORED
                assert token // 8 not in given
                given[token // 8] = (token % 8, place)
            elif token == 72:
                assert (target, given) == (IGNORED, {})
            else:
                value, where = given[token - 64]
                assert (target, bin_) == (value, int(math.log2(place - where)))
        assert len(given) == 8


@each_way
@pytest.mark.parametrize("task", ["copy unique", "copy repeats"])
def test_copies_come_again_after_a_quarter_to_half(task, test):
    periods = set()
    for tokens, targets, _ in rows(drawn(task, 32, test, batch=40)):
        first = next(place for place, target in enumerate(targets) if target != IGNORED)
        period = first + 1
        text = (tokens[:period] * 5)[:33]
        assert tokens == text[:32]
        assert targets == [IGNORED] * first + text[first + 1 :]
        assert (len(set(tokens[:period])) == period) or task == "copy repeats"
        periods.add(period)
    assert periods == ({16} if test else set(range(8, 17)))


@each_way
def test_parity_and_majority_count_all_so_far(test):
    for bits, odd, _ in rows(drawn("parity", 16, test)):
        assert odd == [sum(bits[: place + 1]) % 2 for place in range(16)]
    for bits, more, _ in rows(drawn("majority", 16, test)):
        for place, said in enumerate(more):
            ones = sum(bits[: place + 1])
            zeros = place + 1 - ones
            assert said == (IGNORED if ones == zeros else int(ones > zeros))


@pytest.fixture
def little_library(monkeypatch):
    """Ten blocks of 64 characters: the k-th block has the k-th digit and letters."""
    text = "".join(str(k) + "abcdefg" * 9 for k in range(10))
    monkeypatch.setattr(tasks, "BLOCK", 64)
    monkeypatch.setattr(tasks, "CHARACTERS", 640)
    monkeypatch.setattr(tasks, "_blocks", tasks._blocks.__wrapped__)
    monkeypatch.setattr("posviz_course.models.training.standard_library_text", lambda n: text[:n])


def test_bytes_say_the_next_and_are_never_of_the_blocks_of_the_other(little_library):
    seen = {}
    for test in (False, True):
        batch = drawn("bytes", 16, test, batch=400)
        assert (batch.tokens[:, 1:] == batch.targets[:, :-1]).all()
        seen[test] = set(np.unique(batch.tokens)) & set(b"0123456789")
    assert seen == {False: set(b"01235678"), True: set(b"49")}


@pytest.mark.parametrize(("task", "length", "bins"), [("recall", 64, 6), ("parity", 64, 64)])
def test_every_place_has_its_bin(task, length, bins):
    batch = held_out_batch(task, length, 200)
    places = batch.places[batch.targets != IGNORED]
    assert len(TASKS[task].places(length)) == bins
    assert set(places) == set(range(bins))
