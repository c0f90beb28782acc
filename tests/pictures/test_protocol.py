"""What README.md and protocol.d.ts say of the messages, held to what the kernel sends."""

import re
from pathlib import Path

from tests.pictures.sample import Browser, Hand, Waves

ROOT = Path(__file__).parents[2]
ENGINE = ROOT / "posviz" / "pictures"


def fields(interface) -> tuple[set[str], set[str]]:
    """The names that a message of this kind must have, and those that it may have."""
    types = (ENGINE / "protocol.d.ts").read_text("utf-8")
    body = re.search(rf"interface {interface}(?: extends \w+)? {{\n(.*?)\n}}", types, re.DOTALL)
    found = re.findall(r"^  (\w+)(\??):", body[1], re.MULTILINE)
    return {name for name, may in found if not may}, {name for name, may in found if may}


def test_messages_have_the_fields_that_their_types_name():
    browser = Browser(Waves())
    hand = Hand(browser, "position")
    hand.type("100")
    refused = hand.heard
    browser.explorer.reset()
    browser.say("a", ratio=1)
    browser.say("a", ratio=1)
    frame, pong = [set(message) for message, _ in browser.messages]
    assert (frame, set()) == fields("Frame")
    assert pong == {"pong"}
    must, may = fields("Standing")
    must |= fields("Limits")[0] | {"knob"}
    assert (set(refused) - must, set(hand.heard) - must) == (may - {"stop"}, {"stop"})
    shown = browser.explorer.shown
    assert set(shown) == fields("ExplorerShown")[0]
    assert set(shown["export"]) == fields("ExportShown")[0]
    standing = fields("Limits")[0] | {"place", "text"}
    assert all(set(each) == fields("ControlShown")[0] | standing for each in shown["controls"])


def test_the_frame_is_sent_before_the_controls_answer():
    browser = Browser(Waves())
    hand = Hand(browser, "position")
    browser.say("a", ratio=1)
    count = len(browser.told)
    hand.move(5)
    assert [set(message) >= {"frame"} for message, _ in browser.told[count:]] == [True, False]
