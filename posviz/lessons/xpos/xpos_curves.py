"""The score of RoPE and that of xPos against distance: waves that go on, and waves that fade."""

import functools

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from posviz.encodings.frequencies import rotary_angles, rotary_frequencies
from posviz.encodings.xpos import xpos_scale
from posviz.pictures.knobs import choice, integer, log
from posviz.pictures.parts import Curve, Dense, Other, Rule, legend_above, zero
from posviz.pictures.picture import Arrays, Picture
from posviz.wording import signed

FAR = 1024  # tokens, beyond which the swing is measured
XPOS_S = 512  # tokens: scale_base of the released code
BARS = (2173, 2428)  # where the swings are drawn, to the right of all distances
DISTANCES = np.arange(2049)
LOOKS = {  # unit of the score, ends of its axis, its line for the decay alone
    "identical": ("score / score at 0", (-0.45, 1.08), "decay alone"),
    "random": ("score / √head_dim", (-4.4, 4.4), "xPos ± deviation"),
}


class XposCurves(Picture):
    """RoPE beside xPos: the same waves, but fading with the distance."""

    size = (8.0, 3.6)

    content = choice("identical", options=tuple(LOOKS), redraw=True)
    distance = integer(1713, low=0, high=2048, play=True)
    gamma = log(0.4, low=0.1, high=10, label="gamma γ")
    scale_base = log(XPOS_S, low=1, high=4096, label="scale_base S")
    base = log(10_000, low=10, high=1_000_000, more=True)

    def compute(self) -> Arrays:
        """Return both scores at every distance [2, distances], where they swing [2, 2]."""
        scores, decay = scores_of(self.content, self.gamma, self.scale_base, self.base)
        return self.arrays(
            scores=scores,
            decay=decay,
            **score_parts(scores),
            marks=[([self.distance], score[[self.distance]]) for score in scores],
        )

    def draw(self, figure: Figure) -> list:
        """Both scores in one panel, xPos with its decay; at right how far each swings far away."""
        unit, limits, decay_label = LOOKS[self.content]
        axes = figure.subplots()
        zero(axes)
        rope, xpos = (
            [*score_lines(axes, i, name, color), _mark(axes, i, color)]
            for i, (name, color) in enumerate((("RoPE", "C1"), ("xPos", "C0")))
        )
        decay = Curve(axes, "C2--", "decay", decay_label)
        ink = {"color": rcParams["text.color"]}
        mark = Rule(axes, {"linestyle": ":", **ink}, "distance")
        bar = Line2D([], [], linestyle="none", marker="|", label=f"swing beyond {FAR:,}", **ink)
        bar.set(markersize=1.2 * rcParams["font.size"], markeredgewidth=rcParams["lines.linewidth"])
        axes.set(xlim=(-30, 2548), xticks=(0, FAR, 2048), ylim=limits)
        axes.set(xlabel="distance back (tokens)", ylabel=unit)
        axes.yaxis.set_major_locator(MaxNLocator(5, steps=(1, 2, 5, 10)))
        legend_above(figure, [rope[0], xpos[0], decay, bar], narrow=2)
        return [*rope, *xpos, mark, decay]

    def caption(self, arrays: Arrays) -> str:
        """How far both swing far away, and their scores at the distance."""
        rope, xpos = (signed(score, "z.3f") for score in arrays.scores[:, arrays.distance])
        return (
            f"Beyond {FAR:,} tokens RoPE swings by {arrays.swings[0]['text']} and xPos by "
            f"{arrays.swings[1]['text']}; at distance {arrays.distance:,} their scores are "
            f"{rope} and {xpos}."
        )


def score_parts(scores):
    """The curve of each score, and how far it swings beyond `FAR`."""
    far = scores[:, FAR + 1 :]
    ends = np.stack([far.min(axis=1), far.max(axis=1)], axis=1)
    return {
        "curves": [(DISTANCES, score) for score in scores],
        "bars": [([at, at], swing) for at, swing in zip(BARS, ends, strict=True)],
        "swings": [{"text": f"{np.ptp(swing):.2f}", "y": swing[1] + 0.02} for swing in ends],
    }


def score_lines(axes, i, name, color):
    """A score at every distance, and how far it swings."""
    text = {"ha": "center", "va": "bottom", "color": color, "animated": True, "in_layout": False}
    return [
        Dense(axes, {"color": color}, f"curves[{i}]", name),
        Curve(axes, "_-", f"bars[{i}]", color=color, stroke=1.5, marks=1.5),
        Other(axes.text(BARS[i], 0, "", **text), f"swings[{i}]"),
    ]


def _mark(axes, i, color):
    """A score at the distance; with an edge, or it could not be told from its own curve."""
    rimmed = {"color": color, "markeredgecolor": rcParams["axes.facecolor"], "zorder": 4}
    return Curve(axes, "o", f"marks[{i}]", marks=1.6, **rimmed)


@functools.lru_cache(maxsize=4)
def scores_of(content, gamma, scale_base, base):
    """The scores of RoPE and xPos [2, distances], and the line of the decay as x and y."""
    products, unit = np.ones(32), 32
    if content == "random":
        q, k = np.random.default_rng(3).standard_normal((2, 64)).view(complex)
        products, unit = q * k.conj(), 8
    scale = xpos_scale(DISTANCES, 64, gamma=gamma, scale_base=scale_base)
    angles = rotary_angles(DISTANCES, rotary_frequencies(64, base)) + np.angle(products)
    parts = abs(products) * np.cos(angles)
    scores = np.stack([parts.sum(axis=1), (parts * scale).sum(axis=1)]) / unit
    if content == "identical":  # the score if no pair rotated
        return scores, (DISTANCES, scale.mean(axis=1))
    # A part of the score of normal q and k has variance 2 × scale², which √head_dim divides.
    deviation = np.sqrt((scale**2).mean(axis=1))
    both = np.concatenate([deviation, [np.nan], -deviation])  # two lines as one
    return scores, (np.concatenate([DISTANCES, [np.nan], DISTANCES]), both)
