"""Knobs: typed values with a range and a label, refused by one rule everywhere.

A knob is a traitlet, so `picture.d_model = 7` is checked where it is set, whoever sets it: code, a
slider, the command line. The message names the knob, the value and what is allowed.

A control has numbered places, from 0 to `last_place`; the browser knows nothing else. A kind of
knob says itself which control it gets and which values it samples, so a new kind is a new class.
"""

import bisect
import functools
import itertools
import math
import numbers
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

import traitlets

from posviz import arrays
from posviz.pictures.typefaces import check_letters
from posviz.wording import quoted

HALF_A_PLACE = 0.024  # of a logarithmic slider's value
_ROW = 42  # letters: options with more than that are a list, and others buttons in a row


class Knob(traitlets.TraitType):
    """What all kinds share: a label, and whether changing it changes the number of artists.

    when: of other knobs, by name, the options at which this knob has an effect; for a number, a
        range.
    more: whether its control is one of those under "More".
    given: why it has no effect in a picture that was made with a reader's data.
    """

    play = False
    is_ordered = False  # whether a film goes through the values and back
    options: Sequence = ()  # of a knob that offers a few values
    reasons: Mapping[str, str] = {}  # why other options cannot be chosen here

    def __init__(
        self,
        default: Any,
        *,
        label: str | None = None,
        redraw: bool = False,
        when: Mapping[str, Sequence] | None = None,
        more: bool = False,
        given: str = "",
    ) -> None:
        super().__init__(default)
        self.tag(knob=True)
        self._label, self.redraw, self.when, self.more = label, redraw, when or {}, more
        self.given = given

    def why_idle(self, picture: Any) -> str:
        """Return why the knob has no effect at the picture's present values; "" if it has one."""
        if self.given and picture.given_data:
            return self.given
        for name, options in self.when.items():
            if getattr(picture, name) not in options:
                *others, last = map(str, options)
                these = f"{', '.join(others)} or {last}" if others else last
                if isinstance(options, range):
                    these = f"{options.start} or more"
                return f"only with {picture.knobs()[name].label} {these}"
        return ""

    @property
    def label(self) -> str:
        """The text beside the control."""
        return self._label or str(self.name)

    @property
    def texts(self) -> list[str]:
        """What the options are called."""
        return [str(option) for option in (*self.options, *self.reasons)]

    @property
    def kind(self) -> str:
        """The kind of its control, by the name in `protocol.d.ts`."""
        is_row = len(self.texts) <= 4 and sum(len(text) + 3 for text in self.texts) <= _ROW
        return "buttons" if is_row else "list"

    def limits(self, picture: Any) -> dict[str, Any]:
        """Return the control's last place at the present values, and its range in words."""
        return {"range": "", "last_place": self.last_place}

    def read(self, text: str) -> Any:
        """Return the option that a reader typed, True or true; any other text stays as it is."""
        same = (option for option in self.options if str(option).lower() == text.lower())
        return next(same, text)

    def read_for(self, picture: Any, text: str) -> Any:
        """The value that a reader typed; TraitError for one that this picture cannot show now."""
        return self.read(text)

    def write(self, value: Any) -> str:
        """A value as a reader would type it."""
        return str(value)

    def samples(self, most: int) -> list:
        """Return evenly spaced values from end to end, at most `most`; none if no film shows it."""
        last, count = self.last_place, min(most, self.last_place + 1)
        return [self.values[round(i * last / max(count - 1, 1))] for i in range(count)]

    def ends(self) -> list:
        """The values at the ends: all of them where there are only a few."""
        return list(self.options) or self.samples(2)

    @property
    def values(self) -> list:
        """The value at each place; options that cannot be chosen are the last."""
        return [*self.options, *self.reasons]

    @property
    def last_place(self) -> int:
        """The last place; -1 where there is none."""
        return len(self.values) - 1

    def place_of(self, value: Any) -> int:
        """The place of a value."""
        return self.values.index(value) if self.options else -1

    @property
    def rule(self) -> str:
        """What is allowed, as the words after "it must be" in a refusal."""
        return "one of " + ", ".join(map(repr, self.options))

    def validate(self, obj: Any, value: Any) -> Any:
        """Return the option that equals the value; TraitError for anything else."""
        try:
            return self.options[self.options.index(value)]
        except ValueError:  # an array, too, which equals nothing
            self.refuse(value)

    def refuse(self, value: Any) -> NoReturn:
        """Raise the TraitError that names the knob, the value and the rule."""
        raise traitlets.TraitError(
            f"{self.name} = {quoted(value)} is refused: it must be {self.rule}."
        )


class Number(Knob):
    """A number between low and high, both included.

    until: the end of the range in a picture whose other knobs shorten it. A larger value is kept,
    but reads as that end until the range is long enough again.
    """

    kind = "slider"
    is_ordered = True
    noun = "a number"
    accepts: Any = numbers.Real
    convert: type = float
    step: float = 0  # from place to place; if it is 0, there are 100 steps

    def __init__(
        self,
        default: Any,
        *,
        low: float,
        high: float,
        step: float = 0,
        play: bool = False,
        until: Callable[[Any], float] | None = None,
        **shared: Any,
    ) -> None:
        super().__init__(default, **shared)
        self.low, self.high, self.play, self.until = low, high, play, until
        self.step = step or self.step or (high - low) / 100

    @property
    def rule(self) -> str:
        return f"{self.noun} between {self.low:,} and {self.high:,}"

    def validate(self, obj: Any, value: Any) -> Any:
        """The value as a Python number; TraitError outside the range, for NaN, bool and text."""
        if isinstance(value, bool) or not isinstance(value, self.accepts):
            self.refuse(value)
        return self.convert(value) if self.low <= value <= self.high else self.refuse(value)

    def end(self, picture: Any) -> Any:
        """Return the end of the range at the picture's present values."""
        if self.until is None:
            return self.high
        return max(min(self.high, self.until(picture)), self.low)

    def limits(self, picture: Any) -> dict[str, Any]:
        """Return the slider's last place and range; the value at that place may be past the end."""
        end = self.end(picture)
        last_place = bisect.bisect_left(self.values, end)
        return {"range": f"from {self.low:,} to {end:,}", "last_place": last_place}

    def get(self, obj: Any, cls: Any = None) -> Any:
        """Return the value, or the present end of its range if that is smaller."""
        return min(super().get(obj, cls), self.end(obj))

    @functools.cached_property
    def values(self) -> list:
        """The value at each place, without the last digits' noise, and the default."""
        between = range(round((self.high - self.low) / self.step))
        places = (round(self.low + place * self.step, 12) for place in between)
        return sorted({*places, self.high, self.default_value})

    def place_of(self, value: Any) -> int:
        """The place nearest to a value."""
        after = bisect.bisect_left(self.values, value)
        return min(range(max(after - 1, 0), after + 1), key=lambda at: abs(self.values[at] - value))

    def read(self, text: str) -> Any:
        """What a reader typed, 10000 or 10,000 or 1e4; TraitError for what is no number."""
        try:
            value = float(re.sub(r",(?=\d{3}(\D|$))", "", text))
        except ValueError:
            self.refuse(text)
        whole = self.accepts is numbers.Integral and value.is_integer()
        return int(value) if whole else value

    def read_for(self, picture: Any, text: str) -> Any:
        """The number that a reader typed; TraitError beyond the end of the range as it is now."""
        value = self.read(text)
        if (end := self.end(picture)) < value <= self.high:
            message = f"{self.name} = {value!r} is refused: it ends at {end:,} now."
            raise traitlets.TraitError(message)
        return value

    def write(self, value: Any) -> str:
        """A value as a reader would type it."""
        return f"{value:,.12g}"


class Integer(Number):
    """A whole number; NumPy integers are welcome, floats are not."""

    noun = "a whole number"
    accepts = numbers.Integral
    convert = int
    step = 1


class Even(Integer):
    """An even whole number, such as a width made of pairs."""

    noun = "an even whole number"
    step = 2

    def validate(self, obj: Any, value: Any) -> Any:
        """The value as int; TraitError where it is odd or outside the range."""
        number = super().validate(obj, value)
        return self.refuse(value) if number % 2 else number


class Real(Number):
    """A real number on a linear slider."""


class Log(Number):
    """A positive number on a logarithmic slider."""

    @functools.cached_property
    def values(self) -> list:
        """Values 5 per cent apart: powers of two, the default, or three digits."""
        decades = math.log10(self.high / self.low)
        count = math.ceil(decades / 0.02)
        exponents = [math.log10(self.low) + place / count * decades for place in range(1, count)]
        return sorted({self.low, *map(self._round, exponents), self.high, self.default_value})

    def _round(self, exponent: float) -> float:
        """A value near 10 to this power, as a reader would write it: 2,048 and not 2,050."""
        value = 10**exponent
        near = self.default_value, 2.0 ** round(math.log2(value))
        return next(
            (other for other in near if abs(other / value - 1) < HALF_A_PLACE),
            round(value, 2 - math.floor(exponent)),
        )


class LogInteger(Integer):
    """A positive whole number on a logarithmic slider."""

    @functools.cached_property
    def values(self) -> list:
        """The values of a log knob, rounded; near the low end several are equal."""
        places = Log(self.default_value, low=self.low, high=self.high).values
        return sorted({self.low, *map(round, places[1:-1]), self.high})


class Choice(Knob):
    """One of a few named options."""

    def __init__(self, default: Any, *, options: Sequence, **shared: Any) -> None:
        super().__init__(default, **shared)
        self.options = tuple(options)


class Switch(Knob):
    """On or off."""

    kind = "switch"
    rule = "True or False"
    options = (False, True)

    def validate(self, obj: Any, value: Any) -> Any:
        """The bool; TraitError for anything else."""
        return value if isinstance(value, bool) else self.refuse(value)


class TypedText(Knob):
    """A line a reader types: control characters are dropped and the length is capped.

    A NUL would make an SVG unreadable, so what the picture sees is always printable.
    """

    kind = "text"
    rule = "text"

    def __init__(self, default: Any, *, max_length: int = 80, **shared: Any) -> None:
        super().__init__(default, **shared)
        self.max_length = max_length

    def ends(self) -> list:
        """No text, and the longest in the widest letter."""
        return ["", "W" * self.max_length]

    def validate(self, obj: Any, value: Any) -> Any:
        """The printable part, at most max_length characters.

        TraitError for what is no text, and for letters that no font has.
        """
        if not isinstance(value, str):
            self.refuse(value)
        printable = (c for c in value if unicodedata.category(c)[0] != "C")
        text = "".join(itertools.islice(printable, self.max_length))
        try:
            check_letters(text)
        except ValueError as error:
            raise traitlets.TraitError(str(error)) from None
        return text


class Device(Knob):
    """Where arrays live: NumPy, or torch on a processor or a GPU."""

    kind = "buttons"

    def __init__(self, default: Any = "NumPy", *, label: str = "device", **shared: Any) -> None:
        super().__init__(default, label=label, **shared)

    @property
    def options(self) -> tuple[str, ...]:  # type: ignore[override]
        """The devices of this machine."""
        return tuple(name for name, missing in arrays.devices().items() if not missing)

    @property
    def reasons(self) -> dict[str, str]:  # type: ignore[override]
        """Why each of the other devices cannot be chosen, {name: reason}."""
        return {name: missing for name, missing in arrays.devices().items() if missing}

    def samples(self, most: int) -> list:
        """None: a picture looks the same wherever its arrays live."""
        return []

    def validate(self, obj: Any, value: Any) -> Any:
        """The device's name; TraitError, with the reason, for one that is not here."""
        if isinstance(value, str) and value in self.reasons:
            raise traitlets.TraitError(f"{value} is not here: {self.reasons[value]}.")
        return super().validate(obj, value)
