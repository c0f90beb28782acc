"""T5's buckets: those of transformers, on the side of the query that the picture says."""

import numpy as np
import pytest
import torch
from transformers.models.t5.modeling_t5 import T5Attention

from posviz.lessons.relative.t5_buckets import T5Buckets
from tests.lessons.by_hand import drawn

OFFSETS = range(-2000, 2001)
RULES: list[dict] = [
    {},
    {"bidirectional": False},
    {"bidirectional": False, "max_distance": 1024},
    {"num_buckets": 4},
    {"num_buckets": 64, "max_distance": 200},
]


def theirs(picture) -> dict[int, int]:
    """The bucket of each offset in transformers, which counts key − query."""
    rule = picture.bidirectional, picture.num_buckets, picture.max_distance
    found = T5Attention._relative_position_bucket(-torch.tensor(OFFSETS), *rule)
    return dict(zip(OFFSETS, found.tolist(), strict=True))


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_runs_of_offsets_have_the_buckets_of_transformers(rule):
    picture = T5Buckets(**rule)
    runs = picture.compute().runs.tolist()
    found = {at: bucket for first, last, bucket in runs for at in range(first, last + 1)}
    assert found == theirs(picture)


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_every_pair_has_the_colour_of_its_bucket(rule):
    picture = T5Buckets(**rule, seq_len=24)
    _, (table, pairs, *_) = drawn(picture)
    buckets, colours = theirs(picture), table.artist.get_array().ravel()
    assert len(colours) == picture.num_buckets
    for query, key in np.ndindex(24, 24):
        assert pairs.image.get_array()[query, key] == colours[buckets[query - key]]


@pytest.mark.parametrize(("offset", "word"), [(5, "before"), (-5, "after")])
def test_each_side_of_the_curve_says_where_its_keys_stand(offset, word):
    figure = T5Buckets().figure()
    figure.draw_without_rendering()
    [(axes, title)] = [
        (axes, text)
        for axes in figure.axes
        for text in (axes.title, axes._left_title, axes._right_title)
        if f"key {word}" in text.get_text()
    ]
    middle, at = axes.transData.transform([(0, 0), (offset, 0)])[:, 0]
    left, right = title.get_window_extent().intervalx
    assert (right < middle, left > middle) == (at < middle, at > middle)
    assert title.get_text() == (f"← key {word}" if at < middle else f"key {word} →")
