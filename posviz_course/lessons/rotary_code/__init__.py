"""RoPE in programs: layouts, a cache, precision, black boxes."""

from posviz_course.lessons import when_needed

__getattr__ = when_needed(
    __name__, _boxes="box reference", exercises="check_cached_scores check_port check_weight_layout"
)
