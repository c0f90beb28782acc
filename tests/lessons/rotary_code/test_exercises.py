"""Lesson 06's exercises: answers that readers wrote, and what they are told."""

import numpy as np

from posviz import identify
from posviz.encodings.rotary import LAYOUTS, change_layout
from posviz_course.course import OF_TOPIC
from posviz_course.lessons.rotary_code import (
    check_cached_scores,
    check_port,
    check_weight_layout,
    reference,
)
from posviz_tools.classroom.exercises import of_lesson, solution
from posviz_tools.cli import arguments


def test_a_cache_rotated_once_more_is_told_with_the_forgotten_offset():
    # Everything rotated by n, the query too: the offsets are those of a query at 0.
    feedback = check_cached_scores(
        lambda q, k, cached_keys, inv_freq: np.append(
            cached_keys @ q if len(cached_keys) else [], k @ q
        )
    )
    assert feedback.mistake == "offset forgotten"
    assert "rotated the whole cache by n once more" in feedback.message


def test_rows_of_all_heads_reordered_at_once_are_told_both_mistakes():
    feedback = check_weight_layout(lambda w, num_heads: np.vstack([w[::2], w[1::2]]))
    assert feedback.mistake == "heads ignored, and rows instead of columns"


def test_the_port_that_is_given_is_not_fixed():
    given, solved = exercise("my_port")
    assert check_port(given).message == "Not fixed yet: this does what was given."
    assert check_port(solved).status == "correct"


def test_one_fixed_mistake_of_the_port_leaves_two_to_name():
    given, _ = exercise("my_port")
    feedback = check_port(lambda x, positions: given(x, positions - 1))
    assert set(feedback.mistake.split(", and ")) == {"half_split", "direction reversed"}


def test_one_fixed_line_of_the_port_s_layout_names_the_other_line():
    given, _ = exercise("my_port")
    there, back = ({"source": a, "target": b} for a, b in (LAYOUTS, LAYOUTS[::-1]))
    feedback = check_port(lambda x, positions: given(change_layout(x, **there), positions))
    assert feedback.mistake == "only the inputs fixed"
    feedback = check_port(lambda x, positions: change_layout(given(x, positions), **back))
    assert feedback.mistake == "only the outputs fixed"


def test_identify_finds_three_mistakes_in_the_port_and_then_none():
    given, solved = exercise("my_port")
    found = identify(given, meant=reference, head_dim=8)
    assert (found.layout, found.direction, found.first_position) == ("half_split", -1, 1)
    assert identify(solved, meant=reference, head_dim=8).differences == ()


def exercise(name):
    """What the notebook gives to be fixed, and the solution."""
    path = arguments.notebooks()[OF_TOPIC["rotary_code"].notebook]
    (found,) = [each for each in of_lesson(path) if each.name == name]
    both = found.stub, solution(OF_TOPIC["rotary_code"], found)
    return [answer(code, name, found.lent) for code in both]


def answer(code, name, lent):
    names = {"np": np} | lent
    exec(code, names)
    return names[name]
