"""How much of its weight a query gives to far keys, with four encodings."""

import functools

import numpy as np
from matplotlib.figure import Figure

from posviz.attention import softmax
from posviz.pictures.knobs import Integer, Log
from posviz.pictures.parts import Other
from posviz.pictures.picture import Arrays, Picture
from posviz_course.lessons._hues import hue
from posviz_course.lessons.xpos.forgetting import scores_by_distance

KEYS, SLOPE = 2048, 1 / 16
NAMES = ("no position", "RoPE", "xPos", "ALiBi, slope 1/16")


class FarWeights(Picture):
    """The share of the attention weight on far keys, for 2,048 identical keys."""

    size = (8.0, 2.8)
    paper_size = (3.3, 2.4)

    far = Integer(1024, low=0, high=KEYS - 1, play=True, label="farther than")
    scale_base = Log(512, low=1, high=4096, label="scale_base S")

    def compute(self) -> Arrays:
        """Return the share of the weight on keys farther than `far`, one for each encoding."""
        shares = [float(weights[self.far + 1 :].sum()) for weights in _weights(self.scale_base)]
        return self.arrays(
            shares=shares,
            bars=[{"width": share} for share in shares],
            title={"text": f"keys more than {self.far:,} tokens back"},
            words=[{"x": share + 0.01, "text": f"{share:.2f}"} for share in shares],
        )

    def draw(self, figure: Figure) -> list:
        """A bar for each encoding, with its share beside it."""
        axes = figure.subplots()
        rows = range(len(NAMES))
        bars = axes.barh(rows, [0] * len(NAMES), color=list(map(hue, NAMES)), animated=True)
        texts = [axes.text(0, row, "", va="center", animated=True) for row in rows]
        axes.set_yticks(rows, labels=NAMES)
        axes.set(xlim=(0, 1.12), xticks=(0, 0.5, 1), ylim=(len(NAMES) - 0.4, -0.6))
        axes.set_xlabel("share of the weight")
        title = axes.set_title("keys more than 1,024 tokens back", animated=True)
        return [
            Other(title, "title"),
            *(Other(bar, f"bars[{row}]") for row, bar in enumerate(bars)),
            *(Other(text, f"words[{row}]") for row, text in enumerate(texts)),
        ]

    def caption(self, arrays: Arrays) -> str:
        _, _, xpos, alibi = arrays.shares
        return (
            f"Keys more than {arrays.far:,} tokens back get {xpos:.0%} of the weight with xPos, "
            f"and {alibi:.0%} with ALiBi."
        )


@functools.lru_cache(maxsize=8)
def _weights(scale_base):
    """Weights of identical keys by distance [4, keys]; the nearest is the query's own."""
    rope, xpos = scores_by_distance("identical", scale_base)[:, :KEYS]
    every = (0 * rope, rope, xpos, -SLOPE * np.arange(KEYS))
    return np.stack([softmax(scores) for scores in every])
