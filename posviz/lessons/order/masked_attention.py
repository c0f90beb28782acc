"""Which keys each query may look at under a mask, and the weight that the first token keeps."""

import numpy as np
from matplotlib.figure import Figure

from posviz.attention import attention
from posviz.attention.masks import blockwise_causal_mask, causal_mask, padding_mask
from posviz.encodings.doors import NoPosition
from posviz.pictures.knobs import choice, integer, switch
from posviz.pictures.parts import Curve, Map, greyed, whole
from posviz.pictures.picture import Arrays, Picture
from posviz.pictures.style import PLAIN

LONGEST = 32
BLOCKED = -1  # below every weight, so that a blocked pair has a colour of its own


class MaskedAttention(Picture):
    """Masks: which tokens a token may look at, and how the weight of the first one falls."""

    size = (9.0, 4.2)

    seq_len = integer(8, low=1, high=LONGEST, play=True)
    mask = choice("causal", options=("none", "causal", "blockwise"))
    block = integer(2, low=1, high=16, when={"mask": ("blockwise",)}, label="block (tokens)")
    same_token = switch(True, label="equal scores", more=True)
    padding = integer(
        0,
        low=0,
        high=LONGEST - 1,
        until=lambda p: p.seq_len - 1,
        label="padding (tokens)",
        more=True,
    )

    def compute(self) -> Arrays:
        """Weights [seq_len, seq_len], and the weight of the first real token beside each row."""
        rows, length = np.arange(self.seq_len), self.seq_len - self.padding
        # Counted from the first real token; the padding before it repeats the 0.
        positions = np.maximum(rows - self.padding, 0)
        allowed = padding_mask([length], self.seq_len)[0, 0] & self._mask(positions)
        q, k = np.random.default_rng(0).standard_normal((2, 1, 1, LONGEST, 16))
        q, k = (array[:, :, : self.seq_len] * (not self.same_token) for array in (q, k))
        how = {"q_positions": positions, "k_positions": positions, "return_weights": True}
        _, weights = attention(q, k, k, encoding=NoPosition(), mask=allowed, **how)
        weights = weights[0, 0]
        first = np.where(allowed, weights, 0)[:, self.padding]
        return self.arrays(
            weights=np.where(allowed, weights, BLOCKED),
            first=(first, rows),
            ends=(first[self.padding], first[-1]),
        )

    def _mask(self, positions):
        if self.mask == "none":
            return np.ones((len(positions), len(positions)), bool)
        if self.mask == "causal":
            return causal_mask(positions, positions)
        return blockwise_causal_mask(positions, positions, self.block)

    def draw(self, figure: Figure) -> list:
        """The weights, and beside each query the weight of the first token."""
        heat, beside = figure.subplots(1, 2, sharey=True, width_ratios=(3, 2))
        look = {"cmap": greyed(PLAIN, "under"), "limits": (0, 1)}
        weights = Map(heat, "weights", most=(LONGEST, LONGEST), **look)
        bar = {"location": "bottom", "aspect": 30, "extend": "min", "ticks": (0, 0.5, 1)}
        label = "attention weight (grey: blocked)"
        figure.colorbar(weights.image, ax=heat, label=label, format="%g", **bar)
        beside.set(xlabel="weight of the\nfirst token", xlim=(-0.05, 1.05), xticks=(0, 0.5, 1))
        first = Curve(beside, "C1o-", "first")
        heat.set(xlabel="key (place in the row)", ylabel="query (place in the row)")
        whole(heat.xaxis, heat.yaxis, most=8, steps=None)
        return [weights, first]

    def caption(self, arrays: Arrays) -> str:
        """The weight of the first token, for itself and for the last."""
        first, last = arrays.ends
        names = {"none": "Without a mask"}
        mask = names.get(arrays.mask, f"With a {arrays.mask} mask")
        return (
            f"{mask}, the weight of the first token is {first:.3g} in its own row and {last:.3g} "
            "in the last row."
        )
