"""Errors in handing out exercises, and in grading what comes back."""

_INSIDE = "tests/grading/test_inside.py::test_"
_SUBMISSION = "tests/grading/test_submission.py::test_"

QUICK = {
    "grading: a wrong verdict does not raise": (
        "posviz/exercises/checker.py",
        "if strict and not feedback:",
        "if strict and feedback.status == 'error':",
        "tests/exercises/test_checker.py::"
        "test_it_is_true_where_it_is_right_and_raises_the_sentence_on_request",
    ),
    "grading: every verdict is true": (
        "posviz/exercises/feedback.py",
        'return self.status == "correct"',
        "return True",
        "tests/exercises/test_checker.py::"
        "test_it_is_true_where_it_is_right_and_raises_the_sentence_on_request",
    ),
    "grading: all are given the inputs that everybody sees": (
        "posviz/exercises/checker.py",
        "default_rng((size, *self.seed))",
        "default_rng(size)",
        "tests/exercises/test_checker.py::test_a_seed_draws_other_inputs_of_the_same_sizes",
    ),
    "grading: whatever a text names is lent": (
        "posviz/grading/exercises.py",
        r"\b([A-Za-z_]\w*)\(",
        r"\b([A-Za-z_]\w*)",
        "tests/grading/test_exercises.py::test_lent_is_what_text_and_stub_call",
    ),
    "grading: more than numbers is read from a submission's process": (
        "posviz/grading/inside.py",
        'if dtype.kind not in "biufc":',
        'if dtype.kind not in "biufcS":',
        _INSIDE + "what_no_value_is_packed_as_is_refused[message2]",
    ),
    "grading: a message may have any length": (
        "posviz/grading/inside.py",
        "    if length > LARGEST:",
        "    if length > 2**40:",
        _INSIDE + "what_is_too_large_is_refused_on_both_sides",
    ),
    "grading: a statement that fails ends its cell": (
        "posviz/grading/inside.py",
        "                except Exception as error:\n                    failed(error)\n",
        "                except KeyError as error:\n                    failed(error)\n",
        _INSIDE + "a_statement_that_fails_stops_no_other",
    ),
    "grading: the reference may be used where it is named": (
        "posviz/grading/inside.py",
        "        raise NotLent(f",
        "        print(f",
        _INSIDE + "what_is_posviz_own_can_be_named_and_not_used",
    ),
    "grading: readers see the hidden test": (
        "posviz/grading/assign.py",
        '["### BEGIN HIDDEN TESTS", *_hidden(exercise, "In", seed), "### END HIDDEN TESTS"]',
        '[*_hidden(exercise, "In", seed), "### BEGIN HIDDEN TESTS", "### END HIDDEN TESTS"]',
        "tests/grading/test_assign.py::test_nbgrader_s_cells_are_of_its_third_scheme[05]",
    ),
    "grading: shares are of those who were wrong": (
        "posviz/grading/report.py",
        "n / len(own)",
        "n / wrong.total()",
        "tests/grading/test_report.py::test_shares_are_of_the_class_and_most_come_first",
    ),
}

DEFAULT = {
    "grading: without a jail the checkers can be read": (
        "posviz/grading/inside.py",
        "(flags or 0) & writes or path.startswith(hidden)",
        "(flags or 0) & writes",
        _SUBMISSION + "posviz_own_function_is_none_of_the_reader_s[without a jail]",
    ),
    "grading: who was late is asked again": (
        "posviz/grading/submission.py",
        "        if self.ended:\n            raise self.ended\n",
        "",
        _SUBMISSION + "once_late_it_answers_no_more",
    ),
}
