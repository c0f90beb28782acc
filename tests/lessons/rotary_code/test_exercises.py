"""Lesson 06's exercises: answers that readers wrote, and what they are told."""

import numpy as np

from posviz.lessons.rotary_code import check_cached_scores, check_weight_layout


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
