"""Learned embeddings: a table that is trained, and what it comes to know."""

from posviz_course.lessons import when_needed

__getattr__ = when_needed(
    __name__,
    _training="small_model watch_table",
    exercises="changed_offsets check_changed_offsets check_has_row check_row_shares",
)
