"""A sentence and its shuffled copy through the same attention."""

import functools
import math
import zlib
from types import SimpleNamespace

import matplotlib
import matplotlib.ticker
import numpy as np

from posviz.attention import attend
from posviz.encodings.alibi import Alibi
from posviz.encodings.doors import NoPosition
from posviz.encodings.rotary import Rotary
from posviz.encodings.sinusoidal import Sinusoidal
from posviz.engine.knobs import choice, integer, text
from posviz.engine.picture import Picture
from posviz.engine.style import PLAIN
from posviz.masks import causal_mask
from posviz.pictures.parts import Background, Map, Other

NUM_HEADS, HEAD_DIM = 8, 8  # with eight heads ALiBi's first slope is 1/2: steep enough to see
D_MODEL = NUM_HEADS * HEAD_DIM
ENCODINGS = {
    "none": NoPosition(),
    "sinusoidal": Sinusoidal(),
    "RoPE": Rotary(),
    "ALiBi": Alibi(),
}
ROUNDING = 1e-14
SMALLEST, LARGEST = 1e-17, 1e2  # ends of the axis of differences
OUTPUT_LIMIT = 2.5


class ShuffledSentence(Picture):
    """A sentence and its shuffled copy through the same attention."""

    size = (9.0, 5.4)
    paper_size = (3.3, 3.4)
    moves = ("order", "encoding")

    sentence = text("the cat sat on the mat", max_length=80, redraw=True)
    order = choice("shuffled", options=("original", "reversed", "shuffled"))
    seed = integer(0, low=0, high=99, when={"order": ("shuffled",)}, label="shuffle seed")
    encoding = choice("none", options=tuple(ENCODINGS))
    mask = choice("none", options=("none", "causal"))

    def compute(self):
        """Weights [len, len] and outputs [len, head_dim] of both orders, and how they differ."""
        words = words_of(self.sentence)
        order = self._order(len(words))
        x = np.stack([word_vector(word) for word in words])
        original, _ = self._attend(x)
        shuffled, weights = self._attend(x[order])
        return SimpleNamespace(
            words=[words[i] for i in order],
            moved=bool(np.any(order != np.arange(len(words)))),
            weights=weights,
            outputs=(shuffled, original[order], original),
            residuals=[float(abs(shuffled - x).max()) for x in (original[order], original)],
            empty=not self.sentence.split(),
            encoding=self.encoding,
            mask=self.mask,
        )

    def _order(self, length):
        if self.order == "shuffled":
            return np.random.default_rng(self.seed).permutation(length)
        return np.arange(length)[:: -1 if self.order == "reversed" else 1]

    def _attend(self, x):
        """Outputs [len, head_dim] and weights [len, len] of the first head."""
        positions = np.arange(len(x))
        output, weights = attend(
            x[None],
            *projections(),
            num_heads=NUM_HEADS,
            encoding=ENCODINGS[self.encoding],
            positions=positions,
            mask=causal_mask(positions, positions) if self.mask == "causal" else None,
            return_weights=True,
        )
        return output[0, :, :HEAD_DIM], weights[0, 0]

    def draw(self, figure):
        """The weights, three matrices of outputs, and a bar for each difference."""
        words = words_of(self.sentence)
        top, bottom = figure.subfigures(2, 1, height_ratios=(4, 1.1))
        heat, *panels = top.subplots(1, 4, width_ratios=(2.6, 1, 1, 1))
        look = {"most": (len(words), len(words)), "cmap": PLAIN, "limits": (0, 1)}
        weights = Map(heat, lambda a: a.weights, **look)
        look = {"most": (len(words), HEAD_DIM), "limits": (-OUTPUT_LIMIT, OUTPUT_LIMIT)}
        outputs = [Map(axes, lambda a, i=i: a.outputs[i], **look) for i, axes in enumerate(panels)]
        heat.set(xlabel="key", ylabel="query")
        below = {"location": "bottom", "aspect": 30}
        bar = {"ticks": (0, 0.5, 1), "format": "%g", "label": "attention weight"}
        top.colorbar(weights.image, ax=heat, **bar, **below)
        top.colorbar(outputs[0].image, ax=panels, ticks=(-2, 0, 2), label="output", **below)
        for axes, title in zip(panels, ("f(PX)", "P f(X)", "f(X)"), strict=True):
            axes.set_title(title, loc="center")
            axes.set(xticks=(), yticks=())
        panels[2].yaxis.tick_right()
        labelled = _labelled(figure, len(words))
        _label(panels[2].yaxis, labelled, words)
        _label_heat(heat, labelled, words)
        labels = Background(lambda words: _label_heat(heat, labelled, words), lambda a: a.words)
        return [labels, weights, *outputs, *_residual_bars(bottom.subplots())]

    def caption(self, arrays):
        """Whether the outputs move with their words."""
        if arrays.empty:
            return "There is no word yet, so ∅ stands for the sentence and attends to itself."
        if not arrays.moved:
            return "Every word stands where it stood, so f(PX) = P f(X) = f(X)."
        equivariance, invariance = arrays.residuals
        if equivariance < ROUNDING:
            outcome = "each output moves with its word, so the order is not seen"
        else:
            outcome = "what a word receives depends on where it stands, so the order is seen"
        return (
            f"With encoding {arrays.encoding} and mask {arrays.mask}, |f(PX) − P f(X)| is "
            f"{_bounded(equivariance)} and |f(PX) − f(X)| is {_bounded(invariance)}: {outcome}."
        )


def _bounded(residual):
    """Two decimals; rounding errors differ between machines, so of them only a bound."""
    return f"{residual:.2f}" if residual > ROUNDING else f"below {ROUNDING:.0e}"


def _short(residual):
    """Two decimals, or a power of ten for what is rounding error alone."""
    return f"{residual:.2f}" if residual > ROUNDING else f"{residual:.1e}" if residual else "0"


def words_of(sentence):
    """The words of a sentence, which are its tokens; an empty sentence is one token, ∅."""
    return sentence.split() or ["∅"]


@functools.lru_cache(maxsize=1024)
def word_vector(word):
    """A vector [d_model] that depends on the word alone, the same in every process."""
    return np.random.default_rng(zlib.crc32(word.encode())).standard_normal(D_MODEL)


@functools.cache
def projections():
    """w_q, w_k and w_v, each [d_model, d_model]; w_q is large, so that a query prefers few keys."""
    w_q, w_k, w_v = np.random.default_rng(0).standard_normal((3, D_MODEL, D_MODEL)) / D_MODEL**0.5
    return 2.5 * w_q, w_k, w_v


def _residual_bars(axes):
    """Two bars on a log axis, and a number beside each."""
    names = ("|f(PX) − P f(X)|", "|f(PX) − f(X)|")
    bars = axes.barh(names, [1, 1], left=SMALLEST, color=("C0", "C1"), animated=True)
    axes.axvspan(SMALLEST, ROUNDING, color=matplotlib.rcParams["grid.color"], lw=0, zorder=0)
    axes.set(xscale="log", xlim=(SMALLEST, LARGEST), xticks=(1e-16, 1e-12, 1e-8, 1e-4, 1))
    axes.set_title("largest difference (in grey: rounding error)")
    axes.xaxis.set_minor_locator(matplotlib.ticker.NullLocator())
    axes.invert_yaxis()
    beside = {"va": "center_baseline", "transform": axes.get_yaxis_transform(), "animated": True}
    numbers = [axes.text(1.02, y, "8.9e-16", **beside) for y in range(2)]  # room for the longest
    parts: list = []
    for i, (bar, number) in enumerate(zip(bars, numbers, strict=True)):
        parts += [
            Other(bar, lambda a, i=i: {"width": max(a.residuals[i] - SMALLEST, 0)}),
            Other(number, lambda a, i=i: {"text": _short(a.residuals[i])}),
        ]
    return parts


def _labelled(figure, length):
    """Which rows get a label: as many as there is room for."""
    width, height = figure.get_size_inches()
    room = 72 * min(0.3 * width, 0.45 * height) / (1.25 * matplotlib.rcParams["font.size"])
    return range(0, length, math.ceil(length / room))


def _label_heat(heat, labelled, words):
    _label(heat.xaxis, labelled, words, rotation=90)
    _label(heat.yaxis, labelled, words)


def _label(axis, labelled, words, **style):
    shortened = [words[i] if len(words[i]) <= 7 else words[i][:6] + "…" for i in labelled]
    axis.set_ticks(labelled, labels=shortened, parse_math=False, **style)
