"""Attention that takes every encoding at its doors, its masks and its key/value cache."""

from posviz.attention.attend import attend, attention, softmax
from posviz.attention.cache import KeyValueCache

__all__ = ["KeyValueCache", "attend", "attention", "softmax"]
