"""The numbers in FrequencyNorms: norms by pair, and their parts of what a head can reach."""

import math

import numpy as np
import pytest

from posviz.encodings.frequencies import Frequencies
from posviz.encodings.rotary import Rotary
from posviz.lessons.length.frequency_norms import TEXT, FrequencyNorms
from posviz.models.reading import HeadTrace
from posviz.models.small import small_model
from tests.lessons.by_hand import caption_of, drawn


class HalfRotating:
    """A model of two layers, of which the second does not rotate."""

    name, longest = "my model", None
    rotary = (Rotary(layout="half_split", frequencies=Frequencies(np.array([1.0, 0.01]))), None)

    def ids(self, text):
        return list(range(len(text)))

    def read(self, ids):
        q = np.ones((2, 3, len(ids), 6)) * np.array([3.0, 0, 4, 1, 7, 7])  # norms 5 and 1
        q[:, :, 0] = 100  # what is apart
        return HeadTrace(np.ones((2, 3, len(ids), len(ids))), q, 2 * q)


def test_norms_and_shares_are_those_of_columns_two_by_two():
    model = small_model("RoPE")
    arrays = FrequencyNorms(model, layer=1, head=3).compute()
    reading = model.read(model.ids(TEXT))
    for row, at in enumerate(np.ndindex(2, 4)):
        q, k = (
            [np.mean([math.hypot(x[2 * i], x[2 * i + 1]) for x in part[at][1:]]) for i in range(8)]
            for part in (reading.q, reading.k)
        )
        reach = np.multiply(q, k)
        np.testing.assert_allclose(arrays.shares[row], reach / reach.sum(), rtol=1e-12)
        if at == (1, 3):
            np.testing.assert_allclose([y for _, y in arrays.norms], [q, k], rtol=1e-12)


def test_a_given_model_has_its_own_layout_and_its_first_token_is_left_out():
    picture = FrequencyNorms(HalfRotating(), layer=0, head=2, within=100)
    arrays, (query, key, rule, *_) = drawn(picture)
    np.testing.assert_allclose(query.line.get_ydata(), [5, 1])
    np.testing.assert_allclose(key.line.get_ydata(), [10, 2])
    np.testing.assert_allclose(arrays.shares[:3], np.tile([50 / 52, 2 / 52], (3, 1)))
    assert np.isnan(arrays.shares[3:]).all()
    assert rule.line.get_xdata()[0] == 0.5


def test_a_layer_that_rotates_nothing_says_so():
    picture = FrequencyNorms(HalfRotating(), layer=127, head=127)
    assert caption_of(picture) == "In my model, layer 1 head 2 rotates nothing."


def test_a_model_that_turns_nothing_is_refused():
    with pytest.raises(ValueError, match="given must show how queries and keys turn; the ALiBi m"):
        FrequencyNorms(small_model("ALiBi"))
