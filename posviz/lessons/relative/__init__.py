"""Relative positions: a score is told how far apart its query and key are."""

from posviz.lessons.relative.exercises import (
    check_shaw_index,
    check_t5_bucket_function,
    check_t5_buckets,
    check_transformer_xl_scores,
)

__all__ = [
    "check_shaw_index",
    "check_t5_bucket_function",
    "check_t5_buckets",
    "check_transformer_xl_scores",
]
