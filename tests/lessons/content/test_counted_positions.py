"""Counted positions, against a loop over the tokens between a key and its query."""

import pytest

from posviz.lessons.content.counted_positions import CountedPositions
from posviz.pictures.tokens import tokens_of


def test_sharp_gates_on_every_token_count_the_distance_and_the_key_itself():
    arrays = CountedPositions(counts="every token", sharpness=10).compute()
    assert arrays.positions == pytest.approx(arrays.distance + 1, abs=1e-3)


def test_without_sharpness_all_count_one_half_whatever_is_counted():
    arrays = CountedPositions(sharpness=0).compute()
    assert arrays.positions == pytest.approx((arrays.distance + 1) / 2)


def test_a_sentence_is_as_far_as_it_is_by_stops():
    """All tokens of the sentence before are one stop away, however long it is."""
    picture = CountedPositions(sharpness=10)
    tokens, positions = tokens_of(picture.sentence), picture.compute().positions
    first, second = (at for at, token in enumerate(tokens) if token == ".")
    for start, end, stops in ((0, first + 1, 2), (first + 1, second + 1, 1), (second + 1, 14, 0)):
        assert positions[start:end] == pytest.approx([stops] * (end - start), abs=1e-3)
