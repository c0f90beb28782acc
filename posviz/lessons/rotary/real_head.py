"""What a head of a trained model looks at: with its RoPE, without it, and with a wrong layout."""

from math import ceil
from types import SimpleNamespace
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from posviz.attention import softmax
from posviz.attention.masks import causal_mask
from posviz.encodings.rotary import Rotary
from posviz.models.real import BASE, SENTENCES, TELLING, heads, looked_at
from posviz.pictures.given import stored
from posviz.pictures.knobs import choice
from posviz.pictures.parts import Background, Map, greyed, wide
from posviz.pictures.picture import Arrays, Picture
from posviz.pictures.style import PLAIN

LAYOUTS = {"right": "half_split", "mixed up": "interleaved"}


class RealHead(Picture):
    """What a real head looks at: with RoPE, without it, and with the layout mixed up.

    `given` {name: Head} is what `posviz.models.real.heads("your sentence")` returns; it stands in
    for the stored sentences.
    """

    size = (8.0, 3.9)
    paper_size = (3.3, 5.6)
    combined = (("head", "positions"),)

    head = choice("previous word", options=tuple(TELLING), label="head of")
    sentence = stored("car", options=tuple(SENTENCES), given="the heads of one sentence were given")
    positions = choice("as they are", options=("as they are", "all the same"))
    layout = choice("right", options=tuple(LAYOUTS), when={"positions": ("as they are",)})

    def __init__(self, given=None, **knobs):
        super().__init__(**knobs)
        self._data = () if given is None else ("given",)
        self._heads = {name: given or heads(text) for name, text in SENTENCES.items()}

    def compute(self) -> Arrays:
        """Return weights [len, len], the model's and ours, and what is on the keys looked for."""
        head = self._heads[self.sentence][self.head]
        positions = np.arange(len(head.words))
        mask = causal_mask(positions, positions)
        rope = Rotary(base=BASE, layout=LAYOUTS[self.layout])
        at = positions if self.positions == "as they are" else 0 * positions
        q, k = rope.at_query(head.q[None], at), rope.at_key(head.k[None], at)
        scores = (q @ k.swapaxes(-1, -2))[0] / head.q.shape[-1] ** 0.5
        weights = softmax(np.where(mask, scores, -np.inf))
        return SimpleNamespace(
            words=head.words,
            maps=[np.where(mask, each, np.nan) for each in (head.weights, weights)],
            error=abs(weights - head.weights).max(),
            name=self.head,
            shares=_shares(weights, looked_at(head.words, self.head)),
            named="layer {} head {}".format(*TELLING[self.head]),
            how=f"{self.positions}, layout {self.layout}",
        )

    def draw(self, figure: Figure) -> list:
        """The model's own weights between words, and those computed here."""
        most = max(len(head.words) for each in self._heads.values() for head in each.values())
        panels = figure.subplots(*((1, 2) if wide(figure) else (2, 1)))
        look = {"cmap": greyed(PLAIN), "limits": (0, 1), "aspect": "equal", "most": (most, most)}
        maps = [Map(axes, lambda a, i=i: a.maps[i], **look) for i, axes in enumerate(panels)]
        bar: dict[str, Any] = {"ticks": (0, 0.5, 1), "label": "attention weight"}
        figure.colorbar(maps[0].image, ax=panels, aspect=30, **bar)
        for axes, title in zip(panels, ("in the model", "computed here"), strict=True):
            axes.set(title=title, xlabel="key", ylabel="query")
            _label(axes, ["sentence"] * most)  # room for long words
        labels = [
            Background(lambda words, axes=axes: _label(axes, words), lambda a: a.words)
            for axes in panels
        ]
        return [*maps, *labels]

    def caption(self, arrays: Arrays) -> str:
        """The weight on what the head looks for, and how far all weights are from the model's."""
        there, first = arrays.shares
        also = "" if arrays.name == "first word" else f" and {first:.2f} on the first word"
        return (
            f"SmolLM2’s {arrays.named}, positions {arrays.how}: {there:.2f} of the weight is on "
            f"the {arrays.name}{also}, and weights are off the model’s own by up to "
            f"{ceil(1000 * arrays.error) / 1000:.3f}."
        )


def _shares(weights, keys):
    """The mean weight on so marked keys, and on the first, of queries that have any; or 0."""
    rows = keys.any(axis=-1)
    count = max(rows.sum(), 1)
    return (weights * keys).sum() / count, weights[rows, 0].sum() / count


def _label(axes, words):
    """Words at rows and columns."""
    ticks = range(len(words))
    axes.set_xticks(ticks, labels=words, rotation=90, parse_math=False)
    axes.set_yticks(ticks, labels=words, parse_math=False)
