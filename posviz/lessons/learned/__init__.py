from posviz.lessons.learned.exercises import (
    check_has_row,
    check_lookup,
    check_parameter_count,
    check_unnoticed,
)

__all__ = ["check_has_row", "check_lookup", "check_parameter_count", "check_unnoticed"]
