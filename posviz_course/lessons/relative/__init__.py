"""Relative positions: a score depends on how far apart its query and key are."""

from posviz_course.lessons import when_needed

__getattr__ = when_needed(__name__, exercises="check_bias_matrix check_shaw_index")
