"""The checker framework, on a small exercise of its own: the running sums of a row of numbers."""

import re
from dataclasses import replace

import numpy as np
import pytest

from posviz.attention import softmax
from posviz.teaching.checker import Checker
from posviz.teaching.mistakes import answer, argument, step, wrong
from posviz_course.lessons.order import check_attention as lesson_check


def running_sums(numbers, start):
    return start + np.cumsum(numbers)


def numbers_and_start(rng, size):
    return rng.normal(size=size), float(rng.integers(1, 9))


def start_forgotten(numbers, start):
    return np.cumsum(numbers)


def sums_from_the_end(numbers, start):
    return start + np.cumsum(numbers[::-1])


START_FORGOTTEN = argument("start forgotten", "You forgot the start.", start=0)
DOUBLED = answer("doubled", lambda sums: 2 * sums, "You doubled the sums.")
FROM_THE_END = wrong("sums from the end", sums_from_the_end, "You summed from the end.")
ROUNDED = answer("first number twice", lambda sums, numbers: sums + numbers[0], "Once is enough.")
check = Checker(
    "The running sums",
    running_sums,
    numbers_and_start,
    mistakes=[START_FORGOTTEN, DOUBLED, FROM_THE_END, ROUNDED],
)


def test_a_right_answer_is_correct_however_it_is_written():
    def answer(numbers, start):
        sums = []
        for number in numbers:
            start += number
            sums.append(start)
        return sums

    assert check(answer).status == "correct"


@pytest.mark.parametrize("mistake", check.mistakes, ids=lambda mistake: mistake.name)
def test_a_known_mistake_is_told_in_its_sentence(mistake):
    feedback = check(mistake.change(running_sums))
    assert (feedback.status, feedback.mistake) == ("mistake", mistake.name)
    assert feedback.message == mistake.message


def test_two_mistakes_at_once_are_named():
    feedback = check(lambda numbers, start: 2 * np.cumsum(numbers))
    assert feedback.mistake == "start forgotten, and doubled"
    assert feedback.message == f"Two things. {START_FORGOTTEN.message} {DOUBLED.message}"
    feedback = check(lambda numbers, start: 2 * sums_from_the_end(numbers, start))
    assert feedback.mistake == "doubled, and sums from the end"
    assert check(lambda numbers, start: 3 * np.cumsum(numbers)).status == "wrong"


def test_a_changed_step_composes_too():
    def scaled(x, *, scale=np.sqrt):
        return x / scale(len(x))

    steps = [
        step("divided by len", "Take the root.", scale=lambda length: length),
        answer("sign", lambda y: -y, "Keep the sign."),
    ]
    check = Checker(
        "Scaled", scaled, lambda rng, size: (rng.normal(size=size + 1),), mistakes=steps
    )
    assert check(lambda x: x / len(x)).mistake == "divided by len"
    assert check(lambda x: -x / len(x)).mistake == "divided by len, and sign"


def test_a_mistake_must_match_on_every_input():
    # On one number, summing from the end is right: the first failing input has two.
    def wrong_for_long_rows(numbers, start):
        return sums_from_the_end(numbers, start) if len(numbers) < 5 else numbers

    feedback = check(wrong_for_long_rows)
    assert (feedback.status, feedback.mistake) == ("wrong", None)


def test_it_is_true_where_it_is_right_and_raises_the_sentence_on_request():
    right = check(running_sums_of_mine, strict=True)
    assert (bool(right), right.points) == (True, 10)
    for bad in (start_forgotten, ..., lambda numbers, start: 1 / 0):
        assert (bool(check(bad)), check(bad).points) == (False, 0)
        with pytest.raises(AssertionError) as raised:
            check(bad, strict=True)
        assert str(raised.value) == check(bad).message


@pytest.fixture
def check_attention(monkeypatch):
    """The checker of a lesson, not tried yet."""
    monkeypatch.setattr(lesson_check, "tries", 0)
    return lesson_check


def test_the_solution_is_offered_after_three_tries(check_attention):
    tries = (lambda x, *_: x, ..., lambda *_: 1 / 0, ..., lambda *_: 0, ..., lambda x, *_: x)
    told = [check_attention(each) for each in tries]
    assert [bool(each.solution) for each in told] == [*[False] * 4, *[True] * 3]
    assert told[-1].solution.startswith("def my_attention(x, w_q, w_k, w_v):")
    assert "<details><summary" in told[-1]._repr_html_()
    assert "my_attention" not in repr(told[-1])
    assert not check_attention(lambda *given: check_attention.reference(*given)).solution


def test_the_solution_is_shown_at_once_on_request(check_attention):
    told = check_attention(..., solution=True)
    assert "<details open>" in told._repr_html_()
    assert "def my_attention" in repr(told)


def test_the_solution_is_never_shown_where_it_is_refused(check_attention):
    for _ in range(5):
        assert not check_attention(lambda *_: 0, solution=False).solution


def test_a_checker_of_no_lesson_has_no_solution():
    assert not check(start_forgotten, solution=True).solution


def running_sums_of_mine(numbers, start):
    return [start := start + number for number in numbers]


def test_a_seed_draws_other_inputs_of_the_same_sizes():
    private = replace(check, seed=(7,))
    for (numbers, _), (others, _) in zip(check.cases(), private.cases(), strict=True):
        assert numbers.shape == others.shape
        assert not np.array_equal(numbers, others)
    known = {repr(case): running_sums(*case) for case in check.cases()}
    assert check(lambda *case: known.get(repr(case), 0.0))
    assert not private(lambda *case: known.get(repr(case), 0.0))
    assert private(start_forgotten).mistake == "start forgotten"


def test_edges_are_tried_first_whatever_the_seed():
    with_edge = replace(check, edges=[(np.zeros(2), 0.0)])
    for seed in ((), (1,), (2,)):
        numbers, start = replace(with_edge, seed=seed).cases()[0]
        assert (numbers.tolist(), start) == ([0, 0], 0)

    def wrong_from_0(numbers, start):
        return running_sums(numbers, start) + (1 if start == 0 else 0)

    assert check(wrong_from_0).status == "correct"
    told = with_edge(wrong_from_0)
    assert told.evidence == (
        "numbers = [0. 0.]\nstart = 0.0\nyour answer = [1. 1.]\nexpected    = [0. 0.]"
    )


def test_an_edge_is_the_same_after_an_answer_wrote_into_it():
    with_edge = replace(check, edges=[(np.zeros(2), 0.0)])
    with_edge.cases()[0][0][:] = 7
    assert with_edge.cases()[0][0].tolist() == [0, 0]


def test_a_mistake_that_stops_on_some_inputs_is_named_by_the_others():
    def forgets_the_start_and_stops(numbers, start):
        return np.cumsum(numbers) if len(numbers) > 2 else numbers[9]

    def right_until_it_stops(numbers, start):
        return running_sums(numbers, start) if len(numbers) < 5 else numbers[9]

    told = check(forgets_the_start_and_stops)
    assert (told.status, told.mistake) == ("mistake", "start forgotten")
    assert check(right_until_it_stops).status == "error"


def test_a_mistake_that_stops_everywhere_is_named_by_its_error():
    def past_the_end(numbers, start):
        return start + np.cumsum(numbers)[np.arange(len(numbers)) + 1]

    known = replace(check, mistakes=[wrong("past the end", past_the_end, "Begin at 0.")])
    assert known(lambda *given: past_the_end(*given)).mistake == "past the end"
    assert known(lambda numbers, start: numbers[1, 2]).status == "error"
    assert known(lambda numbers, start: numbers[len(numbers) if start < 5 else 0]).status == "error"


def test_the_smallest_failing_input_is_shown():
    def fails_from_three_on(numbers, start):
        return running_sums(numbers, start) + (1 if len(numbers) >= 3 else 0)

    feedback = check(fails_from_three_on)
    assert feedback.status == "wrong"
    numbers, start = check.cases()[2]
    rounded = " ".join(f"{number:.4f}" for number in numbers)
    assert rounded in re.sub(r" +", " ", feedback.evidence)
    assert f"start = {start}" in feedback.evidence
    assert "largest difference is 1," in feedback.message


def test_of_a_long_answer_the_first_wrong_row_is_shown():
    check_cube = Checker("Zeros", lambda size: np.zeros((size, 5, 2)), lambda rng, size: (size,))

    def wrong_in_one_row(size):
        zeros = np.zeros((size, 5, 2))
        zeros[1:, 2, 1] = np.nan
        return zeros

    evidence = check_cube(wrong_in_one_row).evidence
    assert evidence == "size = 2\nyour answer[1, 2] = [ 0. nan]\nexpected[1, 2]    = [ 0.  0.]"
    short = check_cube(lambda size: np.ones((size, 5, 2))).evidence
    assert "expected    = [[[0. 0.]" in short


def test_a_function_of_posviz_is_no_answer_but_may_be_called():
    check_softmax = Checker("The weights", softmax, lambda rng, size: (rng.normal(size=size),))
    for own in (softmax, check_softmax.cases):
        feedback = check_softmax(own)
        assert feedback.status == "wrong"
        assert feedback.message == "That is posviz's own function; write yours."


@pytest.mark.parametrize("module", ["__main__", "posviz_homework"])
def test_an_answer_from_a_file_of_the_readers_own_is_judged(module):
    def mine(scores):
        return softmax(scores)

    mine.__module__ = module
    check = Checker("The weights", softmax, lambda rng, size: (rng.normal(size=size),))
    assert check(mine).status == "correct"


def test_a_wrong_answer_is_run_once_on_each_input():
    lengths = []
    assert check(lambda numbers, start: lengths.append(len(numbers)) or 0).status == "wrong"
    assert lengths == [*range(1, 9)]


def test_inputs_grow_and_repeat():
    assert [len(numbers) for numbers, _ in check.cases()] == [1, 2, 3, 4, 5, 6, 7, 8]
    np.testing.assert_array_equal(check.cases()[5][0], check.cases()[5][0])
    assert not np.array_equal(check.cases()[5][0][:5], check.cases()[4][0])


def raises_not_implemented(numbers, start):
    raise NotImplementedError


def returns_ellipsis(numbers, start):
    return ...


def has_no_body(numbers, start): ...


def has_only_a_docstring(numbers, start):
    """Return the running sums."""


@pytest.mark.parametrize(
    "answer", [..., raises_not_implemented, returns_ellipsis, has_no_body, has_only_a_docstring]
)
def test_not_attempted_is_quiet(answer):
    feedback = check(answer)
    assert feedback.status == "not attempted"
    assert feedback.message == "Not attempted yet."
    assert feedback.evidence == ""


def test_an_ellipsis_left_inside_is_pointed_at():
    def half_done(numbers, start):
        sums = ...
        return start + sums

    feedback = check(half_done)
    assert feedback.status == "not attempted"
    assert "still to be replaced in sums on line" in feedback.message
    assert "`sums = ...`" in feedback.message


def test_none_asks_for_the_return():
    def forgot_to_return(numbers, start):
        _ = start + np.cumsum(numbers)

    feedback = check(forgot_to_return)
    assert feedback.status == "wrong"
    assert "Is a return missing" in feedback.message
    assert "np.isclose" in feedback.message


def test_an_exception_is_told_with_its_line_and_input():
    def divides(numbers, start):
        return numbers / (2 if len(numbers) < 2 else int("two"))

    feedback = check(divides)
    assert feedback.status == "error"
    assert "ValueError: invalid literal" in feedback.message
    assert '`return numbers / (2 if len(numbers) < 2 else int("two"))`' in feedback.message
    assert feedback.evidence == "numbers: shape (2,)\nstart: a number"


def test_a_wrong_number_of_parameters_is_told():
    feedback = check(lambda numbers: numbers)
    assert feedback.status == "error"
    assert "takes 1 positional argument" in feedback.message
    assert "start: a number" in feedback.evidence


def test_an_interrupt_is_not_swallowed():
    def interrupted(numbers, start):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        check(interrupted)


def test_a_value_instead_of_a_function_is_told():
    feedback = check(np.arange(3.0))
    assert feedback.status == "wrong"
    assert "asks for a function" in feedback.message


def test_shapes_are_told():
    feedback = check(lambda numbers, start: running_sums(numbers, start)[:, None])
    assert "shape (1, 1)" in feedback.message
    assert "shape (1,)" in feedback.message
    feedback = check(lambda numbers, start: running_sums(numbers, start)[-1])
    assert "single number" in feedback.message


@pytest.mark.parametrize(
    ("more", "told"),
    [(0, "its rows should be its columns."), (1, "shape (3, 2), not (2, 3).")],
    ids=["square", "oblong"],
)
def test_a_transpose_is_recognised(more, told):
    check_rows = Checker(
        "Rows", lambda x: x, lambda rng, size: (rng.normal(size=(size + 1, size + 1 + more)),)
    )
    assert check_rows(lambda x: x.T).message == f"Your answer is the transpose: {told}"


def test_a_tuple_of_arrays_is_told_and_the_right_one_among_them():
    feedback = check(lambda numbers, start: (numbers, numbers * 2, running_sums(numbers, start)))
    told = "Your function returned a tuple of 3 arrays; one is asked for."
    assert feedback.message == f"{told} Number 3 is the right one: return it alone."
    join = "If they are parts of one array, join them: np.concatenate([a, b])."
    assert check(lambda numbers, start: (numbers, numbers, numbers)).message == f"{told} {join}"


def test_a_part_right_on_the_smallest_input_alone_is_not_right():
    def comma(numbers, start):
        sums = running_sums(numbers, start)
        return sums[:1], sums[1:]

    assert "Number" not in check(comma).message
    assert check(lambda *given: np.concatenate(comma(*given))).status == "correct"


def test_a_tuple_that_stacks_to_the_answer_is_correct():
    check_pair = Checker(
        "Both", lambda x: np.stack([x, 2 * x]), lambda rng, size: (rng.normal(size=size),)
    )
    assert check_pair(lambda x: (x, 2 * x)).status == "correct"
    assert check_pair(lambda x: (x, 3 * x)).message.startswith("The largest difference")


def test_nan_is_told():
    feedback = check(lambda numbers, start: running_sums(numbers, start) * np.nan)
    assert feedback.status == "wrong"
    assert feedback.message.startswith("Your answer holds nan or inf")


def test_booleans_are_judged():
    check_even = Checker("Even", lambda x: x % 2 == 0, lambda rng, size: (size,))
    assert check_even(lambda x: not x & 1).status == "correct"
    feedback = check_even(lambda x: x % 2 == 1)
    assert (feedback.status, "your answer = True" in feedback.evidence) == ("wrong", True)
    assert feedback.message == "Your answer is True; here it should be False."
    assert check_even(lambda x: 7).message == "Your answer is 7; True or False is asked for."
    said = "one True or False is asked for: .all() is True where all of them are"
    assert said in check_even(lambda x: np.arange(3) == x).message


def test_an_answer_that_changes_its_input_is_told_so_and_spoils_nothing():
    def overwrites(numbers, start):
        sums = running_sums(numbers, start)
        numbers[:] = 0
        return sums

    told = check(overwrites)
    assert told.mistake == "input changed"
    assert "your function changes its input numbers" in told.message
    assert check(running_sums_of_mine).status == "correct"


def test_a_value_may_be_the_answer():
    half = wrong("half", lambda: 256, "That is half of it.")
    check_width = Checker("The width", lambda: 512, mistakes=[half])
    assert check_width(512).status == "correct"
    assert check_width(256).status == "mistake"
    other = check_width(7)
    assert other.status == "wrong"
    assert "512" not in repr(other)  # the answer is not given away
    assert "505" not in repr(other)
    assert check_width("512").status == "wrong"
    assert check_width(None).status == check_width(...).status == "not attempted"
