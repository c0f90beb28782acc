"""What README.md and protocol.d.ts say of the messages, held to what the kernel sends."""

import re
from pathlib import Path

from posviz.pictures.explorer import Explorer
from tests.pictures.sample import Browser, Hand, Waves

ROOT = Path(__file__).parents[2]
ENGINE = ROOT / "posviz" / "pictures"


def fields(interface) -> tuple[set[str], set[str]]:
    """The names that a message of this kind must have, and those that it may have."""
    types = (ENGINE / "protocol.d.ts").read_text("utf-8")
    body = re.search(rf"interface {interface} {{\n(.*?)\n}}", types, re.DOTALL)
    found = re.findall(r"^  (\w+)(\??):", body[1], re.MULTILINE)
    return {name for name, may in found if not may}, {name for name, may in found if may}


def test_messages_have_the_fields_that_their_types_name():
    explorer = Explorer(Waves())
    hand = Hand(explorer.controls["position"])
    hand.type("100")
    refused = hand.heard
    explorer.reset()
    browser = Browser(explorer.screen)
    browser.say("a", ratio=1)
    browser.say("a", ratio=1)
    browser.say("a", ratio=1, ask=True, plain=True)
    frame, pong, plain = [set(message) for message, _ in browser.messages]
    must, may = fields("Frame")
    assert (frame, plain) == (must, must | may)
    assert (pong, set()) == fields("Pong")
    must, may = fields("Standing")
    assert (set(refused) - must, set(hand.heard) - must) == (may - {"stop"}, {"stop"})
    explorer.close()


def test_the_frame_is_sent_before_the_sliders_answer(monkeypatch):
    explorer = Explorer(Waves())
    sent = []
    screen, slider = explorer.screen, explorer.controls["position"]
    monkeypatch.setattr(screen, "send", lambda message, buffers=None: sent.append("frame"))
    monkeypatch.setattr(slider, "send", lambda message: sent.append("answer"))
    screen.views["a"] = None
    slider._receive(None, {"view": "a", "number": 1, "change": 0, "place": 5}, [])
    assert sent == ["frame", "answer"]
    explorer.close()
