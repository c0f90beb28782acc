"""A slider that sends its newest value without waiting for the kernel to be idle."""

from pathlib import Path
from typing import Any

import anywidget
import traitlets

from posviz.pictures.declared import Declared
from posviz.pictures.messages import is_name, is_whole
from posviz.pictures.scripts import as_module
from posviz.pictures.style import drawing

_HERE = Path(__file__).parent


class Slider(anywidget.AnyWidget):
    """A number knob in the browser: a slider over its places, a box for the exact value, Play.

    It speaks by messages of its own: ipywidgets holds the next value of a synchronised trait back
    until the kernel has told that it is idle, which a page learns long after it has the frame. Here
    the next message is sent as soon as the last is answered, with the newest value alone.

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
    idle = traitlets.Unicode().tag(sync=True)  # why it changes nothing, or nothing

    def __init__(self, picture: Declared, name: str) -> None:
        knob: Any = picture.knobs()[name]
        super().__init__(label=knob.label, play=knob.play)
        self.width = max(len(knob.write(value)) for value in knob.stops(100))
        self.picture, self.name, self.knob = picture, name, knob
        self._change = 0  # how often the knob was changed from elsewhere
        self._setting_knob = False
        self._limit()
        picture.observe(self._knob_changed, name)
        picture.observe(self._others_changed, [*picture.knobs().keys() - {name}])
        self.on_msg(self._receive)

    @property
    def place(self) -> int:
        """The handle's place."""
        return self.knob.place(self._shown)

    @property
    def _shown(self):
        return getattr(self.picture, self.knob.name)

    def _limit(self):
        """Take the range that other knobs leave, and the reason if this one changes nothing."""
        self.idle = self.knob.idle(self.picture)
        self._end = self.knob.end(self.picture)
        self.last_place = self.knob.place(self._end)
        self.range = f"from {self.knob.low:,} to {self._end:,}"

    def _others_changed(self, _):
        before = self._end
        self._limit()
        if self._end != before:
            self._knob_changed(None)

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
        if not self._is_understood(message):
            return
        answer = {"view": message["view"], "number": message["number"]}
        with drawing:
            try:
                if message["change"] == self._change:
                    self._follow(message)
            except traitlets.TraitError as error:
                # Code calls the knob by its name, the screen by its label.
                answer["refused"] = str(error).replace(self.name, self.knob.label, 1)
            finally:  # without an answer the slider would wait
                self._tell(**answer)

    def _is_understood(self, message):
        """Whether a view of ours could have sent it."""
        return (
            isinstance(message, dict)
            and is_name(message.get("view"))
            and is_whole(message.get("number"), 0)
            and is_whole(message.get("change"), -1)
            and isinstance(message.get("typed", ""), str)
            and is_whole(message.get("place", 0), 0, self.knob.last_place)
            and (message["change"] < 0 or ("place" in message) != ("typed" in message))
        )

    def _follow(self, message):
        self._setting_knob = True
        try:
            if "place" in message:
                value = min(self.knob.at(message["place"]), self._end)
            else:
                value = self.knob.read(message["typed"])
                if self._end < value <= self.knob.high:
                    told = f"{self.name} = {value!r} is refused: it ends at {self._end:,} now."
                    raise traitlets.TraitError(told)
            setattr(self.picture, self.name, value)
        finally:
            self._setting_knob = False

    def _tell(self, **more):
        """Tell every view where the handle stands and what the box shows."""
        text = self.knob.write(self._shown)
        self.send({"place": self.place, "text": text, "change": self._change, **more})

    def close(self) -> None:
        """Stop observing the knobs."""
        if self.comm is not None:  # Widget.__del__ calls it again
            self.picture.unobserve(self._knob_changed, self.name)
            others = [*self.picture.knobs().keys() - {self.name}]
            self.picture.unobserve(self._others_changed, others)
        super().close()
