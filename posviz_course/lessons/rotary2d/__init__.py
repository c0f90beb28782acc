"""RoPE in two dimensions: a token has a row and a column."""

from posviz_course.lessons.rotary2d.exercises import check_axial, check_kind

__all__ = ["check_axial", "check_kind"]
