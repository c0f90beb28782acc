"""RoPE in programs: layouts, a cache, precision."""

from posviz.lessons.rotary_code.exercises import check_cached_scores, check_weight_layout

__all__ = ["check_cached_scores", "check_weight_layout"]
