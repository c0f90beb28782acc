"""Lesson 11: position from content, and layers without it."""

from posviz_course.lessons import when_needed

__getattr__ = when_needed(__name__, _last_word="change_at_last", exercises="check_fox check_gates")
