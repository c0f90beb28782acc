"""Train short, test long: which methods go on past the trained length, and what is inside."""

from posviz_course.lessons.length.exercises import check_report, check_which

__all__ = ["check_report", "check_which"]
