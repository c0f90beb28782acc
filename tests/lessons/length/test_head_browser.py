"""The numbers in HeadBrowser: maps of all heads, and how they are measured."""

import numpy as np
import pytest

from posviz.lessons.length.head_browser import HeadBrowser
from posviz.models.reading import Reading, shuffled
from posviz.models.small import small_model
from tests.lessons.by_hand import caption_of, drawn

TEXT = "for x in xs: print(x)"


class Given:
    """A model of many heads: head h of layer l looks back l + h tokens."""

    def __init__(self, layers=3, heads=5, longest=None):
        self.name, self.longest, self.shape = "my model", longest, (layers, heads)
        self.rotary = (None,) * layers

    def ids(self, text):
        return list(range(len(text)))

    def words(self, ids):
        return [f"word {i}" for i in ids]

    def read(self, ids):
        weights = np.zeros((*self.shape, len(ids), len(ids)))
        for layer, head, query in np.ndindex(*self.shape, len(ids)):
            weights[layer, head, query, max(query - layer - head, 0)] = 1
        return Reading(weights, None, None)


def shown(part):
    return part.image.get_array().filled(np.nan)


@pytest.mark.slow("half a second")
@pytest.mark.parametrize(("arm", "layer", "head"), [("ALiBi", 1, 0)])
def test_the_maps_are_the_models(arm, layer, head):
    picture = HeadBrowser(model=arm, layer=layer, head=head)
    _, (grid, _, _, written, other, *_) = drawn(picture)
    model = small_model(arm)
    ids = model.ids(TEXT)
    for part, read in ((written, ids), (other, shuffled(ids)[0])):
        weights = model.read(read).weights[layer, head]
        np.testing.assert_array_equal(shown(part)[np.tri(21, dtype=bool)], weights[np.tri(21) > 0])
        assert np.isnan(shown(part)[~np.tri(21, dtype=bool)]).all()
        assert part.axes.get_xticklabels()[0].get_text() == "f"
    weights, tiles = model.read(ids).weights, shown(grid)
    for at in np.ndindex(2, 4):
        tile = tiles[22 * at[0] :, 22 * at[1] :][:21, :21]
        np.testing.assert_array_equal(np.nan_to_num(tile), weights[at])
    assert np.isnan(tiles[21]).all()
    assert np.isnan(tiles[:, 21]).all()


def test_points_are_what_loops_measure():
    picture = HeadBrowser(model="ALiBi", layer=1, head=3)
    _, (*_, points, ring) = drawn(picture)
    model = small_model("ALiBi")
    ids = model.ids(TEXT)
    weights = model.read(ids).weights
    left = np.zeros((2, 4))
    for order in shuffled(ids):
        others = model.read(order).weights
        for at in np.ndindex(2, 4):
            pairs = zip(weights[at][1:], others[at][1:], strict=True)
            left[at] += np.mean([sum(map(min, zip(*rows, strict=True))) for rows in pairs]) / 4
    x, y = points.line.get_data()
    np.testing.assert_allclose(y, left.ravel(), rtol=1e-12)
    assert (ring.line.get_xdata()[0], ring.line.get_ydata()[0]) == (x[7], y[7])


def test_a_given_model_stands_in_for_the_stored_ones():
    picture = HeadBrowser(Given(), layer=2, head=4, text="a" * 9)
    arrays, (*_, points, _) = drawn(picture)
    assert picture.knobs()["model"].idle(picture)
    assert not HeadBrowser().knobs()["model"].idle(HeadBrowser())
    assert caption_of(picture).startswith("In my model, layer 2 head 4: ")
    assert np.nanargmax(arrays.maps[0][8]) == 2
    np.testing.assert_allclose(points.line.get_ydata(), 1)  # all look by position
    assert len(points.line.get_ydata()) == 15


@pytest.mark.parametrize(("longest", "count"), [(None, 40), (13, 13)])
def test_a_long_text_is_shown_as_far_as_there_is_room(longest, count):
    assert len(HeadBrowser(Given(longest=longest), text="a" * 80).compute().maps[0]) == count


def test_one_token_has_nothing_to_measure():
    for text in ("", "f"):
        assert caption_of(HeadBrowser(text=text)) == (
            "In the ALiBi model, layer 1 head 0: one token looks at itself alone, so there is "
            "nothing to measure."
        )


def test_a_reader_points_at_a_head_in_the_grid():
    picture = HeadBrowser()
    figure, _ = picture.build()
    assert figure.axes[0].get_xlabel() == "head"
    assert picture.dragged(22 * 2 + 5, 22 + 20) == {"layer": 1, "head": 2}
    assert picture.dragged(-0.5, -0.5) == {"layer": 0, "head": 0}
    left, top = drawn(HeadBrowser(layer=1, head=2))[1][1].line.get_data()
    assert (min(left), max(left), min(top), max(top)) == (43, 65, 21, 43)
