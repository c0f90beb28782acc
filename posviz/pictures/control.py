"""A knob's control: what its views show, and the messages that they and it exchange."""

import bisect
from collections.abc import Callable
from typing import Any

import traitlets

from posviz.pictures import knobs
from posviz.pictures.drawing import Drawing

_ROW = 42  # letters of options that stand in a row as buttons; more are a list


class Control:
    """A number, a choice, a switch or a text, as views see it: places, a text, and a label.

    Each message of a view is answered, and the next is sent after the answer, with the newest value
    alone. A place that was sent before the knob was changed from elsewhere comes too late and is
    dropped: each message names the change it knows of.
    """

    def __init__(self, picture: Drawing, name: str, tell: Callable) -> None:
        self.picture, self.name, self._send = picture, name, tell
        self.knob: Any = picture.knobs()[name]
        self._change = 0  # how often the knob was changed from elsewhere
        self._setting_knob = False
        self._last_state: dict = self.state()
        picture.observe(self._knob_changed, list(picture.knobs()))

    @property
    def shown(self) -> dict[str, Any]:
        """What a view needs in order to draw the control, and where it stands."""
        knob = self.knob
        texts = [str(option) for option in knob.options] + [*knob.reasons]
        samples = knob.sample_values(100) if isinstance(knob, knobs.numeric) else []
        return {
            "name": self.name,
            "kind": self._kind(texts),
            "label": knob.label,
            "first": self.name in self.picture.first_knobs(),
            "texts": texts,
            "absent": {str(name): why for name, why in knob.reasons.items()},
            "width": max((len(knob.write(value)) for value in samples), default=0),
            "play": knob.play,
            **self.state(),
        }

    def _kind(self, texts):
        for kind, of in (("slider", knobs.numeric), ("switch", knobs.switch), ("text", knobs.text)):
            if isinstance(self.knob, of):
                return kind
        is_row = len(texts) <= 4 and sum(len(text) + 3 for text in texts) <= _ROW
        return "buttons" if is_row or isinstance(self.knob, knobs.device) else "list"

    def state(self) -> dict[str, Any]:
        """Where the control stands, how far it reaches, and why it changes nothing, if so."""
        knob, value = self.knob, getattr(self.picture, self.name)
        state = {"place": knob.place_of(value), "text": knob.write(value)}
        state |= {"idle": knob.why_idle(self.picture), "range": "", "last_place": knob.last_place}
        if isinstance(knob, knobs.numeric):
            end = knob.end(self.picture)
            last_place = bisect.bisect_left(knob.values, end)  # whose value may be beyond the end
            state |= {"range": f"from {knob.low:,} to {end:,}", "last_place": last_place}
        return state

    def stop(self) -> None:
        """Stop playing, and drop messages that are still under way."""
        self._change += 1
        self._send_state(stop=True)

    def _knob_changed(self, _):
        """A knob was changed: tell what that means for this one."""
        if not self._setting_knob and self.state() != self._last_state:
            self._change += 1
            self._send_state()

    def receive(self, message: dict) -> None:
        """A view asks how things stand, or moves the handle, or sends what was typed."""
        answer = {"view": message["view"], "number": message["number"]}
        try:
            if message["change"] == self._change:
                self._follow(message)
        except traitlets.TraitError as error:
            # Code calls the knob by its name, the screen by its label.
            answer["refused"] = str(error).replace(self.name, self.knob.label, 1)
        finally:  # without an answer the control would wait
            self._send_state(**answer)

    def _follow(self, message):
        self._setting_knob = True
        try:
            setattr(self.picture, self.name, self._value_in(message))
        finally:
            self._setting_knob = False

    def _value_in(self, message):
        knob = self.knob
        if "place" in message:
            return knob.values[message["place"]]
        value = knob.read(message["typed"])
        if isinstance(knob, knobs.numeric) and (end := knob.end(self.picture)) < value <= knob.high:
            message = f"{self.name} = {value!r} is refused: it ends at {end:,} now."
            raise traitlets.TraitError(message)
        return value

    def _send_state(self, **more):
        self._last_state = self.state()
        self._send({**self._last_state, "change": self._change, **more})

    def close(self) -> None:
        """Stop observing the knobs."""
        self.picture.unobserve(self._knob_changed, list(self.picture.knobs()))
