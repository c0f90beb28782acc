"""The screen: a canvas in the browser that shows frames of a live figure."""

import base64
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import anywidget
import traitlets

from posviz.pictures.declared import Declared
from posviz.pictures.live_figure import LiveFigure
from posviz.pictures.messages import is_name
from posviz.pictures.scripts import as_module
from posviz.pictures.stream.frames import Frames
from posviz.pictures.style import drawing

_HERE = Path(__file__).parent
FORGET_AFTER = 60.0  # seconds; a view that is seen is heard every two
MOST_VIEWS = 32  # further ones wait until one is closed or forgotten
LOWEST, HIGHEST = 0.1, 100.0  # ratios: browsers zoom from 0.25 to 5, and a full screen by more
FLAGS = ("ask", "gone", "plain", "dark")


class View(NamedTuple):
    """An open view: pixels per CSS pixel of the picture's own size; its page's look; when heard."""

    ratio: float
    dark: bool
    heard: float  # seconds


class Screen(anywidget.AnyWidget):
    """Sends frames to every view that is open; knows which are open and how sharp they are.

    There is no acknowledgement and so nothing that could stay in flight for ever: a view that has
    missed a frame, or comes back, asks for one.
    """

    # Strings, not paths: with a path anywidget watches the file and keeps every instance alive.
    _esm = as_module(_HERE / "screen.js")
    _css = (_HERE / "screen.css").read_text("utf-8")

    css: Any = traitlets.List().tag(sync=True)  # pixels that the picture is drawn for
    drags = traitlets.Bool().tag(sync=True)  # whether something in the picture can be dragged

    def __init__(self, live: LiveFigure, refresh: Callable[[], None]) -> None:
        """`refresh` is called when a view asks for a frame."""
        super().__init__(
            css=[round(100 * inches) for inches in live.picture.size],
            drags=type(live.picture).dragged is not Declared.dragged,
        )
        self.live, self._refresh = live, refresh
        self.views: dict[str, View] = {}
        self.frame_number = 0  # of the newest frame
        self._frames = Frames()
        self._plain = False  # whether a view's host loses binary buffers
        self.on_msg(self._receive)

    def show(self) -> None:
        """Send the figure as it stands to every open view."""
        self.live.paint()
        fields, buffers = self._frames.next(self.live.layers)
        self.frame_number += 1
        head = {"frame": self.frame_number, "caption": self.live.caption}
        if self._plain:
            head["text"] = [base64.b64encode(buffer).decode() for buffer in buffers]
            buffers = []
        self.send(head | fields | {"buffers": len(buffers)}, buffers)

    def _receive(self, _, message, buffers):
        """Handle a message of a view: it asks, is open, was dragged in, or has been closed."""
        with drawing:
            if _is_understood(message):
                self._hear(message)

    def _hear(self, message):
        view, now = message["view"], time.monotonic()
        known = view in self.views and self.views[view].ratio == message.get("ratio")
        dark = self.live.dark
        # A crashed page sends no message; a hidden one stops sending, and asks for a frame later.
        kept = {name: v for name, v in self.views.items() if now - v.heard < FORGET_AFTER}
        if message.get("gone"):
            kept.pop(view, None)
        elif view in kept or len(kept) < MOST_VIEWS:
            kept[view] = View(message["ratio"], message.get("dark", False), now)
        else:
            return
        self.views = kept
        if not self.views:
            self.live.release()
            self._frames.forget()
            return
        self._plain = self._plain or message.get("plain", False)
        self.live.dark = list(self.views.values())[-1].dark  # as the view that was opened last
        self.live.ratio = min(max(v.ratio for v in self.views.values()), 4.0)
        new = self.live.dark != dark or not (known or message.get("gone"))
        if new or message.get("ask"):
            self._frames.forget()
            self._refresh()
        else:
            if "drag" in message:
                self.live.drag(*message["drag"])  # who observes the knobs shows the frame
            self.send({"pong": view})

    def close(self) -> None:
        """Forget every view and free the figure."""
        with drawing:
            self.views.clear()
            self.live.release()
        super().close()


def _is_understood(message):
    """Whether a view of ours could have sent it."""
    return (
        isinstance(message, dict)
        and is_name(message.get("view"))
        and all(isinstance(message.get(flag, False), bool) for flag in FLAGS)
        and (message.get("gone") or _is_ratio(message.get("ratio")))
        and _is_place(message.get("drag", [0, 0]))
    )


def _is_ratio(value):
    return type(value) in (int, float) and LOWEST <= value <= HIGHEST


def _is_place(value):
    return isinstance(value, list) and len(value) == 2 and all(map(_is_share, value))


def _is_share(value):
    return type(value) in (int, float) and 0 <= value <= 1
