"""What two processes say to each other, and how a submission's cells are run."""

import io

import numpy as np
import pytest
import torch

from posviz.classroom.inside import LARGEST, packed, receive, run, send, stopped, unpacked
from posviz.encodings.frequencies import Frequencies


def there_and_back(value):
    stream = io.BytesIO()
    send(stream, packed(value))
    stream.seek(0)
    return unpacked(receive(stream))


@pytest.mark.parametrize(
    "value", [None, True, 3, -1.5, "text", ..., [1, [2, (3,)]], {"a": [1]}, ()]
)
def test_plain_values_come_as_they_were(value):
    assert there_and_back(value) == value
    assert type(there_and_back(value)) is type(value)


@pytest.mark.parametrize("dtype", ["?", "i8", "u1", "f2", "f4", "f8", "c16", ">f8"])
def test_arrays_keep_shape_and_numbers(dtype):
    array = np.arange(12).reshape(3, 4).astype(dtype)[:, ::2]
    back = there_and_back(array)
    assert (back.dtype, back.shape) == (array.dtype, array.shape)
    np.testing.assert_array_equal(back, array)
    back[0] = 0  # it may be written into
    scalar = there_and_back(array[1, 1])
    assert np.ndim(scalar) == 0
    assert scalar == array[1, 1]


def test_tensors_come_as_arrays():
    tensor = torch.tensor([1.0, 2.0], requires_grad=True)
    for each in (tensor, tensor.bfloat16()):
        np.testing.assert_array_equal(there_and_back(each), [1, 2])


def test_named_tuples_keep_their_names_and_others_only_their_kind():
    assert there_and_back(Frequencies(np.ones(2), 0.5)).attention_factor == 0.5
    assert type(there_and_back({1, 2})).__name__ == "set"
    assert type(there_and_back(np.array(["text"]))).__name__ == "ndarray"


@pytest.mark.parametrize(
    "message",
    [
        {},
        {"array": "AAAA"},
        {"array": "AAAA", "dtype": "S3", "shape": [1]},
        {"array": "AAAA", "dtype": "f8", "shape": [2**60]},
        {"array": 3, "dtype": "f8", "shape": []},
        {"dict": [[{"list": []}, 1]]},
        {"fields": 3},
    ],
)
def test_what_no_value_is_packed_as_is_refused(message):
    with pytest.raises((ValueError, TypeError, LookupError, AttributeError)):
        unpacked(message)


def test_what_is_too_large_is_refused_on_both_sides():
    with pytest.raises(ValueError, match=r"an array of shape \(2097152,\) is too large"):
        packed(np.zeros(LARGEST // 4)[: 2**21])
    with pytest.raises(ValueError, match="that is 9 MB, and 8 are allowed"):
        send(io.BytesIO(), "x" * 9_000_000)
    with pytest.raises(ValueError, match="too long"):
        receive(io.BytesIO(b"\xff\xff\xff\xff"))
    with pytest.raises(EOFError):
        receive(io.BytesIO(b"\0\0\0\4{}"))


def test_a_statement_that_fails_stops_no_other():
    names, failures = run(["import nothing\nx = 1", "def f(:", "y = x + 1\n1 / 0\nz = y"])
    assert (names["x"], names["y"], names["z"]) == (1, 2, 2)
    assert failures == [
        ("import nothing\nx = 1", "Your cell stopped: No module named 'nothing'"),
        ("def f(:", "Your cell has a syntax error in line 1: invalid syntax"),
        ("y = x + 1\n1 / 0\nz = y", "Your cell stopped: division by zero"),
    ]


def test_an_error_is_told_with_its_line_and_what_was_empty_there():
    names, _ = run(["\n\ndef f(x):\n    y = ...\n    return x + y"])
    try:
        names["f"](1)
    except TypeError as error:
        kind, text, line, empty = stopped(error)["stopped"]
    assert (kind, line, empty) == ("TypeError", " on line 5, `return x + y`", ["y"])
    assert "unsupported operand" in text
