"""Lesson 13: choosing."""

from posviz_course.lessons.choosing.exercises import check_moved

__all__ = ["check_moved"]
