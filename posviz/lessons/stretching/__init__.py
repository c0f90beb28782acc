"""Context extension: which pairs a longer text surprises, and what each method does about it."""

from posviz.lessons.stretching.exercises import (
    check_cached,
    check_distances,
    check_new_base,
    check_on_scores,
    check_reading,
    check_yarn_ramp,
)

__all__ = [
    "check_cached",
    "check_distances",
    "check_new_base",
    "check_on_scores",
    "check_reading",
    "check_yarn_ramp",
]
