"""Counted positions, against a loop over the tokens between a key and its query."""

import math

import pytest

from posviz.pictures.content.counted_positions import CountedPositions
from posviz.pictures.tokens import tokens_of
from tests.pictures.alibi.test_alibi_labels import lines_in, points
from tests.pictures.by_hand import caption_of
from tests.pictures.xpos.test_xpos_pictures import each_drawn

SENTENCE = "We left. Did they, too? we did!"
COUNTED = {
    "every token": lambda token: True,
    "words": str.isalpha,
    "full stops": lambda token: token in {".", "?", "!"},
    "the word": lambda token: token in {"We", "we"},
}


def by_counting(picture, key):
    """The position of a key, token by token from the query back to it."""
    tokens, position = tokens_of(picture.sentence), 0.0
    for token in tokens[key : min(picture.query, len(tokens) - 1) + 1]:
        score = picture.sharpness if COUNTED[picture.counts](token) else -picture.sharpness
        position += 1 / (1 + math.exp(-score))
    return position


@pytest.mark.parametrize("counts", COUNTED)
def test_positions_are_sums_of_gates(counts):
    kept = {"sentence": SENTENCE, "counts": counts, "word": "we"}
    for picture, _, (_, heads, far, counted, number) in each_drawn(CountedPositions, **kept):
        query = min(picture.query, 10)
        expected = [by_counting(picture, key) for key in range(query + 1)]
        assert counted.line.get_xydata() == points(*enumerate(expected))
        assert far.line.get_xydata() == points(*((key, query - key) for key in range(query + 1)))
        gates = [a - b for a, b in zip(expected, [*expected[1:], 0], strict=True)]
        assert heads.line.get_xydata() == points(*enumerate(gates))
        assert number.artist.get_text() == f"first key: {expected[0]:.2f}"
        low, high = counted.line.axes.get_ylim()
        assert low < min(*expected, 0) <= max(*expected, query) < high


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


def test_the_caption_tells_both_and_who_was_counted():
    assert caption_of(CountedPositions()) == (
        "From token 13, “left”, back to token 0 the distance is 13 and the position, counting full "
        "stops, 2.18: 1.96 from the 2 counted and 0.22 from the 12 others, so that the table is "
        "read between rows 2 and 3."
    )
    assert "counting “we”, 3.14: 2.95 from the 3 counted " in caption_of(
        CountedPositions(counts="the word")
    )
    assert ", 3.19: 1.76 from the 2 counted and 1.43 from the 12 others, " in caption_of(
        CountedPositions(sharpness=2)
    )


def test_a_whole_position_is_a_row_of_the_table():
    assert caption_of(CountedPositions(sharpness=0)).endswith(
        ", 7.00: 1.00 from the 2 counted and 6.00 from the 12 others, so that the table is read at "
        "row 7."
    )


def test_a_query_beyond_the_sentence_is_its_last_token():
    assert caption_of(CountedPositions(sentence="One. Two", query=70)).startswith(
        "From token 2 (the last), “Two”, back to token 0 the distance is 2 "
    )


def test_stems_stand_under_the_gates():
    figure = CountedPositions(sentence="Yes. No", query=2).figure()
    gates, _ = figure.axes
    [heads] = lines_in(figure)["gate"]
    stems = gates.lines[0].get_xydata().reshape(-1, 3, 2)[:, :2]
    assert stems == points(*([[x, 0], [x, y]] for x, y in heads))
    assert [label.get_text() for label in figure.axes[1].get_xticklabels()] == ["Yes", ".", "No"]
