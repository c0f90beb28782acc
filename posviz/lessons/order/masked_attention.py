"""Which keys each query may look at under a mask, and what that tells about position."""

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from posviz.attention import attention
from posviz.attention.masks import blockwise_causal_mask, causal_mask, padding_mask
from posviz.encodings.doors import NoPosition
from posviz.pictures.knobs import choice, integer, switch
from posviz.pictures.parts import Curve, Limits, Map, greyed, legend_over, whole, with_room
from posviz.pictures.picture import Arrays, Picture
from posviz.pictures.style import PLAIN

LONGEST, HEAD_DIM = 32, 16
BLOCKED = -1  # below every weight, so that a blocked pair has a colour of its own


class MaskedAttention(Picture):
    """Masks: who may look at whom, and where position leaks."""

    size = (9.0, 5.4)
    paper_size = (3.3, 2.6)

    seq_len = integer(8, low=1, high=LONGEST, play=True)
    mask = choice("causal", options=("none", "causal", "blockwise"))
    block = integer(2, low=1, high=16, when={"mask": ("blockwise",)}, label="block (tokens)")
    padding = integer(
        0, low=0, high=LONGEST - 1, until=lambda p: p.seq_len - 1, label="padding (tokens)"
    )
    same_token = switch(True, label="same token everywhere")

    def compute(self) -> Arrays:
        """Weights [seq_len, seq_len]; rows, positions and counts of keys [seq_len]."""
        length = self.seq_len - self.held("padding")
        # Counted from the first real token; the padding before it repeats the 0.
        positions = np.maximum(np.arange(self.seq_len) - (self.seq_len - length), 0)
        allowed = padding_mask([length], self.seq_len)[0, 0] & self._mask(positions)
        q, k = np.random.default_rng(0).standard_normal((2, 1, 1, LONGEST, HEAD_DIM))
        q, k = (array[:, :, : self.seq_len] * (not self.same_token) for array in (q, k))
        _, weights = attention(
            q,
            k,
            k,
            encoding=NoPosition(),
            q_positions=positions,
            k_positions=positions,
            mask=allowed,
            return_weights=True,
        )
        return self.arrays(
            length=length,
            rows=np.arange(self.seq_len),
            positions=positions,
            looks_at=allowed.sum(axis=1),
            weights=np.where(allowed, weights[0, 0], BLOCKED),
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
        weights = Map(heat, lambda a: a.weights, most=(LONGEST, LONGEST), **look)
        bar: dict[str, Any] = {
            "location": "bottom",
            "aspect": 30,
            "extend": "min",
            "ticks": (0, 0.5, 1),
        }
        label = "attention weight (grey: blocked)"
        figure.colorbar(weights.image, ax=heat, label=label, format="%g", **bar)
        beside.set_xlim(with_room(0, LONGEST, 0.05))
        looks_at = Curve(beside, "C0s-", lambda a: (a.looks_at, a.rows), "keys it looks at")
        positions = Curve(beside, "C1o:", lambda a: (a.positions, a.rows), "its position")
        legend_over(beside)
        heat.set(xlabel="key (place in the row)", ylabel="query (place in the row)")
        beside.set_xlabel("tokens")
        whole(heat.xaxis, heat.yaxis, beside.xaxis, most=8, steps=None)
        fit = Limits(beside, lambda a: {"xlim": with_room(0, len(a.rows), 0.05)})
        return [weights, fit, looks_at, positions]

    def caption(self, arrays: Arrays) -> str:
        """How many keys the first and the last token look at."""
        real = arrays.looks_at[-arrays.length :]
        tokens = f"{arrays.length} token" + "s" * (arrays.length > 1)
        if arrays.beyond:
            tokens += f" (padding is held at {arrays.padding}, so that one remains)"
        elif arrays.padding:
            tokens += f" and {arrays.padding} of padding"
        if real[0] == real[-1]:
            return (
                f"Mask {arrays.mask}, {tokens}: all look at {real[0]}, so the mask tells nothing."
            )
        told = f"the first looks at {real[0]} and the last at {real[-1]}"
        if arrays.mask == "causal":
            return f"Mask {arrays.mask}, {tokens}: {told}, and no two at the same keys."
        return f"Mask {arrays.mask}, block {arrays.block}, {tokens}: {told}."
