"""The examination: a task of each lesson."""

from posviz.lessons.examination.exercises import (
    check_1,
    check_2,
    check_3,
    check_4,
    check_5,
    check_6,
    check_7,
    check_8,
    check_9,
    check_10,
    check_11,
    check_12,
)

__all__ = [
    "check_1",
    "check_2",
    "check_3",
    "check_4",
    "check_5",
    "check_6",
    "check_7",
    "check_8",
    "check_9",
    "check_10",
    "check_11",
    "check_12",
]
