"""The explorer: controls over a screen; nothing is left when it goes."""

import base64
import gc
import io
import json
import weakref

import numpy as np
import pytest
from PIL import Image

from posviz.pictures.explorer import Explorer
from tests.pictures.sample import Browser, Failing, Hand
from tests.pictures.stream.replay import Scene, decoded, fresh_pixels

pytestmark = pytest.mark.slow("figures")


@pytest.fixture
def picture():
    return Failing()


@pytest.fixture
def browser(picture):
    """A browser in which one view of the explorer is open."""
    browser = Browser(picture)
    browser.say("a", ratio=1)
    yield browser
    browser.explorer.close()


@pytest.fixture
def explorer(browser):
    return browser.explorer


@pytest.fixture
def widget(picture):
    widget = picture.explore()
    yield widget
    widget.close()


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
    shown = explorer.shown["controls"]
    assert [control["name"] for control in shown] == list(picture.knobs())
    assert [control["name"] for control in shown if control["first"]] == [*picture.first_knobs()]
    assert len(picture.first_knobs()) == 4


def test_a_slider_moves_the_picture(browser, picture):
    Hand(browser, "position").move(20)
    assert [frame["frame"] for frame in browser.frames] == [1, 2]
    assert browser.frames[-1]["caption"].startswith("At position 20 ")
    assert alike(last_pixels(browser), fresh_pixels(picture))


def test_nothing_is_computed_while_nobody_looks(picture, monkeypatch):
    monkeypatch.setattr(Failing, "compute", lambda _: pytest.fail("computed for nobody"))
    explorer = Browser(picture).explorer
    picture.position = 20
    assert explorer.live.layers is None


@pytest.mark.slow("draws many figures")
def test_reset_brings_every_knob_back_in_one_frame(explorer, browser, picture):
    start = picture.values()
    picture.position, picture.shape, picture.base, picture.lines = 20, "cosine", 2000, 4
    count = len(browser.frames)
    explorer.receive({"part": "reset"})
    assert picture.values() == start
    assert explorer.controls["position"].state()["place"] == 3
    assert len(browser.frames) == count + 1
    assert [message.get("part") for message, _ in browser.told][-2:] == ["screen", "reset"]
    assert alike(last_pixels(browser), fresh_pixels(picture))


# ---------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("compute", "ValueError: too <wide> & too long"),
        ("drawing", "ParseSyntaxException"),
    ],
)
def test_an_error_is_shown_the_old_picture_stays_and_reset_works(
    explorer, browser, picture, place, message
):
    good = last_pixels(browser)
    with picture.hold_trait_notifications():
        picture.width, picture.fail = 12, place
    told = [message["error"] for message, _ in browser.told if message.get("part") == "error"]
    assert message in told[-1]
    notice = "\nThe picture still shows the last good values."
    assert told[-1].endswith(notice) == (place == "compute")
    assert len(browser.frames) == 1
    explorer.receive({"part": "reset"})
    assert explorer.error == ""
    assert np.array_equal(last_pixels(browser), good)


# ---------------------------------------------------------------- where no kernel is


def test_the_mime_bundle_holds_widget_picture_and_caption(widget, picture):
    data, metadata = widget._repr_mimebundle_()
    caption = picture.caption(picture.compute())
    assert data["application/vnd.jupyter.widget-view+json"]["model_id"] == widget.model_id
    assert data["text/plain"] == repr(picture)
    assert metadata["image/png"] == {"width": 400, "alt": caption}
    png = base64.b64decode(data["image/png"])
    image = np.asarray(Image.open(io.BytesIO(png)).convert("RGB")).astype(int)
    assert np.abs(image - fresh_pixels(picture)[..., :3]).mean() < 2  # 255 colours, so nearly
    assert len(png) < 30 * 1024
    json.dumps([data, metadata])
    assert widget.explorer.live.layers is None


def test_the_stored_picture_is_light_on_a_dark_page(widget):
    widget.explorer.receive({"part": "screen", "view": "b", "ratio": 2, "dark": True})
    assert widget.explorer.live.look.dark
    png = base64.b64decode(widget._repr_mimebundle_()[0]["image/png"])
    with Image.open(io.BytesIO(png)) as image:
        assert (image.size, image.convert("RGB").getpixel((0, 0))) == ((400, 200), (255,) * 3)


def test_the_widget_carries_messages_both_ways(widget, picture):
    sent = []
    widget.comm.publish_msg = lambda kind, data=None, **_: sent.append(data)
    content = {"knob": "position", "view": "a", "number": 1, "change": 0, "place": 20}
    widget._handle_custom_msg(content, [])
    assert picture.position == 20
    assert [told["content"]["place"] for told in sent] == [20]


# ---------------------------------------------------------------- letting go


def test_a_closed_explorer_is_freed_and_so_is_its_figure(picture):
    widget = picture.explore()
    widget.explorer.receive({"part": "screen", "view": "a", "ratio": 1})
    kept = [weakref.ref(thing) for thing in (widget, widget.explorer, widget.explorer.live)]
    kept.append(weakref.ref(widget.explorer.live.layers.figure))
    widget.close()
    del widget
    gc.collect()
    assert [reference() for reference in kept] == [None] * 4


# ---------------------------------------------------------------- Reset


def test_reset_stops_play_and_drops_its_last_steps(browser, picture):
    hand = Hand(browser, "position")
    hand.move(20)
    under_way = hand.heard["change"]
    browser.explorer.reset()
    assert any(message.get("stop") for message in hand.all_heard)
    hand.send(place=21, change=under_way)
    assert (picture.position, hand.heard["place"]) == (3, 3)


def test_on_a_narrow_page_a_picture_is_drawn_as_in_a_papers_column(picture):
    told = []
    explorer = Explorer(picture, lambda message, buffers: told.append(buffers), "paper")
    width, height = explorer.shown["css"]
    assert width <= 374 < explorer.picture.size[0] * 100
    explorer.receive({"part": "screen", "view": "a", "ratio": 2})
    assert decoded(told[-1][0]).shape[:2] == pytest.approx((2 * height, 2 * width), abs=1)
    explorer.close()
