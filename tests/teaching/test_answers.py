"""What an answer may be, and what is said of one that holds no numbers."""

import numpy as np
import pytest
import torch

from posviz.teaching.answers import JOIN, to_numbers

EXPECTED = np.array([[1.0, 2.0], [3.0, 4.0]])
TENSOR = torch.tensor(EXPECTED)


@pytest.mark.parametrize(
    "answer",
    [
        [[1, 2], [3, 4]],
        ((1, 2), [3.0, 4]),
        [range(1, 3), np.array([3, 4])],
        EXPECTED.astype("float16"),
        TENSOR,
        TENSOR.clone().requires_grad_(),
        torch.nn.Parameter(TENSOR),
        TENSOR.bfloat16(),
        TENSOR.to(torch.int8),
        list(torch.nn.Parameter(TENSOR)),
        [list(row) for row in TENSOR.bfloat16()],
    ],
)
def test_arrays_tensors_and_lists_of_them_are_numbers(answer):
    numbers = to_numbers(answer, EXPECTED)
    np.testing.assert_array_equal(numbers, EXPECTED)
    assert numbers.dtype.kind in "fi"


def test_one_number_has_no_axes():
    for answer in (7, 7.0, np.int64(7), np.array(7), torch.tensor(7.0, requires_grad=True)):
        assert to_numbers(answer, EXPECTED).shape == ()
        assert to_numbers(answer, EXPECTED) == 7


def test_what_is_written_into_the_answer_later_does_not_count():
    for answer in (EXPECTED.copy(), TENSOR.clone()):
        numbers = to_numbers(answer, EXPECTED)
        answer[:] = 0
        np.testing.assert_array_equal(numbers, EXPECTED)


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ("many", "a str"),
        ({"sums": EXPECTED}, "a dict"),
        ([1.0, ["one"]], "a list"),
        (np.array([None]), "an ndarray"),
        (enumerate("ab"), "an enumerate"),
        (max, "a builtin_function_or_method"),
        (torch.eye(2).to_sparse(), "a Tensor"),
        (torch.eye(2, device="meta"), "a Tensor"),
    ],
    ids=["text", "dict", "nested", "objects", "iterator", "function", "sparse", "empty"],
)
def test_a_wrong_kind_is_named(answer, kind):
    told = f"Your answer is {kind}; it should hold plain real numbers."
    assert to_numbers(answer, EXPECTED) == told


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (([1.0], [1.0, 2.0]), "a tuple"),
        ([TENSOR[0], torch.empty(0)], "a list"),
        ([EXPECTED, EXPECTED[0]], "a list"),
        ([[[1], [2, 3]], [[1], [2]]], "a list"),
    ],
    ids=["rows", "tensors", "axes", "nested"],
)
def test_numbers_in_rows_of_different_lengths_are_told_so(answer, kind):
    told = f"Your answer is {kind}, and its rows differ in length. {JOIN}"
    assert to_numbers(answer, EXPECTED) == told


def test_the_advice_to_join_is_code_that_joins():
    advice = JOIN.partition(": ")[2].removesuffix(".")
    joined = eval(advice, {"np": np, "a": EXPECTED[:1], "b": EXPECTED[1:]})
    np.testing.assert_array_equal(joined, EXPECTED)


COMPLEX = "Your answer holds complex numbers; real ones are asked for. "
ADVICE = "np.stack([z.real, z.imag], axis=-1).reshape(len(z), -1)"


@pytest.mark.parametrize("kind", [np.asarray, torch.tensor, list])
def test_complex_pairs_are_told_how_to_be_real(kind):
    z = EXPECTED[:, :1] + 1j * EXPECTED[:, 1:]
    told = to_numbers(kind(z), EXPECTED)
    assert told.startswith(COMPLEX)
    assert told.endswith(f"side by side: {ADVICE}.")
    np.testing.assert_array_equal(eval(ADVICE, {"np": np, "z": z}), EXPECTED)


def test_complex_numbers_that_are_no_pairs_are_refused():
    told = to_numbers(EXPECTED + 0j, EXPECTED)
    assert told == f"{COMPLEX}Where the real part is what is asked for, return z.real."
