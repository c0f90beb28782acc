"""Read a reader's answer as an array of numbers, or say why it cannot be."""

from typing import Any

import numpy as np

from posviz.arrays import to_numpy

NUMBERS = "biuf"  # the dtype kinds that an answer may have: no complex numbers, text or objects

JOIN = "If they are parts of one array, join them: np.concatenate([a, b])."


def as_array(answer: Any) -> np.ndarray:
    """Return an array of an array, a tensor, with gradients or without, a number or lists of them.

    Raises what NumPy or torch does where it finds no array: TypeError, ValueError, RuntimeError.
    """
    if isinstance(answer, (list, tuple)):
        return np.asarray([as_array(part) for part in answer])
    return to_numpy(answer)


def to_numbers(answer: Any, expected: np.ndarray) -> np.ndarray | str:
    """Return the answer's real numbers as a new array, or a message if it holds none."""
    numbers = _read(answer)
    if numbers.dtype.kind in NUMBERS:
        return numbers
    if numbers.dtype.kind == "c":
        return _complex(numbers, expected)
    if _is_ragged(answer):
        return f"Your answer is {_kind(answer)}, and its rows differ in length. {JOIN}"
    return f"Your answer is {_kind(answer)}; it should hold plain real numbers."


def _read(answer: Any) -> np.ndarray:
    try:
        return as_array(answer).copy()  # the reader may write into the answer again
    except (TypeError, ValueError, RuntimeError):
        return np.array(None)


def _is_ragged(answer: Any) -> bool:
    """Tell whether a list that is no array holds numbers all the same."""
    return isinstance(answer, (list, tuple)) and all(
        _read(part).dtype.kind in NUMBERS or _is_ragged(part) for part in answer
    )


def _complex(numbers: np.ndarray, expected: np.ndarray) -> str:
    message = "Your answer holds complex numbers; real ones are asked for."
    if expected.size != 2 * numbers.size:
        return f"{message} Where the real part is what is asked for, return z.real."
    return (
        f"{message} Where z holds your pairs, put both parts of each side by side: "
        "np.stack([z.real, z.imag], axis=-1).reshape(len(z), -1)."
    )


def _kind(answer: Any) -> str:
    name = type(answer).__name__
    return f"{'an' if name[0] in 'aeioAEIO' or name == 'ndarray' else 'a'} {name}"
