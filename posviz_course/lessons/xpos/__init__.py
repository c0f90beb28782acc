"""xPos: a rotation that also forgets, and a mask that keeps every distance familiar."""

from posviz_course.lessons.xpos.exercises import check_blockwise_mask, check_half_lives, check_xpos

__all__ = ["check_blockwise_mask", "check_half_lives", "check_xpos"]
