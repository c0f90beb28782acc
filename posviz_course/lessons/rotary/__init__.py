"""RoPE: queries and keys rotate with their position."""

from posviz_course.lessons.rotary.exercises import (
    check_apply_rotary,
    check_rotary_scores,
    check_slip,
)

__all__ = ["check_apply_rotary", "check_rotary_scores", "check_slip"]
