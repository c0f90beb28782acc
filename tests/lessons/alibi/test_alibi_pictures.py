"""The numbers in lesson 08's pictures: how far each head looks, and what it leaves of a far key."""

import math

import numpy as np
import pytest

from posviz.encodings.alibi import alibi_slopes
from posviz_course.lessons.alibi.alibi_line import AlibiLine
from posviz_course.lessons.alibi.alibi_scores import AlibiScores, vectors
from posviz_course.lessons.alibi.reading_lamp import PAGE, ReadingLamp
from posviz_course.lessons.alibi.weight_by_distance import WeightByDistance
from tests.lessons.by_hand import frequencies, product, softmax


@pytest.mark.parametrize("one_in", [10, 1000])
def test_windows_end_where_factors_do(one_in):
    windows = WeightByDistance(one_in=one_in).compute().windows
    for slope, window in zip(alibi_slopes(8), windows, strict=True):
        assert math.exp(-slope * window) == pytest.approx(1 / one_in)


@pytest.mark.parametrize("knobs", [{"head": 8, "distance": 1}, {"head": 3, "distance": 50}])
def test_maps_and_weights_are_those_of_a_loop(knobs):
    picture = AlibiScores(**knobs)
    arrays, back = picture.compute(), picture.distance
    q, k = vectors(back)
    slope = 2.0**-picture.head
    scores = [product(q[-1], key) / 8 for key in k]
    biased = [score - slope * (63 - j) for j, score in enumerate(scores)]
    for shown, row in zip(arrays.maps, (scores, biased), strict=True):
        assert np.array_equal(np.isnan(shown), ~np.tri(64, dtype=bool))
        assert shown[-1] == pytest.approx(np.clip(row, -8, 8))
    for (_, curve), row in zip(arrays.curves, (scores, biased), strict=True):
        assert curve == pytest.approx(np.maximum(softmax(row[::-1]), 1e-7))
    assert arrays.planted == pytest.approx([softmax(row)[-1 - back] for row in (scores, biased)])


@pytest.mark.parametrize("knobs", [{"slope": 0}, {"sentence": "dog"}, {"slope": 0, "sentence": ""}])
def test_no_weight_is_said_to_fall_where_all_are_equal(knobs):
    picture = AlibiLine(**knobs)
    arrays = picture.compute()
    assert arrays.own == arrays.first
    assert "falls" not in picture.caption(arrays)


def test_a_key_that_fits_is_found_beyond_the_effective_span():
    span = WeightByDistance(one_in=1000).compute().windows[0]
    assert span < 14
    assert AlibiScores(head=1, distance=14).compute().planted[1] > 0.5


@pytest.mark.parametrize("knobs", [{"head": 2}, {"query": 70, "encoding": "xPos"}])
def test_each_letter_of_the_page_is_as_dark_as_its_weight(knobs):
    picture = ReadingLamp(**knobs)
    page, texts = picture.compute().page, picture.figure().axes[0].texts
    assert " ".join(text.get_text() for text in texts) == " ".join(PAGE.split())
    decays = [((pair / 32 + 0.4) / 1.4) ** (1 / 512) for pair in range(32)]
    waves = list(zip(decays, frequencies(64, 10_000), strict=True))
    for i, text in enumerate(texts):
        back, (start, line) = picture.query - i, text.get_position()
        score = -(2.0**-picture.head) * back
        if picture.encoding == "xPos":
            score = sum(decay**back * math.cos(back * speed) for decay, speed in waves) / 8 - 4
        start = math.ceil(start)
        shown = page[int(line), start : start + len(text.get_text())]
        assert shown == pytest.approx([math.exp(score) if back >= 0 else 0] * len(shown), abs=1e-9)
        assert picture.dragged(start + 0.4, line) == {"query": i}


def test_a_head_reads_as_far_as_its_effective_span():
    for head, span in enumerate(WeightByDistance(one_in=1000).compute().windows, start=1):
        assert ReadingLamp(head=head).compute().read == min(int(span) + 1, len(PAGE.split()))
    assert ReadingLamp(encoding="RoPE").compute().factors.min() > 1 / 20
