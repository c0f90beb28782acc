"""A table with a field above it: what a notebook is given. Typing is tried in a browser."""

import pytest
from IPython.core.interactiveshell import InteractiveShell

from posviz.engine.search import PLACE, Search, Searched
from posviz.engine.stored import WIDGET

TABLE = Searched("posviz-words", "<table><tbody><tr><td>rope</td></tr></tbody></table>", "rope")


def test_outside_of_notebooks_it_is_text_and_html_of_its_own_name():
    assert repr(TABLE) == "rope"
    shown = TABLE._repr_html_()
    assert shown.startswith('<div class="posviz-searched posviz-words" ')
    assert TABLE.table in shown


def test_a_notebook_shows_the_field_and_below_it_the_table(monkeypatch):
    shown = []
    monkeypatch.setattr("IPython.display.display", lambda what, **_: shown.append(what))
    TABLE._ipython_display_()
    field, table = shown
    assert field.get_state()["name"] == TABLE.name
    assert table == {"text/html": TABLE._repr_html_(), "text/plain": "rope"}


@pytest.mark.parametrize("kind", ["text/html", WIDGET])
def test_a_saved_field_says_what_to_do_without_its_kernel(kind):
    InteractiveShell.instance()
    data, _ = Search(name="posviz-words")._repr_mimebundle_()
    assert kind in data
    assert data["text/html"] == PLACE
