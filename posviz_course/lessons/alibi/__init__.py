"""Attention with linear biases: a straight line at the scores, one slope for each head."""

from posviz_course.lessons import when_needed

__getattr__ = when_needed(__name__, exercises="check_alibi_bias check_head_from_curve check_slopes")
