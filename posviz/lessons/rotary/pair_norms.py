"""Which pairs a trained head uses: the norms of its queries and keys in each."""

import numpy as np
from matplotlib.figure import Figure

from posviz.encodings.frequencies import wavelengths
from posviz.models.reading import pair_norms
from posviz.models.real import FREQUENCIES, NORMED, ROPE, TELLING, heads
from posviz.pictures.knobs import choice, log
from posviz.pictures.parts import Curve, Rule, legend_above, whole
from posviz.pictures.picture import Arrays, Picture


class PairNorms(Picture):
    """Which pairs a real head uses: those that rotate fast, or those that hardly rotate."""

    size = (8.0, 3.6)
    paper_size = (3.3, 2.6)

    head = choice("previous word", options=tuple(TELLING), label="head of")
    within = log(50, low=6.3, high=100_000, play=True, label="one rotation within (tokens)")

    def compute(self) -> Arrays:
        """Return mean norms of q and k in each pair [pairs], and the share of the fast ones."""
        stored = [heads(sentence)[self.head] for sentence in NORMED]
        # The first word's key is apart: in most heads it is close to 0.
        q, k = (pair_norms(np.concatenate([head[i][1:] for head in stored]), ROPE) for i in (1, 2))
        fast = wavelengths(FREQUENCIES) <= self.within
        pairs = np.arange(len(FREQUENCIES))
        return self.arrays(
            query=(pairs, q),
            key=(pairs, k),
            end=fast.sum() - 0.5,
            fast=fast.sum(),
            share=(q * k)[fast].sum() / (q * k).sum(),
            named="layer {} head {}".format(*TELLING[self.head]),
        )

    def draw(self, figure: Figure) -> list:
        """The norms over the pairs, the fastest first, and where a rotation takes longer."""
        axes = figure.subplots()
        lines = [
            Curve(axes, "C0o-", "query", "query"),
            Curve(axes, "C1s--", "key", "key"),
            Rule(axes, {"color": "C6"}, "end", "left of it: fast pairs"),
        ]
        axes.set(xlabel="pair, from the fastest to the slowest", ylabel="mean norm")
        axes.set(xlim=(-1, len(FREQUENCIES)), ylim=(0, 16))
        whole(axes.xaxis)
        legend_above(figure, lines)
        return lines

    def caption(self, arrays: Arrays) -> str:
        """The share of the fast pairs in what query and key can reach."""
        return (
            f"In SmolLM2’s {arrays.named}, the {arrays.fast} fast pairs, out of "
            f"{len(FREQUENCIES)}, have {arrays.share:.0%} of the products of norms."
        )
