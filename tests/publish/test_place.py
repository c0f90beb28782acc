"""Places of living pictures: what a stored explorer becomes, and what becomes none."""

import json

import pytest
from bs4 import BeautifulSoup
from nbformat import NotebookNode
from nbformat.v4 import new_output

import run
from posviz_tools.publish.lesson import StoredLesson
from posviz_tools.publish.page import figure, living
from posviz_tools.publish.place import DARK, NEEDS_NOTEBOOK, PNG, TELEPHONE, picture_of

RED = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="


def stored(made, caption="A <caption>."):
    """What a notebook stores of an explorer, by the picture's repr."""
    about = NotebookNode({"image/png": NotebookNode({"alt": caption, "width": 800})})
    data = {"image/png": RED, "text/plain": made}
    return new_output("execute_result", data, metadata=about)


def test_a_place_has_the_picture_its_values_and_a_still(tmp_path):
    made = "ThreeDoors(door='a <b>', base=1e4, seed=-1, causal=True)"
    soup = BeautifulSoup(living(stored(made), tmp_path), "html.parser")
    assert soup.div["class"] == ["posviz-explorer", "posviz-live"]
    assert soup.div["data-picture"] == "ThreeDoors"
    wanted = {"door": "a <b>", "base": 10_000.0, "seed": -1, "causal": True}
    assert json.loads(soup.div["data-values"]) == wanted
    size = {"width": "800", "height": "800"}  # RED is a square
    assert soup.img.attrs == {"src": PNG + RED, "alt": "A <caption>."} | size
    assert soup.figcaption.text == "A <caption>."


def sources(html):
    return [
        (each["media"], each["srcset"]) for each in BeautifulSoup(html, "html.parser")("source")
    ]


@pytest.mark.slow("a picture is drawn four times")
def test_explorers_and_figures_are_stored_wide_narrow_light_and_dark(tmp_path):
    explored = sources(living(stored("ThreeDoors(door='mask')"), tmp_path))
    drawn = figure(stored("<StyledFigure>"), 'x = 1\nThreeDoors(door="mask").figure()', tmp_path)
    assert sources(drawn) == explored
    (first, narrow_dark), (second, narrow), (third, dark) = explored
    assert (first, second) == (f"{DARK} and {TELEPHONE}", f"screen and {TELEPHONE}")
    assert narrow_dark == narrow.replace(".png", "_dark.png")
    assert (tmp_path / narrow).exists()
    assert (tmp_path / narrow_dark).exists()
    assert (third, dark[:22]) == (DARK, PNG)


@pytest.mark.parametrize(
    "source", ["drawn(1)", "OffsetBias(bias=my_bias).figure()", "ThreeDoors()"]
)
def test_another_figure_is_stored_as_it_is(source, tmp_path):
    assert sources(figure(stored("<StyledFigure>"), source, tmp_path)) == []


def test_a_picture_with_data_of_its_own_stays_still_and_says_so(tmp_path):
    own = stored("LearnedTable(snapshots=..., progress=0)")
    soup = BeautifulSoup(living(own, tmp_path), "html.parser")
    assert soup.div["class"] == ["posviz-explorer"]
    assert soup.img
    assert soup.p.text == NEEDS_NOTEBOOK


@pytest.mark.parametrize(
    "made",
    ["<Figure size 800x450>", "Unknown(a=1)", "a.ThreeDoors()", "ThreeDoors(door=f())", "1", "("],
)
def test_other_outputs_get_no_place(made, tmp_path):
    assert living(stored(made), tmp_path) == ""
    assert living(new_output("stream", text="ThreeDoors()"), tmp_path) == ""
    assert living(new_output("display_data", {"text/plain": "ThreeDoors()"}), tmp_path) == ""


@pytest.mark.slow("every picture is made")
def test_every_explorer_of_a_lesson_is_told_by_its_repr_and_caption():
    found = 0
    for path in run.NOTEBOOKS.glob("[0-9]*.ipynb"):
        for output in StoredLesson(path).outputs:
            made = output.get("data", {}).get("text/plain", "")
            if "image/png" in output.get("data", {}) and (picture := picture_of(made)):
                assert repr(picture) == made
                caption = output.metadata["image/png"]["alt"]
                assert picture.caption(picture.compute()) == caption
                found += 1
    assert found > 60


def test_values_that_a_picture_refuses_make_none():
    assert picture_of("ThreeDoors(door='mask')").door == "mask"
    for refused in ("door='<script>'", "window=1", "door=..."):
        assert picture_of(f"ThreeDoors({refused})") is None
