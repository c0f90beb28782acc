"""The screen: who sees it, what goes over the wire, and when the figure may go."""

import gc
import weakref

import numpy as np
import pytest

from tests.pictures.sample import Browser, Dragged, Waves, place_of
from tests.pictures.stream.replay import Scene, decoded, fresh_pixels

pytestmark = pytest.mark.slow("figures")


@pytest.fixture
def browser():
    browser = Browser(Waves())
    yield browser
    browser.explorer.close()


@pytest.fixture
def screen(browser):
    return browser.explorer.screen


def seen(messages) -> np.ndarray:
    """What is seen after these messages by a browser that got no others."""
    scene = Scene()
    for message, buffers in messages:
        if "frame" in message:
            scene.take(message, buffers)
    return scene.pixels()


def is_right(pixels, picture, dpi=100):
    """Whether these are the picture's pixels, as far as rounding goes."""
    return np.abs(pixels - fresh_pixels(picture, dpi).astype(int)).max() <= 2


def test_a_frame_holds_number_caption_and_what_moved(screen, browser):
    browser.say("a", ratio=1)
    message, buffers = browser.messages[0]
    picture = screen.live.picture
    moved = message.pop("moved")
    assert message == {
        "frame": 1,
        "caption": picture.caption(picture.compute()),
        "drags": "",
        "whole": True,
        "artists": len(screen.live.layers.front),
    }
    assert len(moved) == message["artists"]
    assert is_right(seen([(message | {"moved": moved}, buffers)]), picture)


def test_a_view_that_lost_a_frame_asks_and_gets_a_whole_one(screen, browser):
    browser.say("a", ratio=1)
    screen.live.picture.position = 7
    screen.live.picture.position = 8
    browser.say("a", ratio=1, ask=True)
    assert [frame["whole"] for frame in browser.frames] == [True, False, False, True]
    assert is_right(seen(browser.messages[-1:]), screen.live.picture)


def test_the_sharpest_screen_decides_up_to_four(screen, browser):
    widths = []
    for view, ratio in [("a", 1), ("b", 2), ("b", 1.25), ("c", 9), ("a", 1)]:
        browser.say(view, ratio=ratio, ask=True)
        widths.append(decoded(browser.messages[-1][1][0]).shape[1])
    assert widths == [400, 800, 500, 1600, 1600]
    browser.say("c", gone=True)
    screen.show()
    assert decoded(browser.messages[-1][1][0]).shape[1] == 500
    assert browser.explorer.shown["css"] == [400, 200]


def test_the_picture_is_as_dark_as_the_page_of_the_view_that_opened_last(screen, browser):
    corners = []
    for view, said in [
        ("a", {"dark": False}),
        ("b", {"dark": True}),
        ("a", {"dark": False}),
        ("b", {"gone": True}),
        ("a", {"dark": True}),
    ]:
        count = len(browser.frames)
        browser.say(view, ratio=1, **said)
        new = len(browser.frames) > count
        corners.append(decoded(browser.messages[-1][1][0])[0, 0, 0] if new else None)
    assert corners == [0xFF, 0x1B, None, 0xFF, 0x1B]


def test_the_figure_goes_with_its_last_view_and_comes_back(screen, browser):
    browser.say("a", ratio=1)
    browser.say("b", ratio=1)
    figure = weakref.ref(screen.live.layers.figure)
    browser.say("a", gone=True)
    gc.collect()
    assert figure() is not None
    browser.say("b", gone=True)
    gc.collect()
    assert figure() is None
    browser.say("c", ratio=1)
    assert browser.frames[-1]["frame"] == 3
    assert browser.messages[-1][1] == browser.messages[0][1]


def test_a_ping_is_answered_and_changes_nothing(screen, browser):
    browser.say("a", ratio=1)
    frames = len(browser.frames)
    browser.say("a", ratio=1)
    assert browser.messages[-1] == ({"pong": "a"}, [])
    assert len(browser.frames) == frames


def test_a_drag_shows_the_frame_and_is_answered():
    browser = Browser(Dragged())
    explorer = browser.explorer
    browser.say("a", ratio=1)
    browser.say("a", ratio=1, drag=place_of(explorer.live, 16, 0.75))
    frame, pong = (message for message, _ in browser.messages[1:])
    assert (frame["frame"], pong) == (2, {"pong": "a"})
    assert (explorer.picture.width, explorer.picture.phase) == (16, 0.75)
    assert explorer.controls["phase"].state()["place"] == 75
    browser.say("a", ratio=1, drag=[0, 0])
    browser.say("a", ratio=1, over=[0, 0])
    words = {"pong": "a", "words": ""}
    assert [message for message, _ in browser.messages[3:]] == [{"pong": "a"}, words]
    explorer.close()
