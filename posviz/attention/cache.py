"""The key/value cache: what a model keeps of the tokens it has seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from posviz.arrays import Array, namespace


@dataclass(eq=False)
class KeyValueCache:
    """Keys as they came out of at_key, values and positions of the tokens seen so far.

    A key that has been rotated stays as it is: frequencies that follow the length, as those of
    dynamic NTK and LongRoPE do, have to be held fixed while the cache grows.

    Shapes: keys and values [batch, kv_heads, len, head_dim], positions [len] or [batch, len];
    carried is whatever the encoding's for_input hands on. Empty at first; ``attend`` adds to it.
    """

    keys: Array = None
    values: Array = None
    positions: Array = None
    carried: Any = None

    def joined(self, keys: Array, values: Array, positions: Array) -> KeyValueCache:
        """Return a cache of the tokens held and then these; this one is left as it is."""
        xp = namespace(keys)
        if self.keys is None:
            return KeyValueCache(keys, values, xp.asarray(positions, copy=True))
        return KeyValueCache(
            xp.concat([self.keys, keys], axis=2),
            xp.concat([self.values, values], axis=2),
            xp.concat([self.positions, positions], axis=-1),
        )

    def take(self, other: KeyValueCache, carried: Any) -> None:
        """Hold the tokens of another cache, and what for_input handed on."""
        self.keys, self.values, self.positions = other.keys, other.values, other.positions
        self.carried = carried
