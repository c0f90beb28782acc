"""A prediction is closed until it is answered; which choice holds is computed."""

import pytest
from bs4 import BeautifulSoup

from posviz import AngleTable
from posviz.pictures.stored import OURS, WIDGET, without_views
from posviz.teaching import progress
from posviz.teaching.prediction import predict

CHOICES = (("*one*", 2 == 1, "That is `1`."), ("two", 2 == 2, ""), ("three", 2 == 3, "Too many."))


def ask(*choices, **settings):
    return predict("How **many**?", *choices, answer="It is 2.", **settings)


def test_all_is_folded_and_the_choice_that_holds_is_told_in_the_answer():
    page = BeautifulSoup(ask(*CHOICES).shown()["text/html"], "html.parser")
    assert page.div.p.decode_contents() == "How <strong>many</strong>?"
    assert [details.has_attr("open") for details in page.find_all("details")] == [False] * 4
    assert [choice.decode_contents() for choice in page.find_all("summary")] == [
        "<em>one</em>",
        "two",
        "three",
        "The answer",
    ]
    said = [details.find("p").text for details in page.find_all("details")]
    assert said == ["✗ No. That is 1.", "✓ Yes.", "✗ No. Too many.", "two. It is 2."]


@pytest.mark.slow("seconds")
def test_a_picture_stands_below_the_answer():
    page = BeautifulSoup(ask(*CHOICES, picture=AngleTable()).shown()["text/html"], "html.parser")
    assert page.select_one(".posviz-answer img")["alt"] == AngleTable().figure().caption


@pytest.mark.parametrize(
    ("choices", "told"),
    [
        (CHOICES[:1], "got 1; allowed are two to five"),
        (2 * CHOICES, "got 6; allowed are two to five"),
        (CHOICES[::2], r"exactly one must hold; 0 do"),
        ((*CHOICES, ("a pair", True, "")), r"2 do: \['two', 'a pair'\]"),
    ],
)
def test_choices_of_which_not_one_holds_are_refused(choices, told):
    with pytest.raises(ValueError, match=told):
        ask(*choices)


def test_a_stored_notebook_keeps_what_needs_no_kernel():
    data, metadata = ask(*CHOICES)._repr_mimebundle_()
    assert OURS in data[WIDGET]
    output = {"output_type": "display_data", "data": data, "metadata": metadata}
    notebook = {"cells": [{"id": "a", "outputs": [output], "metadata": {}}]}
    without_views(notebook)
    [kept] = notebook["cells"][0]["outputs"]
    assert kept["data"] == ask(*CHOICES).shown()


def test_what_was_chosen_is_noted(monkeypatch):
    noted = []
    monkeypatch.setattr(progress, "note", lambda *answer: noted.append(answer))
    monkeypatch.setenv("JPY_SESSION_NAME", "/home/a/course/05_rope.ipynb")
    asked = ask(*CHOICES)
    for chosen in (0, 1):
        asked._receive(asked, {"question": 0, "chosen": chosen}, [])
    assert noted == [
        ("predictions", "05", "How **many**?", False),
        ("predictions", "05", "How **many**?", True),
    ]
