"""Attention that takes every encoding at its doors, its masks and its key/value cache."""

from posviz.arrays import softmax
from posviz.attention.attend import attend, attention
from posviz.attention.cache import KeyValueCache

__all__ = ["KeyValueCache", "attend", "attention", "softmax"]
