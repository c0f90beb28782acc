"""Lesson 11: position from content, and layers without it."""

from posviz.lessons.content.exercises import check_fox, check_plan

__all__ = ["check_fox", "check_plan"]
