"""What two processes say to each other, and how a submission's cells are run."""

import io

import numpy as np
import pytest
import torch

from posviz_tools.classroom.inside import LARGEST, receive, run, send


def there_and_back(value):
    stream = io.BytesIO()
    send(stream, value)
    stream.seek(0)
    return receive(stream)


@pytest.mark.parametrize("value", [None, True, 3, -1.5, "text", ..., [1, [2, [3]]], {"a": [1]}, []])
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


def test_other_things_keep_only_their_kind():
    assert type(there_and_back({1, 2})).__name__ == "set"
    assert type(there_and_back(np.array(["text"]))).__name__ == "ndarray"


@pytest.mark.parametrize(
    "message",
    [
        {"array": "AAAA"},
        {"array": "AAAA", "dtype": "S3", "shape": [1]},
        {"array": "AAAA", "dtype": "f8", "shape": [2**60]},
        {"array": 3, "dtype": "f8", "shape": []},
    ],
)
def test_an_array_that_is_none_is_refused(message):
    with pytest.raises((ValueError, TypeError, LookupError)):
        there_and_back(message)


def test_what_is_too_large_is_refused_on_both_sides():
    with pytest.raises(ValueError, match=r"an array of shape \(2097152,\) is too large"):
        there_and_back(np.zeros(LARGEST // 4)[: 2**21])
    with pytest.raises(ValueError, match="that is 9 MB, and 8 are allowed"):
        there_and_back("x" * 9_000_000)
    with pytest.raises(ValueError, match="too long"):
        receive(io.BytesIO(b"1" * (LARGEST + 1)))
    with pytest.raises(EOFError):
        receive(io.BytesIO(b"{}"))


def test_a_statement_that_fails_stops_no_other():
    cells = ["import nothing\nx = 1", "def f(:", "y = x + 1\n1 / 0\nz = y", "exit()"]
    names, failures, packages = run(cells, 1, {})
    assert (names["x"], names["y"], names["z"]) == (1, 2, 2)
    assert packages == {"nothing": "nothing"}
    assert failures == [
        ("def f(:", "Your cell has a syntax error in line 1: invalid syntax"),
        ("y = x + 1\n1 / 0\nz = y", "Your cell stopped: division by zero"),
        ("exit()", "Your cell stopped: SystemExit None"),
    ]
