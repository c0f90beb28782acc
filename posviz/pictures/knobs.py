"""Knobs: typed values with a range and a label, refused by one rule everywhere.

A knob is a traitlet, so `picture.d_model = 7` is checked where it is set, whoever sets it: code, a
slider, the command line. The message names the knob, the value and what is allowed.

A control has numbered places, from 0 to `last_place`; the browser knows nothing else.
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
from posviz.wording import quoted


class Knob(traitlets.TraitType):
    """What all kinds share: a label, and whether changing it changes the number of artists.

    when: the options of other knobs with which this one changes anything, by the knobs' names; of
        a number a range.
    more: whether its control is one of those under "More".
    """

    play = False
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
    ) -> None:
        super().__init__(default)
        self.tag(knob=True)
        self._label, self.redraw, self.when, self.more = label, redraw, when or {}, more

    def why_idle(self, picture: Any) -> str:
        """Why the knob changes nothing as the picture stands; nothing if it does."""
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

    def read(self, text: str) -> Any:
        """The value that a reader typed, True or true; what means nothing comes back as it is."""
        same = (option for option in self.options if str(option).lower() == text.lower())
        return next(same, text)

    def write(self, value: Any) -> str:
        """A value as a reader would type it."""
        return str(value)

    def sample_values(self, most: int) -> list:
        """Values in order, from end to end: at most so many, and none where there is no order."""
        return list(self.options[:most])

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
    def rule(self) -> Any:
        """What is allowed: the end of the sentence "it must be ...\"."""
        return "one of " + ", ".join(map(repr, self.options))

    def validate(self, obj: Any, value: Any) -> Any:
        """The option, and not what merely equals it; TraitError for anything else."""
        try:
            return self.options[self.options.index(value)]
        except ValueError:  # an array, too, which equals nothing
            self.refuse(value)

    def refuse(self, value: Any) -> NoReturn:
        """Raise the TraitError that names the knob, the value and the rule."""
        raise traitlets.TraitError(
            f"{self.name} = {quoted(value)} is refused: it must be {self.rule}."
        )


class numeric(Knob):
    """A number between low and high, both included.

    until: where the range ends as a picture stands, if other knobs shorten it. A larger value may
    be set; it reads as that end, and comes back when the range does.
    """

    noun = "a number"
    kind: Any = numbers.Real
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
        if isinstance(value, bool) or not isinstance(value, self.kind):
            self.refuse(value)
        return self.convert(value) if self.low <= value <= self.high else self.refuse(value)

    def end(self, picture: Any) -> Any:
        """Where the range ends as the picture stands."""
        if self.until is None:
            return self.high
        return max(min(self.high, self.until(picture)), self.low)

    def get(self, obj: Any, cls: Any = None) -> Any:
        """The value, or the end of its range as the picture stands."""
        return min(super().get(obj, cls), self.end(obj))

    @functools.cached_property
    def values(self) -> list:
        """The value at each place, without the last digits' noise."""
        between = range(round((self.high - self.low) / self.step))
        return [*(round(self.low + place * self.step, 12) for place in between), self.high]

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
        whole = self.kind is numbers.Integral and value.is_integer()
        return int(value) if whole else value

    def write(self, value: Any) -> str:
        """A value as a reader would type it."""
        return f"{value:.12g}"

    def sample_values(self, most: int) -> list:
        """Values at places as evenly apart as whole places can be, both ends among them."""
        last, count = self.last_place, min(most, self.last_place + 1)
        return [self.values[round(i * last / max(count - 1, 1))] for i in range(count)]


class integer(numeric):
    """A whole number; NumPy integers are welcome, floats are not."""

    noun = "a whole number"
    kind = numbers.Integral
    convert = int
    step = 1


class even(integer):
    """An even whole number, such as a width made of pairs."""

    noun = "an even whole number"
    step = 2

    def validate(self, obj: Any, value: Any) -> Any:
        """The value as int; TraitError where it is odd or outside the range."""
        number = super().validate(obj, value)
        return self.refuse(value) if number % 2 else number


class real(numeric):
    """A real number on a linear slider."""


class log(numeric):
    """A positive number on a logarithmic slider."""

    @functools.cached_property
    def values(self) -> list:
        """The value at each place, 5 per cent apart, to three digits: 2,000 and not 1,995.26."""
        decades = math.log10(self.high / self.low)
        count = math.ceil(decades / 0.02)
        exponents = [math.log10(self.low) + place / count * decades for place in range(1, count)]
        rounded = [round(10**exponent, 2 - math.floor(exponent)) for exponent in exponents]
        return [self.low, *rounded, self.high]


class log_integer(integer):
    """A positive whole number on a logarithmic slider."""

    @functools.cached_property
    def values(self) -> list:
        """Those of a log knob, rounded: near the low end several are one number."""
        _, *between, _ = log(self.low, low=self.low, high=self.high).values
        return sorted({self.low, *map(round, between), self.high})


class choice(Knob):
    """One of a few named options.

    given: why it changes nothing in a picture that was made with data of a reader.
    """

    def __init__(self, default: Any, *, options: Sequence, given: str = "", **shared: Any) -> None:
        super().__init__(default, **shared)
        self.options, self.given = tuple(options), given

    def why_idle(self, picture: Any) -> str:
        return (self.given if picture.given_data else "") or super().why_idle(picture)


class switch(Knob):
    """On or off."""

    rule = "True or False"
    options = (False, True)

    def validate(self, obj: Any, value: Any) -> Any:
        """The bool; TraitError for anything else."""
        return value if isinstance(value, bool) else self.refuse(value)


class text(Knob):
    """A line a reader types: control characters are dropped and the length is capped.

    A NUL would make an SVG unreadable, so what the picture sees is always printable.
    """

    rule = "text"

    def __init__(self, default: Any, *, max_length: int = 80, **shared: Any) -> None:
        super().__init__(default, **shared)
        self.max_length = max_length

    def validate(self, obj: Any, value: Any) -> Any:
        """The printable part, at most max_length characters; TraitError for what is no text."""
        if not isinstance(value, str):
            self.refuse(value)
        printable = (c for c in value if unicodedata.category(c)[0] != "C")
        return "".join(itertools.islice(printable, self.max_length))


class device(Knob):
    """Where arrays live: NumPy, or torch on a processor or a GPU."""

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

    def sample_values(self, most: int) -> list:
        """None: a picture looks the same wherever its arrays live."""
        return []

    def validate(self, obj: Any, value: Any) -> Any:
        """The device's name; TraitError, with the reason, for one that is not here."""
        if isinstance(value, str) and value in self.reasons:
            raise traitlets.TraitError(f"{value} is not here: {self.reasons[value]}.")
        return super().validate(obj, value)
