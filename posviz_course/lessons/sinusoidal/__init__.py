"""Sinusoidal tables: a position written as a vector."""

from posviz_course.lessons import when_needed

__getattr__ = when_needed(__name__, exercises="check_base check_sinusoidal found_table")
