"""What a head of a trained model looks at: with its RoPE, without it, with a wrong layout."""

from math import ceil

import numpy as np
from matplotlib.figure import Figure

from posviz.attention import softmax
from posviz.attention.masks import causal_mask
from posviz.encodings.rotary import Rotary
from posviz.pictures.knobs import Choice
from posviz.pictures.parts import Background, Map, Other, greyed, wide
from posviz.pictures.picture import Arrays, Picture
from posviz.pictures.style import PLAIN
from posviz_course.models.real import BASE, SENTENCES, TELLING, heads, looked_at

LAYOUTS = {"right": "half_split", "mixed up": "interleaved"}


class RealHead(Picture):
    """A real head finds the previous word only with the right RoPE."""

    size = (8.0, 4.0)
    paper_size = (3.3, 5.6)

    head = Choice("previous word", options=tuple(TELLING), label="head of")
    sentence = Choice("dog", options=tuple(SENTENCES))
    positions = Choice("given", options=("given", "all the same"))
    layout = Choice("mixed up", options=tuple(LAYOUTS), when={"positions": ("given",)})

    def compute(self) -> Arrays:
        """Return weights [len, len], the model's and ours, and the mean on the keys meant."""
        head = heads(SENTENCES[self.sentence])[self.head]
        positions = np.arange(len(head.words))
        mask = causal_mask(positions, positions)
        rope = Rotary(base=BASE, layout=LAYOUTS[self.layout])
        at = positions if self.positions == "given" else 0 * positions
        q, k = rope.at_query(head.q[None], at), rope.at_key(head.k[None], at)
        scores = (q @ k.swapaxes(-1, -2))[0] / head.q.shape[-1] ** 0.5
        weights = softmax(np.where(mask, scores, -np.inf))
        keys = looked_at(head.words, self.head)
        changed = "positions all the same"
        if self.positions == "given":
            changed = f"layout {self.layout}"
        return self.arrays(
            words=head.words,
            maps=[np.where(mask, matrix, np.nan) for matrix in (head.weights, weights)],
            error=abs(weights - head.weights).max(),
            share=(weights * keys).sum() / max(keys.any(axis=-1).sum(), 1),
            changed=changed,
            named="layer {}, head {} of SmolLM2".format(*TELLING[self.head]),
        )

    def draw(self, figure: Figure) -> list:
        """The model's own weights between words, and those computed here."""
        most = max(len(head.words) for text in SENTENCES.values() for head in heads(text).values())
        panels = figure.subplots(*((1, 2) if wide(figure) else (2, 1)))
        props = {"cmap": greyed(PLAIN), "limits": (0, 1), "aspect": "equal", "most": (most, most)}
        maps = [Map(axes, f"maps[{i}]", **props) for i, axes in enumerate(panels)]
        bar = figure.colorbar(maps[0].image, ax=panels, aspect=30, label="attention weight")
        bar.set_ticks((0, 0.5, 1))
        for axes, title in zip(panels, ("in the model", ""), strict=True):
            axes.set(title=title, xlabel="key", ylabel="query")
            _label(axes, ["sentence"] * most)  # room for long words
        title = panels[1].set_title("computed here:\n", animated=True)
        labels = [
            Background(lambda words, axes=axes: _label(axes, words), "words") for axes in panels
        ]
        return [*maps, *labels, Other(title, lambda a: {"text": f"computed here:\n{a.changed}"})]

    def caption(self, arrays: Arrays) -> str:
        change = "weights differ by up to"
        if arrays.positions != "given":
            change = "without positions, changes reach"
        found = f"{arrays.share:.2f} of its weight to the {arrays.head}"
        if "same" in arrays.head:  # most words have none, and their rows are left out
            found = f"the {arrays.head}, if any, {arrays.share:.2f}"
        return (
            f"From word 3 on, {arrays.named} gives {found}; "
            f"{change} {ceil(1000 * arrays.error) / 1000:.3f}."
        )


def _label(axes, words):
    """Words at rows and columns."""
    ticks = range(len(words))
    axes.set_xticks(ticks, labels=words, rotation=90, parse_math=False)
    axes.set_yticks(ticks, labels=words, parse_math=False)
