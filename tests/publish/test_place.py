"""Places of living pictures: what a stored explorer becomes, and what becomes none."""

import json

import pytest
from bs4 import BeautifulSoup
from nbformat import NotebookNode
from nbformat.v4 import new_output

import run
from posviz_tools.publish.lesson import StoredLesson
from posviz_tools.publish.page import living
from posviz_tools.publish.place import NEEDS_NOTEBOOK, PNG, picture_of

RED = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="


def stored(made, caption="A <caption>."):
    """What a notebook stores of an explorer, by the picture's repr."""
    about = NotebookNode({"image/png": NotebookNode({"alt": caption, "width": 800})})
    data = {"image/png": RED, "text/plain": made}
    return new_output("execute_result", data, metadata=about)


def test_a_place_has_the_picture_its_values_and_a_still():
    made = "ThreeDoors(door='a <b>', base=1e4, seed=-1, causal=True)"
    soup = BeautifulSoup(living(stored(made)), "html.parser")
    assert soup.div["class"] == ["posviz-explorer", "posviz-live"]
    assert soup.div["data-picture"] == "ThreeDoors"
    wanted = {"door": "a <b>", "base": 10_000.0, "seed": -1, "causal": True}
    assert json.loads(soup.div["data-values"]) == wanted
    assert soup.img.attrs == {"src": PNG + RED, "width": "800", "alt": "A <caption>."}
    assert soup.figcaption.text == "A <caption>."


def test_a_picture_with_data_of_its_own_stays_still_and_says_so():
    soup = BeautifulSoup(living(stored("LearnedTable(snapshots=..., progress=0)")), "html.parser")
    assert soup.div["class"] == ["posviz-explorer"]
    assert soup.img
    assert soup.p.text == NEEDS_NOTEBOOK


@pytest.mark.parametrize(
    "made",
    ["<Figure size 800x450>", "Unknown(a=1)", "a.ThreeDoors()", "ThreeDoors(door=f())", "1", "("],
)
def test_other_outputs_get_no_place(made):
    assert living(stored(made)) == ""
    assert living(new_output("stream", text="ThreeDoors()")) == ""
    assert living(new_output("display_data", {"text/plain": "ThreeDoors()"})) == ""


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
