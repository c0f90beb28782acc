"""Lesson 11: position from content, and layers without it."""

from posviz_course.lessons.content._last_word import change_at_last
from posviz_course.lessons.content.exercises import check_fox, check_gates

__all__ = ["change_at_last", "check_fox", "check_gates"]
