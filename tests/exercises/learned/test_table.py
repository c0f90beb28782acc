"""The solutions, and every listed mistake as a reader would write it."""

import numpy as np
import pytest
import torch

from posviz.encodings.learned import learned
from posviz.exercises.learned.table import check_has_row, check_lookup, check_parameter_count
from tests.exercises.every_mistake import mistake_tests

COUNT_MISTAKES = {
    "padding rows forgotten": lambda rows, d, padding: rows * d,
    "padding rows subtracted": lambda rows, d, padding: d * (rows - padding),
    "always two padding rows": lambda rows, d, padding: d * (2 + rows),
    "one row too many": lambda rows, d, padding: len(range(rows + padding + 1)) * d,
    "one row too few": lambda rows, d, padding: len(range(1, rows + padding)) * d,
    "brackets missing in the rows": lambda rows, d, padding: rows + padding * d,
    "padding rows of one number": lambda rows, d, padding: rows * d + padding,
    "rows counted": lambda rows, d, padding: len(np.zeros((rows + padding, d))),
    "added instead of multiplied": lambda rows, d, padding: sum((rows, d, padding)),
    "a number for every pair": lambda rows, d, padding: np.zeros([rows + padding] * 2).size,
    "bytes of float32": lambda rows, d, padding: np.zeros((rows + padding, d), "float32").nbytes,
    "counted twice": lambda rows, d, padding: np.zeros((rows + padding, d), "float16").nbytes,
}


def looked_up(row):
    """Look rows up one by one: row(position, padding_offset) -> number of the row."""

    def answer(table, positions, padding_offset):
        return [table[row(position, padding_offset)] for position in positions]

    return answer


def the_first_rows(table, positions, padding_offset):
    return [table[padding_offset + i] for i, _ in enumerate(positions)]


def in_the_order_of_the_table(table, positions, padding_offset):
    wanted = {position + padding_offset for position in positions}
    return [row for number, row in enumerate(table) if number in wanted]


LOOKUP_MISTAKES = {
    "padding offset forgotten": lambda table, positions, padding_offset: table[positions],
    "padding offset subtracted": looked_up(lambda position, offset: position - offset),
    "always two padding rows": looked_up(lambda position, offset: position + 2),
    "positions from 1": looked_up(lambda position, offset: position - 1 + offset),
    "one row late": looked_up(lambda position, offset: position + 1 + offset),
    "positions ignored": the_first_rows,
    "positions sorted": in_the_order_of_the_table,
}


def clamped(position, rows, padding_offset):
    row = min(max(position + padding_offset, 0), rows - 1)
    return 0 <= row < rows


def numpy_has_one(position, rows, padding_offset):
    try:
        np.zeros(rows)[position + padding_offset]
    except IndexError:
        return False
    return True


def learned_has_one(position, rows, padding_offset):
    """As the look-up has it, where padding may stand at a position below 0."""
    try:
        learned(np.zeros((rows, 1)), [position], padding_offset=padding_offset)
    except IndexError:
        return False
    return True


ROW_MISTAKES = {
    "one position too many": lambda p, rows, offset: p >= 0 and p <= rows - offset,
    "one position too few": lambda p, rows, offset: p in range(rows - offset - 1),
    "padding offset forgotten": lambda p, rows, offset: p in range(rows),
    "padding offset added": lambda p, rows, offset: p in range(rows + offset),
    "row number instead of position": lambda p, rows, offset: p in range(offset, rows),
    "negative positions let in": lambda p, rows, offset: p + offset < rows,
    "compared with rows alone": lambda p, rows, offset: not p >= rows,
    "padding rows let in": learned_has_one,
    "always two padding rows": lambda p, rows, offset: p in range(rows - 2),
    "positions from 1": lambda p, rows, offset: p in range(1, rows - offset + 1),
    "whatever NumPy takes": numpy_has_one,
    "position 0 refused": lambda p, rows, offset: p in range(1, rows - offset),
    "every position let in": clamped,
    "True for what has none": lambda p, rows, offset: p < 0 or p >= rows - offset,
}

MISTAKES = [
    (check_parameter_count, COUNT_MISTAKES),
    (check_lookup, LOOKUP_MISTAKES),
    (check_has_row, ROW_MISTAKES),
]


def parameters_of_torch(max_seq_len, d_model, padding_offset):
    return torch.nn.Embedding(max_seq_len + padding_offset, d_model).weight.numel()


def test_the_solutions_are_correct():
    assert check_parameter_count(lambda n, d, padding: n * d + padding * d).status == "correct"
    assert check_parameter_count(parameters_of_torch).status == "correct"
    assert check_lookup(looked_up(lambda position, offset: position + offset)).status == "correct"
    assert check_has_row(lambda p, rows, offset: p in range(rows - offset)).status == "correct"


def test_the_answer_of_torch_is_correct():
    def lookup(table, positions, padding_offset):
        embedding = torch.nn.Embedding.from_pretrained(torch.tensor(table).float(), freeze=False)
        return embedding(torch.tensor(positions) + padding_offset)

    assert lookup(np.eye(2), [1], 0).requires_grad
    assert check_lookup(lookup).status == "correct"


def without_padding(table, positions, padding_offset):
    return table[padding_offset:][positions]


def one_hot(table, positions, padding_offset):
    return (np.arange(len(table)) == positions[:, None] + padding_offset) @ table


@pytest.mark.parametrize("answer", [without_padding, one_hot])
def test_a_lookup_may_be_written_in_other_ways(answer):
    assert check_lookup(answer).status == "correct"


@pytest.mark.parametrize("kind", [torch.tensor, np.bool_, np.int64, float])
def test_true_and_false_may_be_of_any_kind(kind):
    feedback = check_has_row(lambda p, rows, offset: kind(p in range(rows - offset)))
    assert feedback.status == "correct"


test_each_mistake_is_named, test_no_listed_mistake_is_left_untried = mistake_tests(MISTAKES)


def test_a_row_beyond_the_table_is_told_with_the_table():
    feedback = check_lookup(looked_up(lambda position, offset: position + offset + 99))
    assert feedback.status == "error"
    assert "IndexError: index 102 is out of bounds for axis 0 with size 5" in feedback.message
    assert "padding_offset = 1" in feedback.evidence


def test_a_wrong_answer_of_no_known_kind_is_told_with_its_input():
    wrong = [
        check_parameter_count(lambda n, d, padding: n * d + 7),
        check_lookup(lambda table, positions, padding_offset: -table[positions + padding_offset]),
        check_has_row(lambda position, rows, padding_offset: False),
        check_has_row(lambda position, rows, padding_offset: "yes"),
    ]
    assert {(feedback.status, feedback.mistake) for feedback in wrong} == {("wrong", None)}
    assert all("padding_offset = " in feedback.evidence for feedback in wrong)
    rows_as_columns = check_lookup(lambda table, positions, p: table[positions + p].T)
    assert rows_as_columns.message.startswith("Your answer is the transpose")


@pytest.mark.parametrize("check", [check for check, _ in MISTAKES], ids=lambda check: check.title)
def test_what_is_not_attempted_is_told_so(check):
    def empty(first, second, padding_offset): ...

    assert check(...).status == check(empty).status == "not attempted"


def test_the_positions_lie_on_both_sides_of_both_ends():
    sides = {"below 0": set(), "padding": set(), "first": set(), "last": set(), "beyond": set()}
    for position, rows, padding_offset in check_has_row.cases():
        last = rows - padding_offset - 1
        place = {0: "first", last: "last"}.get(position, "below 0" if position < 0 else "beyond")
        place = "padding" if -padding_offset <= position < 0 else place
        sides[place].add(position - last)
    assert all(sides.values())
    assert min(sides["beyond"]) == 1


def test_the_tables_of_known_models_have_as_many_parameters():
    """GPT-2 1024 × 768 and BERT 512 × 768; OPT has 2048 positions and two rows more."""
    gpt2, bert, opt = (1024, 768, 0), (512, 768, 0), (2048, 768, 2)
    counts = [check_parameter_count.reference(*model) for model in (gpt2, bert, opt)]
    assert counts == [786_432, 393_216, 1_574_400]
