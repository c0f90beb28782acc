"""RoPE in two dimensions: a token has a row and a column."""

from posviz_course.lessons import when_needed

__getattr__ = when_needed(__name__, exercises="check_axial check_kind")
