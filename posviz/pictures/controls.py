"""A control for every kind of knob, tied to the picture both ways."""

import html
from collections.abc import Callable
from typing import Any

import ipywidgets as widgets
import traitlets

from posviz.pictures import knobs
from posviz.pictures.declared import Declared
from posviz.pictures.slider import Slider
from posviz.pictures.style import drawing

_LABEL = {"description_width": "9em"}


class Link:
    """Keeps a knob and a widget's value equal; refused values are reported and taken back."""

    def __init__(
        self, picture: Declared, name: str, widget: Any, report: Callable[[Exception], None]
    ) -> None:
        self.picture, self.name, self.widget, self.report = picture, name, widget, report
        self._setting_knob = False
        known: Any = picture.knobs()
        self._restarted = {
            other: known[other].low for other in getattr(known[name], "restarts", ())
        }
        self._knob_changed(None)
        picture.observe(self._knob_changed, name)
        widget.observe(self._widget_moved, "value")

    def _knob_changed(self, _):
        if not self._setting_knob:
            self.widget.value = getattr(self.picture, self.name)

    def _widget_moved(self, _):
        with drawing:
            self._follow_widget()

    def _follow_widget(self):
        # Not the notice's value: another thread may have moved the widget since.
        before, wanted = getattr(self.picture, self.name), self.widget.value
        if self._setting_knob or wanted == before:
            return
        self._setting_knob = True
        try:
            with self.picture.hold_trait_notifications():
                setattr(self.picture, self.name, wanted)
                for other, low in self._restarted.items():
                    setattr(self.picture, other, low)
            self.widget.value = getattr(self.picture, self.name)  # what was typed may be cleaned
        except traitlets.TraitError as error:
            self.widget.value = before
            self.report(error)
        finally:
            self._setting_knob = False

    def unlink(self) -> None:
        """Stop observing the knob and the widget."""
        self.picture.unobserve(self._knob_changed, self.name)
        self.widget.unobserve(self._widget_moved, "value")


class Greying:
    """Greys a widget while other knobs leave it nothing to change, and says why beside it."""

    def __init__(self, picture: Declared, name: str, widget: Any) -> None:
        self.picture, self.name, self.widget = picture, name, widget
        self.note = widgets.HTML()
        picture.observe(self._look, [*picture.knobs()[name].when])
        self._look()

    def _look(self, _=None):
        why = self.picture.knobs()[self.name].idle(self.picture)
        self.widget.disabled, self.note.value = why != "", html.escape(why)

    def unlink(self) -> None:
        """Stop observing the other knobs."""
        self.picture.unobserve(self._look, [*self.picture.knobs()[self.name].when])


def control(picture: Declared, name: str, report: Callable[[Exception], None]) -> tuple:
    """The control for one knob: (box to show, main widget, links)."""
    knob = picture.knobs()[name]
    make = next(make for kind, make in _MAKERS.items() if isinstance(knob, kind))
    box, main, links = make(picture, name, knob, report)
    if knob.when and not isinstance(main, Slider):
        greying = Greying(picture, name, main)
        box, links = widgets.HBox([box, greying.note]), [*links, greying]
        box.add_class("posviz-noted")
    return box, main, links


def _slider(picture, name, knob, report):
    slider = Slider(picture, name)
    return slider, slider, []


def _choice(picture, name, knob, report):
    options = [(str(option), option) for option in knob.options]
    if len(options) <= 4 and sum(len(text) + 3 for text, _ in options) <= 42:
        style = _LABEL | {"button_width": "auto"}
        picker = widgets.ToggleButtons(options=options, description=knob.label, style=style)
        picker.add_class("widget-inline-hbox")  # the label beside the buttons, as sliders have it
    else:
        picker = widgets.Dropdown(options=options, **_shared(knob))
    return picker, picker, [Link(picture, name, picker, report)]


def _device(picture, name, knob, report):
    """All devices; those that are not here in grey, with the reason when pointed at or touched."""
    every = [*knob.options, *knob.reasons]
    picker = widgets.ToggleButtons(
        options=every,
        tooltips=[knob.reasons.get(device, "computes here") for device in every],
        description=knob.label,
        style=_LABEL | {"button_width": "auto"},
    )
    picker.add_class("widget-inline-hbox")
    for device in knob.reasons:
        picker.add_class(f"posviz-absent-{every.index(device) + 1}")
    return picker, picker, [Link(picture, name, picker, report)]


def _switch(picture, name, knob, report):
    box = widgets.Checkbox(**_shared(knob))
    return box, box, [Link(picture, name, box, report)]


def _text(picture, name, knob, report):
    line = widgets.Text(**_shared(knob))
    return line, line, [Link(picture, name, line, report)]


def _shared(knob) -> dict:
    """The label, beside the control."""
    return {"description": knob.label, "style": _LABEL}


_MAKERS = {
    knobs.device: _device,
    knobs.choice: _choice,
    knobs.switch: _switch,
    knobs.text: _text,
    knobs.numeric: _slider,
}
