"""Relative positions: a score depends on how far apart its query and key are."""

from posviz_course.lessons.relative.exercises import check_bias_matrix, check_shaw_index

__all__ = ["check_bias_matrix", "check_shaw_index"]
