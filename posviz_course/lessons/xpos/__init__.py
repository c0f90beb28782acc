"""xPos: a rotation that also forgets, and a mask that keeps every distance familiar."""

from posviz_course.lessons import when_needed

__getattr__ = when_needed(__name__, exercises="check_blockwise_mask check_half_lives check_xpos")
