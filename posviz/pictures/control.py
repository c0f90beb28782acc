"""A knob's control: what its views show, and the messages that they and it exchange."""

from collections.abc import Callable
from typing import Any

import traitlets

from posviz.pictures.drawing import Drawing


class Control:
    """A number, a choice, a switch or a text, as views see it: places, a text, and a label.

    A view waits for the answer to its message, and then sends its newest value alone. Each message
    names the last change that its view knows of. If code has changed the knob since then, the
    message comes too late and is dropped.
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
        """Return what a view needs to draw the control, and the control's state."""
        knob = self.knob
        return {
            "name": self.name,
            "kind": knob.kind,
            "label": knob.label,
            "first": self.name in self.picture.first_knobs(),
            "texts": knob.texts,
            "absent": {str(name): why for name, why in knob.reasons.items()},
            "width": max((len(knob.write(value)) for value in knob.samples(100)), default=0),
            "play": knob.play,
            **self.state(),
        }

    def state(self) -> dict[str, Any]:
        """Return the control's place, its last place, and why it has no effect, if so."""
        knob, value = self.knob, getattr(self.picture, self.name)
        place = {"place": knob.place_of(value), "text": knob.write(value)}
        return place | {"idle": knob.why_idle(self.picture)} | knob.limits(self.picture)

    def stop(self) -> None:
        """Stop playing, and drop the messages that are still on their way."""
        self._change += 1
        self._send_state(stop=True)

    def _knob_changed(self, _):
        """Send the control's state if the change of any knob has changed it."""
        if not self._setting_knob and self.state() != self._last_state:
            self._change += 1
            self._send_state()

    def receive(self, message: dict) -> None:
        """Answer a view that asks for the state, moves the handle or sends a typed text."""
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
        return knob.read_for(self.picture, message["typed"])

    def _send_state(self, **more):
        self._last_state = self.state()
        self._send({**self._last_state, "change": self._change, **more})

    def close(self) -> None:
        """Stop observing the knobs."""
        self.picture.unobserve(self._knob_changed, list(self.picture.knobs()))
