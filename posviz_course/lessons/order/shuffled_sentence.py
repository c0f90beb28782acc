"""A sentence and its shuffled copy through the same attention."""

import functools
import zlib

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure

from posviz.attention import attend
from posviz.attention.masks import causal_mask
from posviz.encodings.alibi import Alibi
from posviz.encodings.doors import NoPosition
from posviz.encodings.rotary import Rotary
from posviz.encodings.sinusoidal import Sinusoidal
from posviz.pictures.knobs import Choice, Integer, TypedText
from posviz.pictures.parts import Background, Curve, Map, Text, broken, inches, wide
from posviz.pictures.picture import Arrays, Picture
from posviz_course.lessons._sentences import label_tokens, words_of

NUM_HEADS, HEAD_DIM = 8, 8  # with eight heads ALiBi's first slope is 1/2: steep enough to see
D_MODEL = NUM_HEADS * HEAD_DIM
ENCODINGS = {"none": NoPosition(), "sinusoidal": Sinusoidal(), "RoPE": Rotary(), "ALiBi": Alibi()}
TITLES = {  # words, and the formula for where they have no room
    "original order": "f(X)",
    "attend, then shuffle": "P f(X)",
    "shuffle, then attend": "f(PX)",
}
ROUNDING = 1e-14


class ShuffledSentence(Picture):
    """A sentence and its shuffled copy through the same attention."""

    size = (8.0, 4.0)

    sentence = TypedText("the cat sat on the mat", max_length=80, redraw=True)
    order = Choice("shuffled", options=("original", "reversed", "shuffled"))
    seed = Integer(
        0, low=0, high=99, play=True, when={"order": ("shuffled",)}, label="shuffle number"
    )
    encoding = Choice("none", options=tuple(ENCODINGS), more=True)
    mask = Choice("none", options=("none", "causal"), more=True)

    def compute(self) -> Arrays:
        """Return the outputs [len, head_dim] of both orders, and how they differ."""
        words = words_of(self.sentence)
        order = self._order(len(words))
        x = np.stack([word_vector(word) for word in words])
        original, shuffled = (
            attended(rows, self.mask, self.encoding)[:, :HEAD_DIM] for rows in (x, x[order])
        )
        ways = [[(0, i), (1, row)] for row, i in enumerate(order)]
        return self.arrays(
            words=[words[i] for i in order],
            ways=broken(np.array(ways, float)),
            outputs=(original[order], shuffled, original),
            residuals=[float(abs(shuffled - x).max()) for x in (original[order], original)],
        )

    def _order(self, length):
        if self.order == "shuffled":
            return np.random.default_rng(self.seed).permutation(length)
        return np.arange(length)[:: -1 if self.order == "reversed" else 1]

    def draw(self, figure: Figure) -> list:
        """The outputs, the way of each row to the shuffled order, and the steps exchanged."""
        words = words_of(self.sentence)
        axes = figure.subplots(1, 5, width_ratios=(3, 2, 3, 2, 3))
        panels = axes[::2]
        props = {"most": (len(words), HEAD_DIM), "limits": (-2.5, 2.5)}
        shown = ("outputs[2]", "outputs[0]", "outputs[1]")
        outputs = [Map(panel, name, **props) for panel, name in zip(panels, shown, strict=True)]
        for panel, (meaning, formula) in zip(panels, TITLES.items(), strict=True):
            title = f"{meaning}\n{formula}" if wide(figure) else formula
            panel.set_title(title, loc="center", size="medium")
            panel.set(xticks=(), yticks=())
        panels[2].yaxis.tick_right()
        width, height = inches(figure)
        room = 1.04 * min(0.3 * width, 0.45 * height)
        for panel in (panels[0], panels[2]):
            label_tokens(panel.yaxis, words, room)
        show = Background(lambda words: label_tokens(panels[2].yaxis, words, room), "words")
        axes[1].set(xlim=(-0.1, 1.1), ylim=(len(words) - 0.5, -0.5))
        axes[1].set_axis_off()
        ways = Curve(axes[1], "C6-", "ways")
        below: dict = {"location": "bottom", "aspect": 40, "shrink": 0.6, "extend": "both"}
        figure.colorbar(outputs[0].image, ax=axes, ticks=(-2, 0, 2), label="output", **below)
        return [show, *outputs, ways, *_sign(axes[3])]

    def caption(self, arrays: Arrays) -> str:
        if max(arrays.residuals) < ROUNDING:
            return "Every place has the same word as before, so all three matrices are equal."
        difference, _ = arrays.residuals
        if difference < ROUNDING:
            return (
                "The two matrices at the right are equal: each row of outputs moves with its word "
                "and does not change."
            )
        return (
            f"The two matrices at the right differ by up to {difference:.2f}, so for this layer "
            "the order matters."
        )


def _sign(axes):
    """Whether the matrices on both sides are equal, and how far they are apart."""
    axes.set_axis_off()
    is_wide = wide(axes.figure)
    words = "largest\ndifference:\n" if is_wide else ""

    def number(arrays):
        residual = arrays.residuals[0]
        return f"{words}{f'{residual:.2f}' if residual > ROUNDING else 'rounding'}"

    below = {"ha": "center", "va": "top", "size": "medium" if is_wide else "small"}
    large = {"ha": "center", "size": 4 * rcParams["font.size"], "weight": "bold"}
    return [
        Text(axes, 0.5, 0.5, lambda a: "≠" if a.residuals[0] > ROUNDING else "=", **large),
        Text(axes, 0.5, 0.35, number, **below),
    ]


@functools.lru_cache(maxsize=1024)
def word_vector(word):
    """A vector [d_model] that depends on the word alone, the same in every process."""
    return np.random.default_rng(zlib.crc32(word.encode())).standard_normal(D_MODEL)


def attended(x, mask="none", encoding="none"):
    """Outputs [len, d_model] of one attention layer for words x [len, d_model]."""
    positions = np.arange(len(x))
    output = attend(
        x[None],
        *_projections(),
        num_heads=NUM_HEADS,
        encoding=ENCODINGS[encoding],
        positions=positions,
        mask=causal_mask(positions, positions) if mask == "causal" else None,
    )
    return output[0]


@functools.cache
def _projections():
    """w_q, w_k and w_v, each [d_model, d_model]; w_q is large, so that a query prefers few keys."""
    w_q, w_k, w_v = np.random.default_rng(0).standard_normal((3, D_MODEL, D_MODEL)) / D_MODEL**0.5
    return 2.5 * w_q, w_k, w_v
