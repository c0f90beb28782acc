"""Why order matters: attention, shuffled sentences, masks and the four terms of a score."""

from posviz_course.lessons.order.exercises import check_attention, check_heads, check_permutation

__all__ = ["check_attention", "check_heads", "check_permutation"]
