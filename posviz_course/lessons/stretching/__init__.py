"""Context extension: the pairs that reach new angles in a longer text, and methods to slow them."""

from posviz_course.lessons.stretching.exercises import (
    check_new_base,
    check_on_scores,
    check_yarn_ramp,
)

__all__ = ["check_new_base", "check_on_scores", "check_yarn_ramp"]
