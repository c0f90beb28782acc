"""Knobs: typed values with a range and a label, refused by one rule everywhere.

A knob is a traitlet, so `picture.d_model = 7` is checked where it is set, whoever sets it: code, a
slider, the command line. The message names the knob, the value and what is allowed.
"""

import math
import numbers
import unicodedata

import traitlets

from posviz import arrays


class Knob(traitlets.TraitType):
    """What all kinds share: a label, and whether turning it changes the number of artists."""

    play = False

    def __init__(self, default, *, label=None, redraw=False):
        super().__init__(default)
        self.tag(knob=True)
        self._label, self.redraw = label, redraw

    @property
    def label(self):
        """What stands beside the control."""
        return self._label or self.name

    @property
    def rule(self) -> str:
        """What is allowed: the end of the sentence "it must be ..."."""
        raise NotImplementedError

    def refuse(self, value):
        """Raise the TraitError that names the knob, the value and the rule."""
        raise traitlets.TraitError(f"{self.name} = {value!r} is refused: it must be {self.rule}.")


class _Number(Knob):
    """A number between low and high, both included."""

    noun = "a number"
    kind: type = numbers.Real
    convert: type = float

    def __init__(self, default, *, low, high, step=None, play=False, **shared):
        super().__init__(default, **shared)
        self.low, self.high, self.step, self.play = low, high, step, play

    @property
    def rule(self):
        return f"{self.noun} between {self.low:,} and {self.high:,}"

    def validate(self, obj, value):
        """The value as a Python number; TraitError outside the range, for NaN, bool and text."""
        if isinstance(value, bool) or not isinstance(value, self.kind):
            self.refuse(value)
        return self.convert(value) if self.low <= value <= self.high else self.refuse(value)


class integer(_Number):
    """A whole number; NumPy integers are welcome, floats are not."""

    noun = "a whole number"
    kind = numbers.Integral
    convert = int

    def __init__(self, default, *, step=1, **range_):
        super().__init__(default, step=step, **range_)


class even(integer):
    """An even whole number, such as a width made of pairs."""

    noun = "an even whole number"

    def __init__(self, default, **range_):
        super().__init__(default, step=2, **range_)

    def validate(self, obj, value):
        """The value as int; TraitError where it is odd or outside the range."""
        number = super().validate(obj, value)
        return self.refuse(value) if number % 2 else number


class real(_Number):
    """A real number on a linear slider."""

    def __init__(self, default, *, low, high, step=None, **shared):
        super().__init__(default, low=low, high=high, step=step or (high - low) / 100, **shared)


class log(_Number):
    """A positive number on a logarithmic slider."""

    def round(self, exponent):
        """The value at a place of the slider (log10), to three digits: 2,000 and not 1,995.26."""
        digits = 2 - math.floor(exponent)
        return min(max(round(10**exponent, digits), self.low), self.high)


class choice(Knob):
    """One of a few named options."""

    def __init__(self, default, *, options, **shared):
        super().__init__(default, **shared)
        self.options = tuple(options)

    @property
    def rule(self):
        return "one of " + ", ".join(map(repr, self.options))

    def validate(self, obj, value):
        """The option, and not what merely equals it; TraitError for anything else."""
        try:
            return self.options[self.options.index(value)]
        except ValueError:  # an array, too, which equals nothing
            self.refuse(value)


class switch(Knob):
    """On or off."""

    rule = "True or False"

    def validate(self, obj, value):
        """The bool; TraitError for anything else."""
        return value if isinstance(value, bool) else self.refuse(value)


class text(Knob):
    """A line a reader types: control characters are dropped and the length is capped.

    A NUL would make an SVG unreadable, so what the picture sees is always printable.
    """

    rule = "text"

    def __init__(self, default, *, max_length=80, **shared):
        super().__init__(default, **shared)
        self.max_length = max_length

    def validate(self, obj, value):
        """The printable part, at most max_length characters; TraitError for what is no text."""
        if not isinstance(value, str):
            self.refuse(value)
        printable = (c for c in value if unicodedata.category(c)[0] != "C")
        return "".join(printable)[: self.max_length]


class device(Knob):
    """Where arrays live: NumPy, or torch on a processor or a GPU."""

    def __init__(self, default="NumPy", *, label="device", **shared):
        super().__init__(default, label=label, **shared)

    @property
    def options(self):
        """The devices of this machine."""
        return tuple(name for name, missing in arrays.devices().items() if not missing)

    @property
    def reasons(self):
        """Why each of the other devices cannot be chosen, {name: reason}."""
        return {name: missing for name, missing in arrays.devices().items() if missing}

    @property
    def rule(self):
        why = "".join(f"; {name}: {reason}" for name, reason in self.reasons.items())
        return "one of " + ", ".join(map(repr, self.options)) + why

    def validate(self, obj, value):
        """The device's name; TraitError, with the reason, for one that is not here."""
        known = isinstance(value, str) and value in self.options
        return value if known else self.refuse(value)
