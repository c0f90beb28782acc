"""Learned embeddings: a table that is trained, and what it comes to know."""

from posviz_course.lessons.learned._training import small_model, watch_table
from posviz_course.lessons.learned.exercises import (
    changed_offsets,
    check_changed_offsets,
    check_has_row,
    check_row_shares,
)

__all__ = [
    "changed_offsets",
    "check_changed_offsets",
    "check_has_row",
    "check_row_shares",
    "small_model",
    "watch_table",
]
