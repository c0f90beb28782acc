"""The numbers in HeadBrowser: maps of all heads, and how they are measured."""

import numpy as np
import pytest

from posviz_course.lessons.length.head_browser import HeadBrowser
from posviz_course.models.reading import shuffled
from posviz_course.models.small import small_model
from tests.lessons.by_hand import caption_of


class LookingBack:
    """A model of many heads: head h of layer l looks back l + h tokens."""

    name, shape = "my model", (3, 5)

    def __init__(self, longest=None):
        self.longest = longest

    def ids(self, text):
        return list(range(len(text)))

    def words(self, ids):
        return [f"word {i}" for i in ids]

    def weights(self, ids):
        weights = np.zeros((*self.shape, len(ids), len(ids)))
        for layer, head, query in np.ndindex(*self.shape, len(ids)):
            weights[layer, head, query, max(query - layer - head, 0)] = 1
        return weights


def test_maps_and_points_are_what_loops_measure():
    picture, model = HeadBrowser(layer=1, head=3), small_model("ALiBi")
    arrays, ids = picture.compute(), model.ids(picture.text)
    weights = model.weights(ids)
    left = np.zeros((2, 4))
    for order in shuffled(ids):
        others = model.weights(order)
        for at in np.ndindex(2, 4):
            pairs = zip(weights[at][1:], others[at][1:], strict=True)
            left[at] += np.mean([sum(map(min, zip(*rows, strict=True))) for rows in pairs]) / 4
    np.testing.assert_allclose(arrays.points[1], left.ravel(), rtol=1e-12)
    assert arrays.chosen == ([arrays.points[0][7]], [arrays.points[1][7]])
    np.testing.assert_array_equal(np.nan_to_num(arrays.maps[0]), weights[1, 3])
    for at in np.ndindex(2, 4):
        tile = arrays.grid[22 * at[0] :, 22 * at[1] :][:21, :21]
        np.testing.assert_array_equal(np.nan_to_num(tile), weights[at])


def test_a_given_model_stands_in_for_the_stored_ones():
    picture = HeadBrowser(LookingBack(), layer=2, head=4, text="a" * 9)
    arrays = picture.compute()
    assert picture.knobs()["model"].why_idle(picture)
    assert not HeadBrowser().knobs()["model"].why_idle(HeadBrowser())
    assert caption_of(picture).startswith("In my model, layer 2 head 4 keeps 100% ")
    assert np.nanargmax(arrays.maps[0][8]) == 2
    np.testing.assert_allclose(arrays.points[1], np.ones(15))  # all look by position


@pytest.mark.parametrize(("longest", "count"), [(None, 40), (13, 13)])
def test_a_long_text_is_shown_as_far_as_there_is_room(longest, count):
    assert len(HeadBrowser(LookingBack(longest), text="a" * 80).compute().maps[0]) == count


@pytest.mark.parametrize("text", ["", "f"])
def test_one_token_has_nothing_to_measure(text):
    assert caption_of(HeadBrowser(text=text)) == (
        "In the ALiBi model, layer 1 head 0: one token looks at itself alone, so there is "
        "nothing to measure."
    )


def test_a_reader_points_at_a_head_in_the_grid():
    picture = HeadBrowser()
    assert picture.dragged(22 * 2 + 5, 22 + 20) == {"layer": 1, "head": 2}
    assert picture.dragged(-0.5, -0.5) == {"layer": 0, "head": 0}
