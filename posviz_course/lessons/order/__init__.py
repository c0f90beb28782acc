"""Why order matters: attention, shuffled sentences, masks and the four terms of a score."""

from posviz_course.lessons import when_needed

__getattr__ = when_needed(__name__, exercises="check_attention check_heads check_permutation")
