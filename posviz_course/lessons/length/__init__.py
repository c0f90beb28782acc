"""Train short, test long: which methods go on past the trained length, and what is inside."""

from posviz_course.lessons import when_needed

__getattr__ = when_needed(__name__, exercises="check_report check_which")
