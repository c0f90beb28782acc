"""Which keys each query may look at under a mask, and the weight that the first token keeps."""

import numpy as np
from matplotlib.colors import PowerNorm
from matplotlib.figure import Figure

from posviz.attention.masks import causal_mask
from posviz.pictures.knobs import Choice, Integer
from posviz.pictures.parts import Curve, Map, greyed, whole
from posviz.pictures.picture import Arrays, Picture
from posviz.pictures.style import PLAIN
from posviz.wording import number

LONGEST = 32
BLOCKED = -1  # below every weight, so that a blocked pair has a colour of its own


class MaskedAttention(Picture):
    """Under a causal mask, later tokens give the first one less weight."""

    size = (9.0, 4.2)

    seq_len = Integer(8, low=1, high=LONGEST, play=True)
    mask = Choice("causal", options=("none", "causal"))

    def compute(self) -> Arrays:
        """Weights of equal scores [seq_len, seq_len], and the weight of the first token by row."""
        rows = np.arange(self.seq_len)
        allowed = causal_mask(rows, rows) | (self.mask == "none")
        weights = allowed / allowed.sum(axis=1, keepdims=True)
        return self.arrays(
            weights=np.where(allowed, weights, BLOCKED),
            first=(weights[:, 0], rows),
        )

    def draw(self, figure: Figure) -> list:
        """The weights, and beside each query the weight of the first token."""
        heat, beside = figure.subplots(1, 2, sharey=True, width_ratios=(3, 2))
        props = {"cmap": greyed(PLAIN, "under"), "limits": (0, 1)}
        weights = Map(heat, "weights", most=(LONGEST, LONGEST), **props)
        weights.image.set_norm(PowerNorm(0.5, 0, 1))  # 1/7 and 1/8 have colours of their own
        bar: dict = {
            "location": "bottom",
            "aspect": 30,
            "extend": "min",
            "ticks": (0, 0.1, 0.25, 0.5, 1),
        }
        label = "attention weight (grey: blocked)"
        figure.colorbar(weights.image, ax=heat, label=label, format="%g", **bar)
        beside.set(xlabel="weight of the\nfirst token", xlim=(-0.05, 1.05), xticks=(0, 0.5, 1))
        heat.set_title("weights of equal scores")
        first = Curve(beside, "C1o-", "first")
        heat.set(xlabel="key (position)", ylabel="query (position)")
        whole(heat.xaxis, heat.yaxis, most=8, steps=None)
        return [weights, first]

    def caption(self, arrays: Arrays) -> str:
        first, last = arrays.first[0][[0, -1]]
        mask = "With a causal mask" if arrays.mask == "causal" else "Without a mask"
        return (
            f"{mask}, the weight of the first token is {number(first)} in its own row and "
            f"{number(last)} in the last row."
        )
