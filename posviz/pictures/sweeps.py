"""Which settings of a picture are drawn beforehand, for a page without a kernel.

Each knob is moved alone, from where the picture stands; only what a picture declares as `combined`
is there in every combination. A slider stops at few places: both ends, where the picture stands,
the numbers that the text beside it tells, and some between.
"""

import copy
import re
from collections.abc import Sequence

import traitlets

from posviz.pictures.declared import Declared
from posviz.pictures.knobs import numeric

ALONE, COMBINED = 4, 2  # times as many places for a slider that plays

_NUMBER = re.compile(r"(?<![\w.])\d+(?:[ \xa0\u202f]\d{3})*(?:\.\d+)?")
_SPACE, _ITEM = re.compile(r"\s"), re.compile(r"^\s*\d+\.\s", re.MULTILINE)


def numbers(text: str) -> list[float]:
    """The numbers that a text tells in digits, but for those of a list's items; 10 000 is one."""
    found = (_SPACE.sub("", number) for number in _NUMBER.findall(_ITEM.sub("", text)))
    return [float(number) if "." in number else int(number) for number in found]


def sweeps(picture: Declared, gaps: int, told: Sequence[float] = ()) -> list[dict]:
    """The settings, as {knob: value} of all knobs; the first is where the picture stands.

    gaps: of a slider's places that are there in any case, so evenly apart as can be. A knob that
    changes nothing as the picture stands moves together with those that it waits for.
    """
    found = [picture.values()]
    groups = list(picture.combined)
    for name, knob in picture.knobs().items():
        groups.append((*knob.when, name) if knob.idle(picture) else (name,))
    for names in groups:
        found += (one for one in _combinations(picture, names, gaps, told) if one not in found)
    return found


def _combinations(picture, names, gaps, told) -> list[dict]:
    """The settings in all combinations of some knobs' stops in which each that moves has effect."""
    start, knobs, trial = picture.values(), picture.knobs(), copy.copy(picture)

    def standing(values):
        for name, value in values.items():
            setattr(trial, name, value)
        return trial

    found = [start]
    for name in names:
        knob = knobs[name]
        if not isinstance(knob, numeric):
            stops = knob.stops(len(knob.options))
        else:
            end = max(knob.end(standing(values)) for values in found)
            played = COMBINED if any(name in group for group in picture.combined) else ALONE
            often = gaps * played if knob.play else gaps
            stops = _stops(knob, end, often, [start[name], *told])
        found = [values | {name: stop} for values in found for stop in stops]

    def acts(name, values):
        at = standing(values)
        return not knobs[name].idle(at) and getattr(at, name) == values[name]

    return [
        values
        for values in found
        if all(values[name] == start[name] or acts(name, values) for name in names)
    ]


def _stops(knob, end, gaps, told) -> list:
    """Places of a number up to an end, and those of the told numbers that it takes, in order."""
    last = knob.place(end)
    evenly = [min(knob.at(round(gap * last / gaps)), end) for gap in range(gaps + 1)]
    return sorted({*evenly, *(number for number in told if number <= end and _takes(knob, number))})


def _takes(knob, number) -> bool:
    try:
        return knob.validate(None, number) == number
    except traitlets.TraitError:
        return False
