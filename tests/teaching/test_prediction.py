"""A prediction is closed until it is answered; which choice holds is computed."""

import subprocess
import sys
from types import SimpleNamespace

import pytest
from bs4 import BeautifulSoup

from posviz import SinusoidalTable
from posviz.pictures.stored import OURS, WIDGET, without_views
from posviz.teaching import progress
from posviz.teaching.prediction import Prediction, predict

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
    page = BeautifulSoup(
        ask(*CHOICES, picture=SinusoidalTable()).shown()["text/html"], "html.parser"
    )
    assert page.select_one(".posviz-answer img")["alt"] == SinusoidalTable().figure().caption


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


@pytest.fixture
def noted(monkeypatch):
    """What is noted during a test, in lesson 05."""
    answers = []
    monkeypatch.setattr(progress, "note", lambda *answer: answers.append(answer))
    monkeypatch.setenv("JPY_SESSION_NAME", "/home/a/course/05_rope.ipynb")
    return answers


def test_a_choice_outside_of_cells_is_noted_by_its_question(noted):
    asked = ask(*CHOICES)
    for chosen in (0, 1):
        asked.receive({"question": 0, "chosen": chosen})
    assert noted == [
        ("predictions", "05", "How **many**?", False),
        ("predictions", "05", "How **many**?", True),
    ]


def test_a_choice_in_a_cell_is_noted_by_the_cell_s_id_and_a_number(noted, monkeypatch):
    shell = SimpleNamespace(
        get_parent=lambda: {"metadata": {"cellId": "a cell"}}, execution_count=7
    )
    monkeypatch.setattr("IPython.get_ipython", lambda: shell)
    first, second = ask(*CHOICES), ask(*CHOICES)
    votes = Prediction([("a", [True]), ("b", [True])], "", "", "votes")
    monkeypatch.setattr("IPython.get_ipython", lambda: None)
    for asked, question in ((first, 0), (second, 0), (votes, 0), (votes, 1)):
        asked.receive({"question": question, "chosen": 0})
    assert [name for _, _, name, _ in noted] == ["a cell", "a cell 2", "a cell 3", "a cell 4"]


@pytest.mark.slow("a process")
def test_it_is_made_where_there_are_neither_widgets_nor_ipython():
    code = (
        "import sys; from posviz import audit, predict, recall; "
        "predict('Which?', ('a', True, ''), ('b', False, ''), answer='a').shown(); "
        "audit('01').shown(); recall('01').shown(); "
        "assert not {'anywidget', 'ipywidgets', 'IPython'} & sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_message_of_a_view_arrives(noted):
    asked = ask(*CHOICES)
    asked._repr_mimebundle_()
    asked._widget._handle_custom_msg({"question": 0, "chosen": 1}, [])
    assert noted == [("predictions", "05", "How **many**?", True)]
