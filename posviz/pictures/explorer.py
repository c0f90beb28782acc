"""The explorer: controls and a screen for one picture, wherever its views are.

It speaks in messages (README.md): a widget carries them in Jupyter, a web worker on a page.
"""

import traceback
from collections.abc import Callable
from functools import partial

import traitlets

from posviz.pictures.control import Control
from posviz.pictures.drawing import Drawing
from posviz.pictures.export_panel import ExportPanel
from posviz.pictures.live_figure import LiveFigure
from posviz.pictures.screen import Screen
from posviz.pictures.style import Appearance, drawing
from posviz.wording import shortened

INCH = {"notebook": 100, "paper": 113}  # in CSS pixels: a paper's column fits a telephone


class Explorer:
    """Answers the views of one picture; `send(message, buffers)` reaches all of them.

    style: "notebook", or "paper" for a narrow page.
    """

    def __init__(
        self, picture: Drawing, send: Callable[[dict, list], None], style: str = "notebook"
    ) -> None:
        self.picture, self._send = picture, send
        self.start = picture.values()
        self.error = ""  # that is shown
        self.live = LiveFigure(picture, Appearance(style), INCH[style])
        self.controls = {
            name: Control(picture, name, partial(self._tell, knob=name)) for name in picture.knobs()
        }
        self.screen = Screen(self.live, self.refresh, partial(self._tell, part="screen"))
        self.export = ExportPanel(picture, partial(self._tell, part="export"))
        picture.observe(self._changed, list(self.controls))

    @property
    def shown(self) -> dict:
        """What a view needs in order to draw the explorer."""
        inches = self.picture.inches(self.live.look)
        return {
            "css": [round(self.live.inch * length) for length in inches],
            "controls": [control.shown for control in self.controls.values()],
            "export": self.export.shown,
        }

    def _tell(self, message, buffers=(), **of):
        self._send(of | message, list(buffers))

    def receive(self, message: dict) -> None:
        """A message of a view, to a knob's control or to another part."""
        with drawing:
            if "knob" in message:
                self.controls[message["knob"]].receive(message)
            elif message["part"] == "screen":
                self.screen.receive(message)
            elif message["part"] == "export":
                self.export.receive(message)
            else:
                self.reset()
                self._tell({}, part="reset")  # after the frame

    def refresh(self) -> None:
        """Bring the picture up to date and show it; an error is shown and the old picture stays."""
        with drawing:
            self._follow()
            if self.live.layers is not None and self.screen.views:
                self._show()

    def _changed(self, _):
        """Show the new frame: when knobs change together, only the first notice draws one."""
        with drawing:
            if self.screen.views and self._follow():
                self._show()

    def _follow(self) -> bool:
        """Move the artists, and return whether they moved; an error is shown, and they stay."""
        try:
            moved = self.live.follow()
        except Exception as error:
            self.report(error)
            return False
        self._tell_error("")
        return moved

    def _show(self):
        """Send a frame; an error in drawing it is shown, and the next frame begins anew."""
        try:
            self.screen.show()
        except Exception as error:
            self.live.release()
            self.report(error)

    def _tell_error(self, text):
        if text != self.error:
            self.error = text
            self._tell({"error": text}, part="error")

    def report(self, error: BaseException) -> None:
        """Show an exception under the controls, in one or two lines."""
        lines = shortened("".join(traceback.format_exception_only(error)).strip())
        if isinstance(error, traitlets.TraitError):  # a knob's own message is enough
            lines = str(error)
        kept = "\nThe picture still shows the last good values." if self.live.layers else ""
        self._tell_error(lines + kept)

    def reset(self) -> None:
        """Set every knob back to its first value, in one frame, of a new figure as at first."""
        self._tell_error("")
        with drawing:
            for control in self.controls.values():
                control.stop()
            self.live.release()
            if self.picture.values() == self.start:
                self.refresh()
            # Locked: notices are held for all threads, so a control's own message would get none.
            with self.picture.hold_trait_notifications():
                for name, value in self.start.items():
                    setattr(self.picture, name, value)

    def close(self) -> None:
        """Release the figure and stop observing the picture."""
        with drawing:
            self.picture.unobserve(self._changed, list(self.controls))
            for control in self.controls.values():
                control.close()
            self.screen.close()
