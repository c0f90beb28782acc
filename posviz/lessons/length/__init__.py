"""Train short, test long: who goes on past the trained length, and what is inside."""

from posviz.lessons.length.exercises import (
    check_evaluation,
    check_missed,
    check_needles,
    check_report,
    check_which,
)

__all__ = ["check_evaluation", "check_missed", "check_needles", "check_report", "check_which"]
