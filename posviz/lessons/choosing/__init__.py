"""Lesson 13: choosing."""

from posviz.lessons.choosing.exercises import check_moved

__all__ = ["check_moved"]
