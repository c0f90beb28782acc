"""Which keys each query may look at under a mask, and what that tells about position."""

import numpy as np
from matplotlib.figure import Figure

from posviz.attention import attention
from posviz.attention.masks import blockwise_causal_mask, causal_mask, padding_mask
from posviz.encodings.doors import NoPosition
from posviz.pictures.knobs import choice, integer, switch
from posviz.pictures.parts import Curve, Limits, Map, greyed, legend_over, whole, with_room
from posviz.pictures.picture import Arrays, Picture
from posviz.pictures.style import PLAIN

LONGEST = 32
BLOCKED = -1  # below every weight, so that a blocked pair has a colour of its own


class MaskedAttention(Picture):
    """Masks: who may look at whom, and where position leaks."""

    size = (9.0, 5.4)

    seq_len = integer(8, low=1, high=LONGEST, play=True)
    mask = choice("causal", options=("none", "causal", "blockwise"))
    block = integer(2, low=1, high=16, when={"mask": ("blockwise",)}, label="block (tokens)")
    same_token = switch(True, label="same token everywhere")
    padding = integer(
        0,
        low=0,
        high=LONGEST - 1,
        until=lambda p: p.seq_len - 1,
        label="padding (tokens)",
        more=True,
    )

    def compute(self) -> Arrays:
        """Weights [seq_len, seq_len]; positions and numbers of keys, each beside its row."""
        rows, length = np.arange(self.seq_len), self.seq_len - self.padding
        # Counted from the first real token; the padding before it repeats the 0.
        positions = np.maximum(rows - self.padding, 0)
        allowed = padding_mask([length], self.seq_len)[0, 0] & self._mask(positions)
        q, k = np.random.default_rng(0).standard_normal((2, 1, 1, LONGEST, 16))
        q, k = (array[:, :, : self.seq_len] * (not self.same_token) for array in (q, k))
        how = {"q_positions": positions, "k_positions": positions, "return_weights": True}
        _, weights = attention(q, k, k, encoding=NoPosition(), mask=allowed, **how)
        return self.arrays(
            weights=np.where(allowed, weights[0, 0], BLOCKED),
            looks_at=(allowed.sum(axis=1), rows),
            positions=(positions, rows),
            room={"xlim": with_room(0, self.seq_len, 0.05)},
            ends=(allowed[self.padding].sum(), allowed[-1].sum(), length),
        )

    def _mask(self, positions):
        if self.mask == "none":
            return np.ones((len(positions), len(positions)), bool)
        if self.mask == "causal":
            return causal_mask(positions, positions)
        return blockwise_causal_mask(positions, positions, self.block)

    def draw(self, figure: Figure) -> list:
        """The weights, and beside each query how many keys it looks at."""
        heat, beside = figure.subplots(1, 2, sharey=True, width_ratios=(3, 2))
        look = {"cmap": greyed(PLAIN, "under"), "limits": (0, 1)}
        weights = Map(heat, "weights", most=(LONGEST, LONGEST), **look)
        bar = {"location": "bottom", "aspect": 30, "extend": "min", "ticks": (0, 0.5, 1)}
        label = "attention weight (grey: blocked)"
        figure.colorbar(weights.image, ax=heat, label=label, format="%g", **bar)
        beside.set_xlabel("tokens")
        beside.set_xlim(with_room(0, 20, 0.05))  # with a number at its end, which needs room
        looks_at = Curve(beside, "C0s-", "looks_at", "keys it looks at")
        positions = Curve(beside, "C1o:", "positions", "its position")
        legend_over(beside)
        heat.set(xlabel="key (place in the row)", ylabel="query (place in the row)")
        whole(heat.xaxis, heat.yaxis, beside.xaxis, most=8, steps=None)
        return [weights, Limits(beside, "room"), looks_at, positions]

    def caption(self, arrays: Arrays) -> str:
        """How many keys the first and the last token look at."""
        first, last, length = arrays.ends
        told = ", so the mask does not tell them apart" if first == last else ""
        return (
            f"With mask {arrays.mask}, the first token looks at {first} of {length} and the last "
            f"at {last}{told}."
        )
