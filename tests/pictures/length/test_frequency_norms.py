"""The numbers in FrequencyNorms: norms by pair, and their parts of what a head can reach."""

import math

import numpy as np
import pytest

from posviz.encodings.frequencies import Frequencies
from posviz.encodings.rotary import Rotary
from posviz.models import real
from posviz.models.reading import Reading
from posviz.models.small import small_model
from posviz.pictures.length.frequency_norms import FrequencyNorms
from posviz.pictures.rotary.pair_norms import PairNorms
from tests.pictures.by_hand import caption_of, drawn

TEXT = "for key in keys: print(key, keys[key])"


class Given:
    """A model of two layers, of which the second does not turn."""

    name, longest = "my model", None
    rotary = (Rotary(layout="half_split", frequencies=Frequencies(np.array([1.0, 0.01]))), None)

    def ids(self, text):
        return list(range(len(text)))

    def words(self, ids):
        return [str(i) for i in ids]

    def read(self, ids):
        q = np.ones((2, 3, len(ids), 6)) * np.array([3.0, 0, 4, 1, 7, 7])  # norms 5 and 1
        q[:, :, 0] = 100  # what is apart
        return Reading(np.ones((2, 3, len(ids), len(ids))), q, 2 * q)


@pytest.mark.parametrize(("layer", "head"), [(0, 0), (1, 3)])
def test_norms_and_shares_are_those_of_columns_two_by_two(layer, head):
    picture = FrequencyNorms(layer=layer, head=head)
    arrays, (query, key, rule, rows, *_) = drawn(picture)
    model = small_model("RoPE")
    reading = model.read(model.ids(TEXT))
    assert rule.line.get_xdata()[0] == 2.5
    shares = rows.image.get_array()
    for row, at in enumerate(np.ndindex(2, 4)):
        q, k = (
            [np.mean([math.hypot(x[2 * i], x[2 * i + 1]) for x in part[at][1:]]) for i in range(8)]
            for part in (reading.q, reading.k)
        )
        reach = np.multiply(q, k)
        np.testing.assert_allclose(shares[row], reach / reach.sum(), rtol=1e-12)
        if at == (layer, head):
            np.testing.assert_allclose(query.line.get_ydata(), q, rtol=1e-12)
            np.testing.assert_allclose(key.line.get_ydata(), k, rtol=1e-12)
            assert arrays.row == row
    own, fast = shares[arrays.row], shares[:, :3].sum(axis=1)
    most = own.argmax()
    turns = 64 / (2 * math.pi * 10_000 ** (most / 8))
    assert caption_of(picture) == (
        f"In the RoPE model, layer {layer} head {head}: {own[most]:.0%} of what query and key can "
        f"reach in a score, the products of their norms, is in pair {most}, which makes "
        f"{turns:.2g} turns within 64 tokens, and {fast[arrays.row]:.0%} in the 3 of 8 pairs that "
        f"make one (all 8 heads: {fast.min():.0%} to {fast.max():.0%})."
    )


def test_every_head_leans_on_the_pair_that_makes_a_third_of_a_turn_in_training():
    arrays = FrequencyNorms(within=64).compute()
    assert set(arrays.shares.argmax(axis=1)) == {3}
    assert arrays.turns[3] == pytest.approx(0.32, abs=0.005)
    whole = 2 * math.pi * 10_000 ** (3 / 8)
    assert [FrequencyNorms(within=whole + more).compute().fast for more in (-0.1, 0.1)] == [3, 4]


def test_in_smollm2_too_most_heads_lean_on_pairs_that_make_a_part_of_a_turn_in_training():
    arrays = FrequencyNorms(model="SmolLM2-135M", within=8192).compute()
    q, k = real.head_norms()
    reach = (q * k).reshape(270, 32)
    np.testing.assert_allclose(arrays.shares, reach / reach.sum(axis=1)[:, None], rtol=1e-12)
    part = (arrays.turns > 1 / 6.5) & (arrays.turns < 1 / 2)
    np.testing.assert_array_equal(np.flatnonzero(part), [22, 23, 24, 25])
    assert part[arrays.shares.argmax(axis=1)].mean() > 0.8
    assert 0.4 < arrays.shares[:, part].sum(axis=1).mean() < 0.5


def test_the_stored_norms_are_those_of_the_stored_heads():
    q, k = real.head_norms()
    for name, at in real.TELLING.items():
        both = PairNorms(head=name).compute().norms
        np.testing.assert_allclose((q[at], k[at]), both, rtol=2e-3)


def test_a_given_model_has_its_own_layout_and_pairs_and_first_tokens_are_left_out():
    picture = FrequencyNorms(Given(), layer=0, head=2, within=100, text="a" * 7)
    arrays, (query, key, rule, *_) = drawn(picture)
    np.testing.assert_allclose(query.line.get_ydata(), [5, 1])
    np.testing.assert_allclose(key.line.get_ydata(), [10, 2])
    np.testing.assert_allclose(arrays.shares[:3], np.tile([50 / 52, 2 / 52], (3, 1)))
    assert np.isnan(arrays.shares[3:]).all()
    assert rule.line.get_xdata()[0] == 0.5
    assert "in pair 0, which makes 16 turns within 100 tokens, and 96% in the 1 of 2" in caption_of(
        picture
    )


def test_a_layer_that_turns_nothing_says_so():
    picture = FrequencyNorms(Given(), layer=127, head=127)
    assert caption_of(picture) == "In my model, layer 1 head 2 turns nothing."
    assert drawn(picture)[1][2].line.get_xdata()[0] == -0.5


def test_a_model_that_turns_nothing_is_refused():
    with pytest.raises(ValueError, match="given must show how queries and keys turn; the ALiBi m"):
        FrequencyNorms(small_model("ALiBi"))


def test_one_token_is_measured_too():
    for text in ("", "f"):
        assert np.isfinite(FrequencyNorms(text=text).compute().shares).all()
