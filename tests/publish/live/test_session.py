"""What Python does in a page's worker, with a stand-in for the worker."""

import itertools
import json
import random
import sys
from types import SimpleNamespace

import numpy as np
import pytest
import traitlets

from posviz.pictures.stream import fonts


@pytest.fixture
def told(monkeypatch):
    """What the page is told: (id, message, buffers)."""
    frames = []
    monkeypatch.setitem(sys.modules, "_host", SimpleNamespace(call=frames.append))

    def taken():
        found = []
        for frame in frames:
            head, _, rest = frame.partition(b"\n")
            id, message, sizes = json.loads(head)
            assert sum(sizes) == len(rest)
            ends = [sum(sizes[:i]) for i in range(len(sizes) + 1)]
            found.append((id, message, [rest[i:j] for i, j in itertools.pairwise(ends)]))
        frames.clear()
        return found

    return taken


@pytest.fixture
def session(monkeypatch):
    """The module; matplotlib keeps reading its fonts from files."""
    monkeypatch.setattr(fonts, "hold_fonts_in_memory", lambda: None)
    from posviz_tools.publish.live import session

    yield session
    session.forget()


SCREEN = {"part": "screen", "view": "v", "ask": True, "ratio": 1.0}


@pytest.mark.slow("figures")
def test_a_page_offers_no_devices(session, told):
    session.open_explorer("a", "RotaryScores", {}, {}, "notebook")
    [(_, message, _)] = told()
    labels = [control["label"] for control in message["shown"]["controls"]]
    assert "device" not in labels
    assert labels


@pytest.mark.slow("figures")
def test_each_message_reaches_its_own_explorer(session, told):
    for id, position in (("a", 3), ("b", 5)):
        session.open_explorer(id, "SinusoidalTable", {}, {"position": position}, "notebook")
        session.hear(id, SCREEN)
    opened = told()
    assert [id for id, *_ in opened] == ["a", "a", "b", "b"]
    places = [{"knob": c["name"], "place": c["place"]} for c in opened[0][1]["shown"]["controls"]]
    assert {"knob": "position", "place": 3} in places
    frame, buffers = opened[3][1:]
    assert frame["caption"].startswith("Row 5 ")
    assert frame["whole"]
    assert len(buffers) > 1
    assert buffers[0].startswith(b"\x89PNG")

    moved = {"knob": "position", "view": "v", "number": 1, "change": 0, "place": 9}
    session.hear("a", moved)
    answers = told()
    assert {id for id, *_ in answers} == {"a"}
    assert answers[0][1]["caption"].startswith("Row 9 ")
    assert answers[-1][1]["values"]["position"] == 9
    session.hear("a", moved)
    assert "values" not in told()[-1][1]


@pytest.mark.parametrize(
    ("name", "values", "error"),
    [
        ("__import__", {}, AttributeError),
        ("SinusoidalTable", {"position": 10**9}, traitlets.TraitError),
        ("SinusoidalTable", {"compute": "1"}, Exception),
    ],
)
def test_what_is_no_picture_of_a_lesson_is_refused(session, told, name, values, error):
    with pytest.raises(error):
        session.open_explorer("a", name, {}, values, "notebook")
    assert told() == []


def test_an_explorer_that_is_forgotten_hears_nothing(session, told):
    session.open_explorer("a", "TwoHands", {}, {}, "notebook")
    session.forget()
    with pytest.raises(KeyError):
        session.hear("a", SCREEN)


def test_each_visit_has_random_numbers_of_its_own(session):
    drawn = []
    for _ in range(2):
        random.seed(0), np.random.seed(0)  # noqa: NPY002
        session.forget()
        drawn.append({random.random(), np.random.rand()})  # noqa: NPY002
    assert not drawn[0] & drawn[1]
