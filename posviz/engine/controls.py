"""A control for every kind of knob, tied to the picture both ways."""

import html
import math
import time

import ipywidgets as widgets
import traitlets

from posviz.engine import knobs
from posviz.engine.looks import drawing

_WIDE = "560px"  # a narrow slider has fewer steps than it has pixels
_NO_READOUT = "478px"  # as long as the others, whose readout takes the rest
_LABEL = {"description_width": "9em"}


class Link:
    """Keeps a knob and a widget's value equal; refused values are reported and taken back."""

    def __init__(self, picture, name, widget, report, to_widget=None, to_knob=None):
        self.picture, self.name, self.widget, self.report = picture, name, widget, report
        self._exact = to_widget is None  # else the widget has only so many places
        self._to_widget = to_widget or (lambda value: value)
        self._to_knob = to_knob or (lambda value: value)
        self._turning = False
        self._deaf_until = 0.0
        self._knob_turned(None)
        picture.observe(self._knob_turned, name)
        widget.observe(self._widget_moved, "value")

    def _knob_turned(self, _):
        if not self._turning:
            self.widget.value = self._to_widget(getattr(self.picture, self.name))

    def _widget_moved(self, _):
        with drawing:
            self._follow_widget()

    def _follow_widget(self):
        # Not the notice's value: another thread may have moved the widget since.
        value, place = getattr(self.picture, self.name), self.widget.value
        if self._turning or place == self._to_widget(value):
            return
        if time.monotonic() < self._deaf_until:
            self.widget.value = self._to_widget(value)
            return
        self._turning = True
        try:
            setattr(self.picture, self.name, self._to_knob(place))
            if self._exact:  # a knob may have cleaned what was typed
                self.widget.value = getattr(self.picture, self.name)
        except traitlets.TraitError as error:
            self.widget.value = self._to_widget(value)
            self.report(error)
        finally:
            self._turning = False

    def ignore_widget(self, seconds):
        """Take back what the widget still says: Play's last steps are under way when it stops."""
        self._deaf_until = time.monotonic() + seconds

    def unlink(self):
        """Untie both ends; called as ipywidgets calls it, so that links of both kinds mix."""
        self.picture.unobserve(self._knob_turned, self.name)
        self.widget.unobserve(self._widget_moved, "value")


def control(picture, name, report):
    """The control for one knob: (box to show, main widget, links)."""
    knob = picture.knobs()[name]
    make = next(make for kind, make in _MAKERS.items() if isinstance(knob, kind))
    shared = {
        "description": knob.label,
        "style": _LABEL,
        "layout": {"width": _WIDE},
    }
    main, beside, links = make(picture, name, knob, report, shared)
    if knob.play:
        play, link = _play(main)
        beside, links = [*beside, play], [*links, link]
    return widgets.HBox([main, *beside]), main, links


def stop(plays, links):
    """Stop every Play that plays; its last steps, already under way, are taken back."""
    playing = [play for play in plays if play.playing]
    for play in playing:
        play.playing = False
    for link in links if playing else ():
        link.ignore_widget(seconds=0.5)


def _whole(picture, name, knob, report, shared):
    slider = widgets.IntSlider(min=knob.low, max=knob.high, step=knob.step, **shared)
    return slider, [], [Link(picture, name, slider, report)]


def _real(picture, name, knob, report, shared):
    places = round((knob.high - knob.low) / knob.step)
    return _continuous(
        picture,
        name,
        report,
        shared | {"max": places},
        to_place=lambda value: round((value - knob.low) / knob.step),
        from_place=lambda place: min(round(knob.low + place * knob.step, 12), knob.high),
    )


def _log(picture, name, knob, report, shared):
    low, high = math.log10(knob.low), math.log10(knob.high)
    places = math.ceil((high - low) / 0.02)
    return _continuous(
        picture,
        name,
        report,
        shared | {"max": places},
        to_place=lambda value: round((math.log10(value) - low) / (high - low) * places),
        from_place=lambda place: knob.round(low + place * (high - low) / places),
    )


def _continuous(picture, name, report, shared, to_place, from_place):
    """A slider over numbered places, and beside it the true value, which can also be typed.

    Were the slider's own value the real number, the browser would move it to the nearest step and
    send that back, and a value set in code would not last.
    """
    knob = picture.knobs()[name]
    shared["layout"] = {"width": _NO_READOUT}
    slider = widgets.IntSlider(min=0, readout=False, **shared)
    typed = widgets.BoundedFloatText(min=knob.low, max=knob.high, layout={"width": "110px"})
    typed.tooltip = f"{knob.label}, between {knob.low:,} and {knob.high:,}"
    links = [
        Link(picture, name, slider, report, to_widget=to_place, to_knob=from_place),
        Link(picture, name, typed, report),
    ]
    return slider, [typed], links


def _choice(picture, name, knob, report, shared):
    options = [(str(option), option) for option in knob.options]
    if len(options) <= 4 and sum(len(text) for text, _ in options) <= 48:
        shared |= {"style": _LABEL | {"button_width": "auto"}, "layout": {"width": "max-content"}}
        picker = widgets.ToggleButtons(options=options, **shared)
        picker.add_class("widget-inline-hbox")  # the label beside the buttons, as sliders have it
    else:
        picker = widgets.Dropdown(options=options, **shared)
    return picker, [], [Link(picture, name, picker, report)]


def _device(picture, name, knob, report, shared):
    """The devices that are here; the rest in grey, with the reason."""
    picker, _, links = _choice(picture, name, knob, report, shared)
    why = "; ".join(f"{device}: {reason}" for device, reason in knob.reasons.items())
    note = widgets.HTML(f"<span style='opacity: .6'>{html.escape(why)}</span>")
    return picker, [note], links


def _switch(picture, name, knob, report, shared):
    box = widgets.Checkbox(**shared)
    return box, [], [Link(picture, name, box, report)]


def _text(picture, name, knob, report, shared):
    line = widgets.Text(**shared)
    return line, [], [Link(picture, name, line, report)]


def _play(slider):
    span = {"min": slider.min, "max": slider.max, "step": slider.step}
    play = widgets.Play(value=slider.value, interval=50, **span)
    # In the browser: no way round by the kernel.
    return play, widgets.jslink((play, "value"), (slider, "value"))


_MAKERS = {
    knobs.device: _device,
    knobs.choice: _choice,
    knobs.switch: _switch,
    knobs.text: _text,
    knobs.log: _log,
    knobs.real: _real,
    knobs.integer: _whole,
}
