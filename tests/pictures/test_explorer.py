"""The explorer: controls over a screen; nothing is left when it goes."""

import base64
import gc
import io
import json
import weakref

import numpy as np
import pytest
from ipywidgets.widgets.widget import _instances
from PIL import Image

from tests.pictures.sample import Browser, Failing, Hand
from tests.pictures.stream.replay import Scene, fresh_pixels

pytestmark = pytest.mark.slow("figures")


@pytest.fixture
def picture():
    return Failing()


@pytest.fixture
def explorer(picture):
    explorer = picture.explore()
    yield explorer
    explorer.close()


@pytest.fixture
def browser(explorer):
    """A browser in which one view of the explorer is open."""
    browser = Browser(explorer.screen)
    browser.say("a", ratio=1)
    return browser


def last_pixels(browser) -> np.ndarray:
    scene = Scene()
    for message, buffers in browser.messages:
        if "frame" in message:
            scene.take(message, buffers)
    return scene.pixels()


def alike(one, other) -> bool:
    """Whether they differ by no more than float32 rounds."""
    return bool(np.abs(one.astype(int) - other).max() <= 3)


# ---------------------------------------------------------------- frames


def test_four_controls_are_shown_and_more_on_request(explorer, picture):
    assert list(explorer.controls) == list(picture.knobs())
    *first, later, buttons = explorer.children[0].children
    boxes = [*first, *later.children]
    assert [getattr(box, "children", [box])[0] for box in boxes] == [*explorer.controls.values()]
    assert len(first) == 4
    assert "posviz-closed" in later._dom_classes
    explorer.more.value = True
    assert "posviz-closed" not in later._dom_classes
    assert buttons.children == (explorer.more, explorer.reset_button, explorer.export.button)
    assert explorer.screen in explorer.children
    assert explorer.error in explorer.children


def test_a_slider_moves_the_picture(explorer, browser, picture):
    Hand(explorer.controls["position"]).move(20)
    assert [frame["frame"] for frame in browser.frames] == [1, 2]
    assert browser.frames[-1]["caption"].startswith("At position 20 ")
    assert alike(last_pixels(browser), fresh_pixels(picture))


def test_nothing_is_computed_while_nobody_looks(explorer, picture, monkeypatch):
    monkeypatch.setattr(Failing, "compute", lambda _: pytest.fail("computed for nobody"))
    picture.position = 20
    assert explorer.live.layers is None


@pytest.mark.slow("draws many figures")
def test_reset_brings_every_knob_back_in_one_frame(explorer, browser, picture):
    start = picture.values()
    picture.position, picture.shape, picture.base, picture.lines = 20, "cosine", 2000, 4
    count = len(browser.frames)
    explorer.reset_button.click()
    assert picture.values() == start
    assert explorer.controls["position"].place == 3
    assert len(browser.frames) == count + 1
    assert alike(last_pixels(browser), fresh_pixels(picture))


# ---------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("compute", "ValueError: too &lt;wide&gt; &amp; too long"),
        ("drawing", "ParseSyntaxException"),
    ],
)
def test_an_error_is_shown_the_old_picture_stays_and_reset_works(
    explorer, browser, picture, place, message
):
    good = last_pixels(browser)
    with picture.hold_trait_notifications():
        picture.width, picture.fail = 12, place
    assert "role='alert'" in explorer.error.value
    assert message in explorer.error.value
    assert "<wide>" not in explorer.error.value
    assert len(browser.frames) == 1
    explorer.reset_button.click()
    assert explorer.error.value == ""
    assert np.array_equal(last_pixels(browser), good)


# ---------------------------------------------------------------- where no kernel is


def test_the_mime_bundle_holds_widget_picture_and_caption(explorer, picture):
    data, metadata = explorer._repr_mimebundle_()
    caption = picture.caption(picture.compute())
    assert data["application/vnd.jupyter.widget-view+json"]["model_id"] == explorer.model_id
    assert data["text/plain"] == f"Failing: {caption}"
    assert metadata["image/png"] == {"width": 400, "alt": caption}
    png = base64.b64decode(data["image/png"])
    image = np.asarray(Image.open(io.BytesIO(png)).convert("RGB")).astype(int)
    assert np.abs(image - fresh_pixels(picture)[..., :3]).mean() < 2  # 255 colours, so nearly
    assert len(png) < 30 * 1024
    json.dumps([data, metadata])
    assert explorer.live.layers is None


def test_the_stored_picture_is_light_on_a_dark_page(explorer, browser):
    browser.say("b", ratio=2, dark=True)
    assert explorer.live.dark
    png = base64.b64decode(explorer._repr_mimebundle_()[0]["image/png"])
    with Image.open(io.BytesIO(png)) as image:
        assert (image.size, image.convert("RGB").getpixel((0, 0))) == ((400, 200), (255,) * 3)


# ---------------------------------------------------------------- letting go


def test_closing_leaves_no_widget_and_no_observer(picture):
    before = set(_instances)
    explorer = picture.explore()
    browser = Browser(explorer.screen)
    browser.say("a", ratio=1)
    assert len(set(_instances) - before) > 40
    explorer.close()
    assert set(_instances) - before == set()
    picture.position = 20
    assert len(browser.frames) == 1
    explorer.close()


def test_a_closed_explorer_is_freed_and_so_is_its_figure(picture):
    explorer = picture.explore()
    Browser(explorer.screen).say("a", ratio=1)
    kept = [weakref.ref(thing) for thing in (explorer, explorer.screen, explorer.live)]
    kept.append(weakref.ref(explorer.live.layers.figure))
    explorer.close()
    del explorer
    gc.collect()
    assert [reference() for reference in kept] == [None] * 4


def test_two_explorers_of_one_picture_move_together(explorer, picture):
    other = picture.explore()
    hand, seen = Hand(explorer.controls["position"]), Hand(other.controls["position"])
    hand.move(20)
    assert seen.heard["place"] == 20
    other.close()
    hand.move(21)
    assert picture.position == 21


# ---------------------------------------------------------------- Reset


def test_reset_stops_play_and_drops_its_last_steps(explorer, picture):
    hand = Hand(explorer.controls["position"])
    hand.move(20)
    under_way = hand.heard["change"]
    explorer.reset()
    assert any(message.get("stop") for message, _ in hand.wire.messages)
    hand.send(place=21, change=under_way)
    assert (picture.position, hand.heard["place"]) == (3, 3)
