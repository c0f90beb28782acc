"""Which pairs a trained head uses: how long its queries and keys are in each."""

from types import SimpleNamespace

import numpy as np
from matplotlib.figure import Figure

from posviz.encodings.frequencies import wavelengths
from posviz.models.reading import pair_norms
from posviz.models.real import FREQUENCIES, ROPE, SENTENCES, TELLING, heads
from posviz.pictures.knobs import choice, log
from posviz.pictures.parts import Curve, Rule, legend_above, whole
from posviz.pictures.picture import Arrays, Picture

LONGEST = 16  # no mean norm of these heads is longer


class PairNorms(Picture):
    """Which pairs a real head uses: those that turn fast, or those that hardly turn."""

    size = (8.0, 3.6)
    paper_size = (3.3, 2.6)

    within = log(50, low=6.3, high=100_000, play=True, label="one turn within (tokens)")
    head = choice("previous word", options=tuple(TELLING), label="head of")

    def compute(self) -> Arrays:
        """Return mean norms of q and k in each pair [pairs], and the part of those that turn."""
        stored = [heads(sentence)[self.head] for sentence in SENTENCES.values()]
        # The first word's key is apart: in most heads it is close to 0.
        q, k = (pair_norms(np.concatenate([head[i][1:] for head in stored]), ROPE) for i in (1, 2))
        turns = wavelengths(FREQUENCIES) <= self.within
        return SimpleNamespace(
            norms=(q, k),
            fast=int(turns.sum()),
            share=(q * k)[turns].sum() / (q * k).sum(),
            within=self.within,
            named="layer {} head {}".format(*TELLING[self.head]),
        )

    def draw(self, figure: Figure) -> list:
        """The norms over the pairs, the fastest first, and where a turn takes longer."""
        axes = figure.subplots()
        pairs = np.arange(len(FREQUENCIES))
        lines = [
            Curve(axes, "C0o-", lambda a: (pairs, a.norms[0]), "query"),
            Curve(axes, "C1s--", lambda a: (pairs, a.norms[1]), "key"),
            Rule(axes, {"color": "C6"}, lambda a: a.fast - 0.5, "left of it: fast pairs"),
        ]
        axes.set(xlabel="pair, from the fastest to the slowest", ylabel="mean norm")
        axes.set(xlim=(-1, len(pairs)), ylim=(0, LONGEST))
        whole(axes.xaxis)
        legend_above(figure, lines)
        return lines

    def caption(self, arrays: Arrays) -> str:
        """How many pairs are fast, and their part of what query and key can reach."""
        return (
            f"In SmolLM2’s {arrays.named}, {arrays.share:.0%} of what query and key can reach in a "
            f"score, the products of their norms, is in the {arrays.fast} of "
            f"{len(arrays.norms[0])} pairs that turn once within {arrays.within:,.0f} tokens."
        )
