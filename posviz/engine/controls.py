"""A control for every kind of knob, tied to the picture both ways."""

import html

import ipywidgets as widgets
import traitlets

from posviz.engine import knobs
from posviz.engine.looks import drawing
from posviz.engine.slider import Slider

_LABEL = {"description_width": "9em"}


class Link:
    """Keeps a knob and a widget's value equal; refused values are reported and taken back."""

    def __init__(self, picture, name, widget, report):
        self.picture, self.name, self.widget, self.report = picture, name, widget, report
        self._turning = False
        self._knob_turned(None)
        picture.observe(self._knob_turned, name)
        widget.observe(self._widget_moved, "value")

    def _knob_turned(self, _):
        if not self._turning:
            self.widget.value = getattr(self.picture, self.name)

    def _widget_moved(self, _):
        with drawing:
            self._follow_widget()

    def _follow_widget(self):
        # Not the notice's value: another thread may have moved the widget since.
        before, wanted = getattr(self.picture, self.name), self.widget.value
        if self._turning or wanted == before:
            return
        self._turning = True
        try:
            setattr(self.picture, self.name, wanted)
            self.widget.value = getattr(self.picture, self.name)  # what was typed may be cleaned
        except traitlets.TraitError as error:
            self.widget.value = before
            self.report(error)
        finally:
            self._turning = False

    def unlink(self):
        """Untie both ends."""
        self.picture.unobserve(self._knob_turned, self.name)
        self.widget.unobserve(self._widget_moved, "value")


def control(picture, name, report):
    """The control for one knob: (box to show, main widget, links)."""
    knob = picture.knobs()[name]
    make = next(make for kind, make in _MAKERS.items() if isinstance(knob, kind))
    return make(picture, name, knob, report)


def _slider(picture, name, knob, report):
    slider = Slider(picture, name)
    return slider, slider, []


def _choice(picture, name, knob, report):
    options = [(str(option), option) for option in knob.options]
    if len(options) <= 4 and sum(len(text) for text, _ in options) <= 48:
        style, layout = _LABEL | {"button_width": "auto"}, {"width": "max-content"}
        picker = widgets.ToggleButtons(
            options=options, description=knob.label, style=style, layout=layout
        )
        picker.add_class("widget-inline-hbox")  # the label beside the buttons, as sliders have it
    else:
        picker = widgets.Dropdown(options=options, **_shared(knob))
    return picker, picker, [Link(picture, name, picker, report)]


def _device(picture, name, knob, report):
    """The devices that are here; the rest in grey, with the reason."""
    _, picker, links = _choice(picture, name, knob, report)
    why = "; ".join(f"{device}: {reason}" for device, reason in knob.reasons.items())
    note = widgets.HTML(f"<span style='opacity: .6'>{html.escape(why)}</span>")
    return widgets.HBox([picker, note]), picker, links


def _switch(picture, name, knob, report):
    box = widgets.Checkbox(**_shared(knob))
    return box, box, [Link(picture, name, box, report)]


def _text(picture, name, knob, report):
    line = widgets.Text(**_shared(knob))
    return line, line, [Link(picture, name, line, report)]


def _shared(knob) -> dict:
    """The label, and the width that sliders have."""
    return {"description": knob.label, "style": _LABEL, "layout": {"width": "560px"}}


_MAKERS = {
    knobs.device: _device,
    knobs.choice: _choice,
    knobs.switch: _switch,
    knobs.text: _text,
    knobs.number: _slider,
}
