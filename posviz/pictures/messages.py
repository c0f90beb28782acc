"""What a browser may say: a message that no view of ours would send is passed over.

It moves nothing, is not answered, and nothing of it stays in memory.
"""

from typing import Any, TypeGuard

_LONGEST = 64  # letters of a view's name; ours have 43


def is_name(value: Any) -> bool:
    """Whether it can be the name that a view gave itself."""
    return isinstance(value, str) and len(value) <= _LONGEST


def is_whole(value: Any, low: int, high: int = 2**53) -> TypeGuard[int]:
    """Whether it is a whole number in a range, which ends where JavaScript cannot count on."""
    return type(value) is int and low <= value <= high  # True would be 1
