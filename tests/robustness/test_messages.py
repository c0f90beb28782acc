"""Messages that no view would send: frames go on to those who look, and memory does not grow."""

import itertools
import json

import pytest

from posviz.pictures.screen import MOST_VIEWS
from tests.pictures.sample import Browser, Hand, Waves

ODD = (None, True, -1, 1e308, 10**400, float("nan"), "", "\ud800", [], {})
VALID = {
    "screen": {"view": "b", "ratio": 1, "ask": True, "gone": False, "plain": False, "dark": False},
    "place": {"view": "b", "number": 1, "change": 0, "place": 5},
    "typed": {"view": "b", "number": 1, "change": 0, "typed": "5"},
}
CHANGED = [
    (kind, {**valid, name: odd}) for kind, valid in VALID.items() for name in valid for odd in ODD
]
CHANGED += [(kind, {"view": "b"}) for kind in VALID] + [("screen", odd) for odd in ODD]


@pytest.fixture
def explorer():
    explorer = Waves().explore()
    yield explorer
    explorer.close()


def test_frames_go_on_whatever_is_sent(explorer):
    browser = Browser(explorer.screen)
    browser.say("a", ratio=1)
    slider, positions = explorer.controls["position"], itertools.cycle(range(39))
    heard = Hand(slider).wire
    for kind, message in CHANGED[::4]:
        (explorer.screen if kind == "screen" else slider)._receive(None, message, [])
        explorer.picture.position = next(positions)
        assert browser.frames[-1]["caption"].startswith(f"At position {explorer.picture.position}")
        assert 0.1 <= explorer.live.ratio <= 4
        json.dumps(heard.messages[-1][0], allow_nan=False)
        explorer.screen._receive(None, {"view": "b", "gone": True}, [])


def test_views_beyond_the_most_are_not_remembered(explorer):
    browser = Browser(explorer.screen)
    browser.say("a", ratio=1)
    for number in range(MOST_VIEWS + 5):
        explorer.screen._receive(None, {"view": f"view {number}", "ratio": 4}, [])
    assert len(explorer.screen.views) == len(browser.frames) == MOST_VIEWS
    explorer.picture.position = 30
    assert browser.frames[-1]["caption"].startswith("At position 30")
