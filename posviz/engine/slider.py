"""A slider that does not wait for its turn."""

from pathlib import Path

import anywidget
import traitlets

from posviz.engine.looks import drawing

_HERE = Path(__file__).parent


class Slider(anywidget.AnyWidget):
    """A number knob in the browser: a slider over its places, a box for the exact value, Play.

    It speaks by messages of its own: ipywidgets holds the next value of a synchronised trait back
    until the kernel has told that it is idle, which a page learns long after it has the frame. Here
    the answer to one message lets the next one go, and only the newest value is sent.

    A place that was sent before the knob was turned from elsewhere comes too late and is dropped:
    each message names the turn it knows of.
    """

    _esm = (_HERE / "slider.js").read_text(encoding="utf-8")
    _css = (_HERE / "slider.css").read_text(encoding="utf-8")

    label = traitlets.Unicode().tag(sync=True)
    places = traitlets.Int().tag(sync=True)  # the last place; the first is 0
    range = traitlets.Unicode().tag(sync=True)
    play = traitlets.Bool().tag(sync=True)

    def __init__(self, picture, name):
        knob = picture.knobs()[name]
        super().__init__(label=knob.label, places=knob.places, play=knob.play)
        self.range = f"from {knob.low:,} to {knob.high:,}"
        self.picture, self.name, self.knob = picture, name, knob
        self._turn = 0  # how often the knob was turned from elsewhere
        self._turning = False
        picture.observe(self._knob_turned, name)
        self.on_msg(self._receive)

    @property
    def place(self) -> int:
        """Where the handle stands."""
        return self.knob.place(getattr(self.picture, self.name))

    def stop(self):
        """Stop playing, and drop what is still under way."""
        self._turn += 1
        self._tell(stop=True)

    def _knob_turned(self, _):
        if not self._turning:
            self._turn += 1
            self._tell()

    def _receive(self, _, message, buffers):
        """A view asks for the value, or moves the handle, or sends what was typed."""
        answer = {"view": message["view"], "number": message["number"]}
        with drawing:
            try:
                if message["turn"] == self._turn:
                    self._follow(message)
            except traitlets.TraitError as error:
                answer["refused"] = str(error)
            finally:  # without an answer the slider would wait
                self._tell(**answer)

    def _follow(self, message):
        self._turning = True
        try:
            if "place" in message:
                value = self.knob.at(message["place"])
            else:
                value = self.knob.read(message["typed"])
            setattr(self.picture, self.name, value)
        finally:
            self._turning = False

    def _tell(self, **more):
        """Tell every view where the handle stands and what the box shows."""
        value = getattr(self.picture, self.name)
        self.send({"place": self.place, "text": self.knob.write(value), "turn": self._turn, **more})

    def close(self):
        """Part from the knob."""
        if self.comm is not None:  # Widget.__del__ calls it again
            self.picture.unobserve(self._knob_turned, self.name)
        super().close()
