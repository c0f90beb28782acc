"""The sentence is shown as it was typed, and signs tell which outputs are equal."""

import pytest

from posviz import ShuffledSentence
from posviz.cli.faults import drawn_texts
from tests.lessons.by_hand import drawn


def test_words_between_dollars_are_words():
    figure = ShuffledSentence(sentence="from $5 to $x_$ y").figure()
    words = {text.get_text() for text in drawn_texts(figure)}
    assert {"$5", "$x_$"} <= words


@pytest.mark.parametrize(
    ("setting", "signs"),
    [
        ({}, "=≠"),
        ({"encoding": "sinusoidal"}, "≠≠"),
        ({"encoding": "ALiBi", "order": "reversed"}, "=≠"),
        ({"mask": "causal", "order": "original"}, "=="),
    ],
)
def test_a_sign_tells_whether_its_neighbours_are_equal(setting, signs):
    _, (_, *outputs, first, last) = drawn(ShuffledSentence(**setting))
    assert [each.sign.get_text() for each in (first, last)] == [*signs]
    before, here, after = (each.image.get_array() for each in outputs)
    for sign, (a, b) in zip(signs, ((before, here), (here, after)), strict=True):
        assert (abs(a - b).max() < 1e-14) == (sign == "=")
