"""RoPE in programs: layouts, a cache, precision, black boxes."""

from posviz_course.lessons.rotary_code._boxes import box, reference
from posviz_course.lessons.rotary_code.exercises import (
    check_cached_scores,
    check_port,
    check_weight_layout,
)

__all__ = ["box", "check_cached_scores", "check_port", "check_weight_layout", "reference"]
