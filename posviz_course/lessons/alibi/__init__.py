"""Attention with linear biases: a straight line at the scores, one slope for each head."""

from posviz_course.lessons.alibi.exercises import (
    check_alibi_bias,
    check_head_from_curve,
    check_slopes,
)

__all__ = ["check_alibi_bias", "check_head_from_curve", "check_slopes"]
