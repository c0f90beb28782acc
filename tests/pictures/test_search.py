"""A table that is searched: what a notebook, a stored one and a page are given."""

from IPython.core.interactiveshell import InteractiveShell

from posviz.pictures.search import Search, Searched
from posviz.pictures.stored import OURS, WIDGET

TABLE = Searched("words", "<table><tbody><tr><td>one</td></tr></tbody></table>", "one")


def test_a_notebook_shows_a_field_above_the_table(monkeypatch):
    shown = []
    monkeypatch.setattr("IPython.display.display", lambda thing, **how: shown.append((thing, how)))
    TABLE._ipython_display_()
    [(field, _), (table, how)] = shown
    assert isinstance(field, Search)
    assert field.name == "words"
    assert table == {"text/html": TABLE._repr_html_(), "text/plain": "one"}
    assert how == {"raw": True}


def test_the_field_is_one_of_our_widgets_and_leaves_a_place_for_a_page():
    InteractiveShell.instance()
    field = Search(name="words")
    data, _ = field._repr_mimebundle_()
    assert OURS in data[WIDGET]
    assert 'class="posviz-search"' in data["text/html"]
    layout = field.layout
    field.close()
    assert (field.comm, layout.comm) == (None, None)
