"""RoPE: queries and keys rotate with their position."""

from posviz_course.lessons import when_needed

__getattr__ = when_needed(__name__, exercises="check_apply_rotary check_rotary_scores check_slip")
