"""Errors in checkers that name mistakes, and in claims that numbers decide."""

QUICK = {
    "a mistake that fits one input is named": (
        "posviz/exercises/checker.py",
        "return all(map(self.same, given, made))",
        "return any(map(self.same, given, made))",
        "tests/exercises/test_checker.py::test_a_mistake_must_match_on_every_input",
    ),
    "the input is copied at its surface alone": (
        "posviz/exercises/checker.py",
        "answer(*copy.deepcopy(case))",
        "answer(*copy.copy(case))",
        "tests/exercises/test_checker.py::test_the_input_is_shown_as_it_came_"
        "in_when_the_code_wrote_into_it_and_raised",
    ),
    "an answer in float32 is refused": (
        "posviz/exercises/checker.py",
        "tolerance: float = 1e-5",
        "tolerance: float = 1e-9",
        "tests/exercises/test_checker.py::test_an_answer_in_float32_is_correct",
    ),
    "the largest input is left out": (
        "posviz/exercises/checker.py",
        "SIZES = range(1, 9)",
        "SIZES = range(1, 8)",
        "tests/exercises/test_checker.py::test_inputs_grow_and_repeat",
    ),
    "an interrupt of the reader is swallowed": (
        "posviz/exercises/checker.py",
        "except Exception as error:",
        "except BaseException as error:",
        "tests/exercises/test_checker.py::test_an_interrupt_is_not_swallowed",
    ),
    "the value that is asked for is given away": (
        "posviz/exercises/checker.py",
        "        if self.inputs is None:  # the expected value would give the "
        'answer away\n            return show_value("your answer", mine)\n',
        "",
        "tests/exercises/test_checker.py::test_a_value_may_be_the_answer",
    ),
    "warnings about inputs that the reader never sees": (
        "posviz/exercises/checker.py",
        'warnings.catch_warnings(action="ignore"):\n                right',
        "warnings.catch_warnings():\n                right",
        "tests/exercises/alibi/test_head.py::test_a_right_line_with_an_axis_"
        "too_many_brings_no_warning",
    ),
    "a mask of True and False is no answer": (
        "posviz/exercises/answers.py",
        'NUMBERS = "biuf"',
        'NUMBERS = "iuf"',
        "tests/exercises/test_checker.py::test_booleans_are_judged",
    ),
    "a tensor that NumPy cannot hold stops the checker": (
        "posviz/exercises/answers.py",
        "except (TypeError, ValueError, RuntimeError):",
        "except (TypeError, ValueError):",
        "tests/exercises/test_answers.py::test_a_wrong_kind_is_named[empty]",
    ),
    "the answer is kept in the reader's own buffer": (
        "posviz/exercises/answers.py",
        "as_array(answer).copy()",
        "as_array(answer)",
        "tests/exercises/test_answers.py::test_what_is_written_into_the_answer_"
        "later_does_not_count",
    ),
    "the message of feedback is not escaped": (
        "posviz/exercises/feedback.py",
        "{html.escape(self.message)}",
        "{self.message}",
        "tests/exercises/test_feedback.py::test_text_and_html_say_the_same[mistake]",
    ),
    "a single number is shown with four digits": (
        "posviz/exercises/feedback.py",
        'f"{value.item():.6g}"',
        'f"{value.item():.4g}"',
        "tests/exercises/test_feedback.py::test_values_are_rounded_and_aligned",
    ),
    "bias of ALiBi: one head with a mask is taken for all": (
        "posviz/exercises/alibi/bias.py",
        "return (bias[:, ahead] < -99).all()",
        "return (bias[:, ahead] < -99).any()",
        "tests/exercises/alibi/test_bias.py::test_other_negative_numbers_are_"
        "not_taken_for_a_mask[one head]",
    ),
    "head of a curve: what forgives cutting off has the other sign": (
        "posviz/exercises/alibi/head.py",
        "flatter=1 - 1e-6",
        "flatter=1 + 1e-6",
        "tests/exercises/alibi/test_head.py::test_each_mistake_is_named[The "
        "head behind a curve: cut off]",
    ),
    "learned table: no position in the padding is asked for": (
        "posviz/exercises/learned/table.py",
        "(-1, rows, 2),",
        "(-1, rows, 0),",
        "tests/exercises/learned/test_table.py::test_the_positions_lie_on_both_sides_of_both_ends",
    ),
    "Shaw's rows: no query meets its own key": (
        "posviz/exercises/relative/shaw.py",
        "positions[size - 1 : 2 * size]",
        "positions[size : 2 * size]",
        "tests/exercises/relative/test_shaw.py::test_far_keys_are_met_on_both_sides_"
        "and_the_query_itself",
    ),
    "T5's rule: all halves are even, so a wrong rule passes": (
        "posviz/exercises/relative/buckets.py",
        "(12, 14, 20)[size % 3]",
        "(12, 16, 20)[size % 3]",
        "tests/exercises/relative/test_buckets.py::test_what_is_right_where_"
        "halves_are_even_is_told_so",
    ),
    "weight layout: two pairs at most, so the other direction passes": (
        "posviz/exercises/rotary_code/serving.py",
        "2 + 2 * (size // 2)",
        "2 + 2 * (size % 2)",
        "tests/exercises/rotary_code/test_serving.py::test_each_mistake_is_"
        "named[Weights from interleaved to half_split: other direction]",
    ),
    "table that was found: its sines and cosines alternate": (
        "posviz/exercises/sinusoidal/table.py",
        'base=FOUND_BASE, layout="concatenated"',
        "base=FOUND_BASE",
        "tests/exercises/sinusoidal/test_table.py::"
        "test_the_table_that_was_found_tells_its_base_in_every_pair",
    ),
    "overflow: float32 is never asked for": (
        "posviz/exercises/xpos/length.py",
        "LARGEST[size % 3]",
        "LARGEST[size % 2]",
        "tests/exercises/xpos/test_length.py::test_both_formats_and_more_than_"
        "one_pair_are_asked_for",
    ),
    "a claim that holds nowhere is true only if": (
        "posviz/claims/ledger.py",
        "if kept and len(kept) < len(measured):",
        "if len(kept) < len(measured):",
        "tests/claims/test_ledger.py::test_the_verdict_follows_from_the_numbers",
    ),
    "the largest difference loses those below 0": (
        "posviz/claims/measures.py",
        "np.abs(difference).max()",
        "np.abs(difference.max())",
        "tests/claims/test_measures.py::test_the_largest_entry_whatever_its_sign_is_a_plain_number",
    ),
    "lesson 01: the sum of a row instead of a column": (
        "posviz/claims/order/attention.py",
        "_attend(_words())[1].sum(axis=0)",
        "_attend(_words())[1].sum(axis=1)",
        "tests/claims/order/test_attention.py::test_what_each_claim_comes_to[received_weights_sum_to_1]",
    ),
    "lesson 05: clockwise is above 0": (
        "posviz/claims/rotary/rotation.py",
        "lambda degrees: degrees < 0",
        "lambda degrees: degrees > 0",
        "tests/claims/rotary/test_rotation.py::test_what_each_claim_comes_to[the_matrix_turns_clockwise]",
    ),
    "lesson 07: the offset (0, 0) counts among those 5 away": (
        "posviz/claims/rotary2d/plane.py",
        "np.ptp(scores[1:, 0])",
        "np.ptp(scores[:, 0])",
        "tests/claims/rotary2d/test_plane.py::test_what_each_claim_comes_to[the_"
        "score_depends_on_the_distance]",
    ),
    "lesson 02: the last row is not searched": (
        "posviz/claims/sinusoidal/table.py",
        "np.split(np.arange(first, last + 1), range(",
        "np.split(np.arange(first, last), range(",
        "tests/claims/sinusoidal/test_table.py::test_the_nearest_row_is_that_of_a_"
        "search_over_all_offsets",
    ),
    "lesson 09: positions are counted, not the last one told": (
        "posviz/claims/xpos/decay.py",
        "np.finfo(name).max).sum()) - 1",
        "np.finfo(name).max).sum())",
        "tests/claims/xpos/test_decay.py::test_what_each_claim_comes_to[keys_fit_their_format]",
    ),
    "NTK's base: d − 1 in the exponent": (
        "posviz/exercises/stretching/new_base.py",
        "return base * factor ** (head_dim / (head_dim - 2))\n\n\ndef _new_base_inputs",
        "return base * factor ** (head_dim / (head_dim - 1))\n\n\ndef _new_base_inputs",
        "tests/exercises/stretching/test_new_base.py::test_the_number_of_the_exercise_comes_out",
    ),
    "YaRN's ramp: its inputs reach the last pair": (
        "posviz/exercises/stretching/ramp.py",
        "rng.choice([9e3, 5e4])",
        "rng.choice([300.0, 500.0])",
        "tests/exercises/stretching/test_ramp.py::test_both_ends_lie_among_the_pairs_and_at_none",
    ),
    "temperature: one of the two mscales is enough": (
        "posviz/exercises/stretching/temperature.py",
        "    if mscale and mscale_all_dim:\n        return _sharper(factor, mscale) / ",
        "    if mscale or mscale_all_dim:\n        return _sharper(factor, mscale) / ",
        "tests/exercises/stretching/test_temperature.py::"
        "test_the_factor_may_be_found_in_many_ways[by_hugging_face]",
    ),
    "cached NTK: the frequencies of a token before": (
        "posviz/exercises/stretching/cache.py",
        "inv_freq = _inv_freq(len(q), len(k), length, base)\n    "
        "return _scored(q, k, inv_freq, inv_freq).real\n\n\ndef _cache_inputs",
        "inv_freq = _inv_freq(len(q), len(k) - 1, length, base)\n    "
        "return _scored(q, k, inv_freq, inv_freq).real\n\n\ndef _cache_inputs",
        "tests/exercises/stretching/test_cache.py::"
        "test_the_scores_may_be_found_in_many_ways[key_after_key]",
    ),
    "Self-Extend: all windows are whole groups": (
        "posviz/exercises/stretching/positions.py",
        "3 + size % 4, 2 + size % 2",
        "4 + 2 * (size % 4), 2",
        "tests/exercises/stretching/test_positions.py::"
        "test_the_group_divides_some_windows_and_others_not",
    ),
    "a configuration: the flag of turning read by its name": (
        "posviz/exercises/stretching/reading.py",
        "of_kind[kind] if turns else 0.0",
        "0.0 if turns else of_kind[kind]",
        "tests/exercises/stretching/test_reading.py::"
        "test_the_configuration_may_be_read_in_many_ways[by_posviz]",
    ),
    "claim about turns: half a turn is enough": (
        "posviz/claims/stretching/turns.py",
        "rotary_frequencies(head_dim, base) / (2 * np.pi)",
        "rotary_frequencies(head_dim, base) / np.pi",
        "tests/claims/stretching/test_turns.py::test_what_each_claim_comes_to[every_pair_turns]",
    ),
    "claim about the cache: keys of a token too late": (
        "posviz/claims/stretching/methods.py",
        "scores(list(range(1, tokens + 1)))",
        "scores(list(range(2, tokens + 2)))",
        "tests/claims/stretching/test_methods.py::"
        "test_what_each_claim_comes_to[a_cache_changes_nothing]",
    ),
}

DEFAULT = {
    "one attention head: every head is two wide": (
        "posviz/exercises/order/attention.py",
        "4 - 2 * (size % 2)",
        "4 - 2",
        "tests/exercises/test_listed_mistakes.py::test_every_listed_mistake_"
        "can_be_told_from_the_reference_and_the_others[order.attention.check_attention]",
    ),
}
