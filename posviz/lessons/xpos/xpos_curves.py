"""The score of RoPE and that of xPos against distance: waves that go on, and waves that fade."""

import functools

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from posviz.encodings.frequencies import rotary_angles, rotary_frequencies
from posviz.encodings.xpos import xpos_scale
from posviz.lessons.rotary.score_decay import pair_products
from posviz.pictures.knobs import choice, integer, log
from posviz.pictures.parts import Curve, Dense, Other, Rule, legend_above, zero
from posviz.pictures.picture import Arrays, Picture

HEAD_DIM, SEED = 64, 3
FURTHEST, FAR = 2048, 1024  # the swing is measured beyond FAR
ROOM = 500  # at the right end of the axis, for the bars
DISTANCES = np.arange(FURTHEST + 1)
LOOKS = {  # unit of the score, ends of its axis, its line for the decay alone
    "all alike": ("score / score at 0", (-0.45, 1.08), "decay alone"),
    "random": ("score / √head_dim", (-4.4, 4.4), "xPos ± deviation"),
}


class XposCurves(Picture):
    """RoPE beside xPos: the same waves, but fading with the distance."""

    size = (8.0, 4.0)
    paper_size = (3.3, 2.4)

    content = choice("all alike", options=tuple(LOOKS), redraw=True)
    distance = integer(1713, low=0, high=FURTHEST, play=True)
    gamma = log(0.4, low=0.1, high=10, label="gamma γ")
    scale_base = log(512, low=1, high=4096, label="scale_base S")
    base = log(10_000, low=10, high=1_000_000)

    def compute(self) -> Arrays:
        """Return both scores at every distance [2, distances], where they swing [2, 2]."""
        curves = _curves(self.content, self.gamma, self.scale_base, self.base)
        return self.arrays(**curves)

    def draw(self, figure: Figure) -> list:
        """Both scores in one panel, xPos with its decay; at right how far each swings far away."""
        unit, limits, decay_label = LOOKS[self.content]
        axes = figure.subplots()
        zero(axes)
        rope, xpos = _score(axes, 0, "RoPE", "C1"), _score(axes, 1, "xPos", "C0")
        decay = Curve(axes, "C2--", lambda a: a.decay, decay_label)
        ink = {"color": rcParams["text.color"]}
        mark = Rule(axes, {"linestyle": ":", **ink}, lambda a: a.distance)
        bar = Line2D([], [], linestyle="none", marker="|", label=f"swing beyond {FAR:,}", **ink)
        bar.set(markersize=1.2 * rcParams["font.size"], markeredgewidth=rcParams["lines.linewidth"])
        axes.set(xlim=(-30, FURTHEST + ROOM), xticks=(0, FAR, FURTHEST), ylim=limits)
        axes.set(xlabel="distance back (tokens)", ylabel=unit)
        axes.yaxis.set_major_locator(MaxNLocator(5, steps=(1, 2, 5, 10)))
        legend_above(figure, [rope[0], xpos[0], decay, bar], narrow=2)
        return [*rope, *xpos, mark, decay]

    def caption(self, arrays: Arrays) -> str:
        """Both scores at the distance, and how far they swing far away."""
        rope, xpos = arrays.scores[:, arrays.distance].round(3) + 0.0  # no minus before 0.000
        unit = "times that at 0" if arrays.content == "all alike" else "times √head_dim"
        swings = arrays.ends[:, 1] - arrays.ends[:, 0]
        return (
            f"Pairs {arrays.content}: at distance {arrays.distance:,} the score of RoPE is "
            f"{rope:.3f} and that of xPos {xpos:.3f} {unit}; beyond {FAR:,} tokens they swing "
            f"by {swings[0]:.2f} and {swings[1]:.2f}."
        )


def _score(axes, i, name, color):
    """A score at every distance, how far it swings far away, and where it is marked."""
    at = FURTHEST + ROOM * (0.25, 0.76)[i]
    told = {"ha": "center", "va": "bottom", "color": color, "animated": True, "in_layout": False}
    # With an edge, or it could not be told from its own curve.
    rimmed = {"color": color, "markeredgecolor": rcParams["axes.facecolor"], "zorder": 4}
    return [
        Dense(axes, {"color": color}, lambda a: (DISTANCES, a.scores[i]), name),
        Curve(axes, "_-", lambda a: ([at, at], a.ends[i]), color=color, stroke=1.5, marks=1.5),
        Other(axes.text(at, 0, "", **told), lambda a: _swing(a.ends[i])),
        Curve(axes, "o", lambda a: ([a.distance], a.scores[i, [a.distance]]), marks=1.6, **rimmed),
    ]


def _swing(ends):
    """How far a score swings, written over its bar."""
    return {"text": f"{np.ptp(ends):.2f}", "y": ends[1] + 0.02}


@functools.lru_cache(maxsize=4)
def _curves(content, gamma, scale_base, base):
    """Both scores [2, distances], the line of the decay, and where the scores swing [2, 2]."""
    products = pair_products("aligned" if content == "all alike" else content, SEED, HEAD_DIM)[0]
    scale = xpos_scale(DISTANCES, HEAD_DIM, gamma=gamma, scale_base=scale_base)
    parts = (_turns(base) * products).real
    scores = np.stack([parts.sum(axis=1), (parts * scale).sum(axis=1)])
    far = scores[:, FAR + 1 :]
    return {
        "scores": scores,
        "decay": _decay(content, scale),
        "ends": np.stack([far.min(axis=1), far.max(axis=1)], axis=1),
    }


def _decay(content, scale):
    """The line of the decay, as x and y: the score if no pair turned; of random q, k ± deviation.

    A part of the score of normal q and k has variance 2 × scale², which √head_dim divides.
    """
    if content == "all alike":
        return DISTANCES, scale.mean(axis=1)
    deviation = np.sqrt((scale**2).mean(axis=1))
    # Two lines as one, with a NaN between them.
    x = np.concatenate([DISTANCES, [np.nan], DISTANCES])
    return x, np.concatenate([deviation, [np.nan], -deviation])


@functools.lru_cache(maxsize=2)
def _turns(base):
    """e^(i · angle) of each pair at every distance [distances, pairs]."""
    return np.exp(1j * rotary_angles(DISTANCES, rotary_frequencies(HEAD_DIM, base)))
