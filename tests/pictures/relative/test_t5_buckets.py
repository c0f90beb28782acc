"""T5's buckets: which side is which, and that every knob's change arrives in the drawing."""

import functools
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from transformers.models.t5.modeling_t5 import T5Attention

from posviz.engine.style import style_context
from posviz.pictures.relative.t5_buckets import T5Buckets
from tests.pictures.by_hand import drawn
from tests.test_pictures import random_settings

CHANGES = {
    "offset": -60,
    "num_buckets": 12,
    "max_distance": 800,
    "bidirectional": False,
    "seq_len": 48,
}
LINES = ("first_end", "last_end", "read_off", "runs", "here", "mark", "white", "orange")
QUERY_AND_KEY = [(5, 0, "before", "→"), (0, 5, "after", "←")]


def theirs(picture, offset):
    """The bucket in transformers, which counts key − query."""
    return int(
        T5Attention._relative_position_bucket(
            torch.tensor(-offset),
            picture.bidirectional,
            picture.num_buckets,
            picture.max_distance,
        )
    )


def named(parts):
    """The artists of the picture's parts, and its axes."""
    buckets, pairs, *curves, _, _ = parts
    lines = {name: part.line for name, part in zip(LINES, curves, strict=True)}
    images = table, matrix = [buckets.artist, pairs.image]
    axes = SimpleNamespace(table=table.axes, curve=lines["runs"].axes, matrix=matrix.axes)
    return SimpleNamespace(parts=parts, images=images, axes=axes, **lines)


def bucket_drawn_at(artists, offset):
    """The height of the bar over an offset."""
    bars = artists.runs.get_xydata().reshape(-1, 3, 2)[:, :2]
    heights = [left[1] for left, right in bars if left[0] <= offset <= right[0]]
    assert len(heights) == 1
    return heights[0]


def shown(artists):
    """All that update may move, as numbers."""
    return {
        **{line: getattr(artists, line).get_xydata() for line in LINES},
        **{f"image {place}": image.get_array() for place, image in enumerate(artists.images)},
        **{f"extent {place}": image.get_extent() for place, image in enumerate(artists.images)},
        **{
            f"limits of {name}": (axes.get_xlim(), axes.get_ylim())
            for name, axes in vars(artists.axes).items()
        },
    }


def differing(before, after):
    return {name for name in before if not np.array_equal(before[name], after[name], True)}


def moved(artists, picture):
    with style_context():
        picture.update(artists.parts, picture.compute())
    return shown(artists)


# ---------------------------------------------------------------- sides


@functools.cache
def laid_out():
    """The default picture with all its texts where they are drawn."""
    picture = T5Buckets()
    figure, parts = picture.build()
    with style_context():
        picture.update(parts, picture.compute())
        figure.canvas.draw()
    return picture, named(parts)


@pytest.mark.parametrize(("query", "key", "word", "arrow"), QUERY_AND_KEY)
def test_each_side_of_the_curve_says_where_its_keys_stand(query, key, word, arrow):
    picture, artists = laid_out()
    axes = artists.axes.curve
    titles = [axes.title, axes._left_title, axes._right_title]
    (title,) = [text for text in titles if word in text.get_text()]
    middle, at = axes.transData.transform([(0, 0), (query - key, 0)])[:, 0]
    left, right = title.get_window_extent().intervalx
    assert (right < middle) == (at < middle)
    assert (left > middle) == (at > middle)
    assert title.get_text() == (f"← key {word}" if at < middle else f"key {word} →")
    assert arrow in title.get_text()
    assert axes.get_xlabel() == "offset, query − key (tokens)"
    assert bucket_drawn_at(artists, query - key) == theirs(picture, query - key)


@pytest.mark.parametrize(("query", "key", "word", "arrow"), QUERY_AND_KEY)
def test_the_map_has_its_keys_along_and_its_queries_down(query, key, word, arrow):
    picture, artists = laid_out()
    table, pairs = (image.get_array() for image in artists.images)
    assert pairs[query, key] == table[theirs(picture, query - key), 0]
    assert (pairs[query, key] < 0.5) == (word == "before")  # of 32 buckets the first 16
    axes = artists.axes.matrix
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("key (position)", "query (position)")
    (x, y), (further, lower) = axes.transData.transform([(0, 0), (5, 5)])
    assert further > x
    assert lower < y


def test_the_legend_names_the_bars_and_the_marks():
    picture, artists = laid_out()
    lines = {line.get_label(): line for line in artists.axes.curve.get_lines()}
    assert {text.get_text() for text in artists.axes.curve.figure.legends[0].get_texts()} == {
        "buckets",
        "its bucket",
        "from offset to bucket",
        "max_distance",
    }
    bucket = theirs(picture, 20)
    assert lines["from offset to bucket"].get_xydata()[:2].tolist() == [[20, -0.5], [20, bucket]]
    assert artists.read_off.get_xydata()[2].tolist() == [-2000, bucket]  # to the colours
    assert set(lines["its bucket"].get_ydata()[:2]) == {bucket}
    drawn_at = lines["buckets"].get_ydata()
    assert np.unique(drawn_at[np.isfinite(drawn_at)]).size == 31
    assert abs(lines["max_distance"].get_xdata()[0]) == 128


# ---------------------------------------------------------------- what moves


@pytest.mark.sampled(quick=2)
@pytest.mark.parametrize("knob", T5Buckets().knobs())
def test_a_change_of_each_knob_arrives_and_is_taken_back(knob):
    artists = named(drawn(T5Buckets())[1])
    before, changed = shown(artists), T5Buckets(**{knob: CHANGES[knob]})
    after = moved(artists, changed)
    assert differing(before, after)
    assert not differing(shown(named(drawn(changed)[1])), after)
    for offset in range(-40, 41):
        assert bucket_drawn_at(artists, offset) == theirs(changed, offset)
    assert artists.mark.get_xdata() == [changed.offset]
    assert artists.read_off.get_xdata()[:2] == [changed.offset] * 2
    assert {*artists.read_off.get_ydata()[1:], *artists.mark.get_ydata()} == {
        artists.here.get_ydata()[0]
    }
    assert set(artists.here.get_ydata()[:2]) == {theirs(changed, changed.offset)}
    assert not differing(before, moved(artists, T5Buckets()))


@pytest.mark.slow("seconds")
def test_what_each_knob_moves():
    everything = {}
    for knob, value in CHANGES.items():
        artists = named(drawn(T5Buckets())[1])
        everything[knob] = differing(shown(artists), moved(artists, T5Buckets(**{knob: value})))
    curve = {"runs", "image 0", "image 1"}
    assert everything["offset"] == {"here", "mark", "read_off", "white", "orange"}
    assert everything["num_buckets"] >= {*curve, "extent 0", "limits of table", "limits of curve"}
    assert everything["max_distance"] >= {"runs", "first_end", "last_end", "image 1"}
    assert everything["bidirectional"] >= {*curve, "first_end"}
    assert everything["seq_len"] == {"image 1", "extent 1", "limits of matrix", "white", "orange"}


@pytest.mark.slow("seconds")
def test_a_figure_that_was_moved_often_shows_what_a_new_one_shows():
    artists = named(drawn(T5Buckets())[1])
    for setting in random_settings(T5Buckets(), 30):
        picture = T5Buckets(**setting)
        assert not differing(shown(named(drawn(picture)[1])), moved(artists, picture)), setting
