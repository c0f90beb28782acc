"""The numbers in lesson 05's pictures of real heads: weights and norms."""

import math

import numpy as np
import pytest

from posviz.lessons.rotary.pair_norms import PairNorms
from posviz.lessons.rotary.real_head import RealHead
from posviz.models import real
from tests.lessons.by_hand import drawn, product, softmax, turned

CHANGES = [("as they are", "right"), ("all the same", "right"), ("as they are", "mixed up")]


@pytest.mark.parametrize("name", list(real.TELLING)[:2])
@pytest.mark.parametrize(("positions", "layout"), CHANGES)
def test_weights_are_those_of_pairs_turned_one_by_one(name, positions, layout):
    sentence = "cat"
    picture = RealHead(head=name, sentence=sentence, positions=positions, layout=layout)
    _, (own, here, *_) = drawn(picture)
    head = real.heads(real.SENTENCES[sentence])[name]
    pairing = {"right": "half_split", "mixed up": "interleaved"}[layout]
    at = range(len(head.words)) if positions == "as they are" else [0] * len(head.words)
    q, k = (
        [turned(x, p, 100_000, pairing) for x, p in zip(rows, at, strict=True)]
        for rows in (head.q, head.k)
    )
    expected = np.full(head.weights.shape, np.nan)
    for i, query in enumerate(q):
        expected[i, : i + 1] = softmax([product(query, key) / 8 for key in k[: i + 1]])
    np.testing.assert_allclose(here.image.get_array().filled(np.nan), expected, atol=1e-9)
    seen = np.tri(len(q), dtype=bool)
    np.testing.assert_array_equal(own.image.get_array().data[seen], head.weights[seen])


def test_without_rope_or_with_a_wrong_layout_the_previous_word_is_lost():
    def on_previous(**knobs):
        return RealHead(**knobs).compute().shares[0]

    assert on_previous() > 0.75
    assert on_previous(positions="all the same") < 0.05
    assert on_previous(layout="mixed up") < 0.01


def test_a_readers_own_heads_stand_in_for_the_sentences():
    given = real.heads(real.SENTENCES["cat"])
    picture = RealHead(given)
    stored = RealHead(sentence="cat")
    np.testing.assert_array_equal(picture.compute().maps, stored.compute().maps)
    assert picture.knobs()["sentence"].idle(picture)
    assert not stored.knobs()["sentence"].idle(stored)
    _, (*_, labels) = drawn(picture)
    assert labels.last == given["first word"].words


@pytest.mark.parametrize("name", real.TELLING)
def test_norms_are_those_of_columns_32_apart(name):
    _, (query, key, rule) = drawn(PairNorms(head=name, within=50))
    means = []
    for part, line in (("q", query), ("k", key)):
        rows = [
            row
            for text in real.SENTENCES.values()
            for row in getattr(real.heads(text)[name], part)[1:]
        ]
        norms = [[math.hypot(row[i], row[i + 32]) for i in range(32)] for row in rows]
        means.append(np.mean(norms, axis=0))
        np.testing.assert_allclose(line.line.get_ydata(), means[-1], rtol=1e-12)
    fast = [i for i in range(32) if 2 * math.pi * 100_000 ** (i / 32) <= 50]
    assert rule.line.get_xdata()[0] == len(fast) - 0.5


def test_a_head_of_positions_uses_fast_pairs_and_one_of_content_slow_ones():
    share = {name: PairNorms(head=name).compute().share for name in real.TELLING}
    assert share["previous word"] > 0.2
    assert max(share["word after the same"], share["first word"]) < 0.05
