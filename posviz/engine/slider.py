"""A slider that sends its newest value without waiting for the kernel to be idle."""

from pathlib import Path
from typing import Any

import anywidget
import traitlets

from posviz.engine.picture import Picture
from posviz.engine.scripts import as_module
from posviz.engine.style import drawing

_HERE = Path(__file__).parent


class Slider(anywidget.AnyWidget):
    """A number knob in the browser: a slider over its places, a box for the exact value, Play.

    It speaks by messages of its own: ipywidgets holds the next value of a synchronised trait back
    until the kernel has told that it is idle, which a page learns long after it has the frame. Here
    the answer to one message lets the next one go, and only the newest value is sent.

    A place that was sent before the knob was changed from elsewhere comes too late and is dropped:
    each message names the change it knows of.
    """

    _esm = as_module(_HERE / "slider.js")
    _css = (_HERE / "slider.css").read_text(encoding="utf-8")

    label = traitlets.Unicode().tag(sync=True)
    last_place = traitlets.Int().tag(sync=True)  # the first is 0
    range = traitlets.Unicode().tag(sync=True)
    width = traitlets.Int().tag(sync=True)  # letters of the longest value
    play = traitlets.Bool().tag(sync=True)

    def __init__(self, picture: Picture, name: str) -> None:
        knob: Any = picture.knobs()[name]
        super().__init__(label=knob.label, last_place=knob.last_place, play=knob.play)
        self.range = f"from {knob.low:,} to {knob.high:,}"
        self.width = max(len(knob.write(value)) for value in knob.stops(100))
        self.picture, self.name, self.knob = picture, name, knob
        self._change = 0  # how often the knob was changed from elsewhere
        self._setting_knob = False
        picture.observe(self._knob_changed, name)
        self.on_msg(self._receive)

    @property
    def place(self) -> int:
        """The handle's place."""
        return self.knob.place(getattr(self.picture, self.name))

    def stop(self) -> None:
        """Stop playing, and drop messages that are still under way."""
        self._change += 1
        self._tell(stop=True)

    def _knob_changed(self, _):
        if not self._setting_knob:
            self._change += 1
            self._tell()

    def _receive(self, _, message, buffers):
        """A view asks for the value, or moves the handle, or sends what was typed."""
        answer = {"view": message["view"], "number": message["number"]}
        with drawing:
            try:
                if message["change"] == self._change:
                    self._follow(message)
            except traitlets.TraitError as error:
                answer["refused"] = str(error)
            finally:  # without an answer the slider would wait
                self._tell(**answer)

    def _follow(self, message):
        self._setting_knob = True
        try:
            if "place" in message:
                value = self.knob.at(message["place"])
            else:
                value = self.knob.read(message["typed"])
            setattr(self.picture, self.name, value)
        finally:
            self._setting_knob = False

    def _tell(self, **more):
        """Tell every view where the handle stands and what the box shows."""
        value = getattr(self.picture, self.name)
        self.send(
            {"place": self.place, "text": self.knob.write(value), "change": self._change, **more}
        )

    def close(self) -> None:
        """Stop observing the knob."""
        if self.comm is not None:  # Widget.__del__ calls it again
            self.picture.unobserve(self._knob_changed, self.name)
        super().close()
