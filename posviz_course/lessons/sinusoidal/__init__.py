"""Sinusoidal tables: a position written as a vector."""

from posviz_course.lessons.sinusoidal.exercises import check_base, check_sinusoidal, found_table

__all__ = ["check_base", "check_sinusoidal", "found_table"]
