"""Lesson 11: position from content, and layers without it."""

from posviz.lessons.content.exercises import check_cope, check_fox, check_plan, check_ssmax

__all__ = ["check_cope", "check_fox", "check_plan", "check_ssmax"]
