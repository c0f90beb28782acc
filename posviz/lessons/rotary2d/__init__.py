"""RoPE in two dimensions: a token stands at a row and a column."""

from posviz.lessons.rotary2d.exercises import check_axial, check_collision, check_mixed

__all__ = ["check_axial", "check_collision", "check_mixed"]
