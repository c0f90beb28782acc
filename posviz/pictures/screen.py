"""The screen: which views of a picture are open, and the frames that they are sent."""

from collections.abc import Callable

from posviz.pictures.live_figure import LiveFigure
from posviz.pictures.stream.frames import Frames


class Screen:
    """Sends frames to every view that is open; knows which are open and how sharp they are.

    There is no acknowledgement and so nothing that could stay in flight for ever: a view that has
    missed a frame, or comes back, asks for one.
    """

    def __init__(self, live: LiveFigure, refresh: Callable, tell: Callable) -> None:
        """`refresh` is called when a view asks for a frame."""
        self.live, self._refresh, self._tell = live, refresh, tell
        self.views: dict[str, dict] = {}  # the newest message of each that is open
        self.frame_number = 0  # of the newest frame
        self._frames = Frames()

    def show(self) -> None:
        """Send the present figure to every open view."""
        self.live.paint()
        fields, buffers = self._frames.next(self.live.layers)
        self.frame_number += 1
        head = {"frame": self.frame_number, "caption": self.live.caption, "drags": self.live.drags}
        self._tell(head | fields, buffers)

    def receive(self, message: dict) -> None:
        """Answer a view that asks for a frame, is open, was dragged in, or has been closed."""
        view, look = message["view"], self.live.look
        known = view in self.views and self.views[view]["ratio"] == message.get("ratio")
        if message.get("gone"):
            self.views.pop(view, None)
        else:
            self.views[view] = message
        if not self.views:
            self.live.release()
            self._frames.forget()
            return
        newest = list(self.views.values())[-1]
        self.live.look = look._replace(dark=newest.get("dark", False))
        self.live.ratio = min(max(latest["ratio"] for latest in self.views.values()), 4.0)
        new = self.live.look != look or not (known or message.get("gone"))
        if new or message.get("ask"):
            self._frames.forget()
            self._refresh()
        else:
            if "drag" in message:
                self.live.drag(*message["drag"])  # who observes the knobs shows the frame
            said = {"words": self.live.words_at(*message["over"])} if "over" in message else {}
            self._tell({"pong": view, **said}, [])

    def close(self) -> None:
        """Forget every view and free the figure."""
        self.views.clear()
        self.live.release()
