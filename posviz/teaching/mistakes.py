"""The mistakes of an exercise, as rows of a table; two of them compose.

    check_double = Checker("The double", double, numbers, mistakes=[
        answer("halved again", lambda y: y / 2, "You halved your answer: return 2x itself."),
        argument("first ignored", "You left out the first number: double all.", x=lambda x: x[1:]),
        wrong("squared", lambda x: x * x, "You multiplied x by itself; the double is 2x."),
        right_on("whole numbers only", lambda rng, size: (rng.integers(9, size=size),),
                 "You rounded: the numbers need not be whole."),
        looks_like("odd", lambda y: y % 2 == 1, "That is odd; a double is even."),
    ])

Functions in the table take arguments of the reference by their names.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial, wraps
from inspect import signature
from typing import Any

import numpy as np

Function = Callable[..., Any]


@dataclass(frozen=True)
class Mistake:
    """A change of the reference, and the message for readers who made that mistake."""

    name: str
    change: Callable[[Function], Function]
    message: str
    alone: bool = False  # it replaces the reference, and so any inner mistake


@dataclass(frozen=True)
class RightOn:
    """A mistake of answers that fail elsewhere, and are right on all of these inputs."""

    name: str
    inputs: Callable[[np.random.Generator, int], tuple]
    message: str


@dataclass(frozen=True)
class LooksLike:
    """A mistake that the first wrong output shows, where no other fits."""

    name: str
    shown_by: Callable[[Any], bool]
    message: str


right_on, looks_like = RightOn, LooksLike


def wrong(name: str, function: Function, message: str) -> Mistake:
    """A mistake as a function of its own, with the arguments of the reference."""
    return Mistake(name, lambda right: function, message, alone=True)


def answer(name: str, change: Function, message: str) -> Mistake:
    """A mistake in what is returned: change(answer, …) -> the wrong answer.

    Parameters after the first are arguments of the reference, by name.
    """
    wanted = list(signature(change).parameters)[1:]

    def call(right, *given, **steps):
        known = _named(right, given)
        return change(right(*given, **steps), *(known[parameter] for parameter in wanted))

    return _instead(name, call, message)


def argument(name: str, message: str, **changes: Any) -> Mistake:
    """A mistake in what the reference is given: other values of some of its arguments.

    A function among them computes the value from arguments of the reference, by name.
    """

    def call(right, *given, **steps):
        known = _named(right, given)
        new = {parameter: _computed(value, known) for parameter, value in changes.items()}
        return right(*(known | new).values(), **steps)

    return _instead(name, call, message)


def step(name: str, message: str, **steps: Any) -> Mistake:
    """A mistake in a step that the reference takes, one of its keyword-only parameters."""
    return _instead(name, lambda right, *given, **others: right(*given, **steps | others), message)


def _instead(name, call, message) -> Mistake:
    """Return the mistake whose function takes the reference, and then its arguments."""
    return Mistake(name, lambda right: wraps(right)(partial(call, right)), message)


def both(outer: Mistake, inner: Mistake) -> Mistake:
    """The two mistakes at once."""
    return Mistake(
        f"{outer.name}, and {inner.name}",
        lambda right: outer.change(inner.change(right)),
        f"Two things. {outer.message} {inner.message}",
    )


def _named(function, given) -> dict[str, Any]:
    return dict(zip(signature(function).parameters, given, strict=False))


def _computed(value, known) -> Any:
    if not callable(value):
        return value
    return value(*(known[parameter] for parameter in signature(value).parameters))


# Mistakes that readers make in many exercises.

BASE_IGNORED = argument(
    "base ignored",
    "Your base is always 10000: use the argument base, and hand it on to a function whose default "
    "is 10000.",
    base=10_000,
)
BASE_100 = argument(
    "base 100",
    "Your base is always 100: use the argument base, which has other values, too.",
    base=100,
)
DEGREES = argument(
    "degrees",
    "You took the angles for degrees. A position times a frequency is in radians, as np.cos and "
    "np.sin want it: do not convert it.",
    positions=lambda positions: np.radians(positions),
)
POSITIONS_IGNORED = argument(
    "positions ignored",
    "You numbered the rows 0, 1, 2, …: use the positions that are given, whatever they are.",
    positions=lambda positions: np.arange(len(positions)),
)

# Messages of mistakes in the exponents of the base, which each formula makes in its own way.
ODD_NUMERATORS = (
    "The numerators of your exponents are odd. They should be 0, 2, 4, and so on: twice the "
    "number of the pair, counted from 0."
)
PAIRS_FROM_1 = (
    "You counted the pairs from 1, so every pair rotates too slowly. Count them from 0: the first "
    "pair has the exponent 0."
)
WHOLE_EXPONENTS = (
    "All your exponents are whole numbers. Did you divide with //? It rounds down to a whole "
    "number: divide with /."
)
