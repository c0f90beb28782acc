"""RoPE's score against the distance, and the same score while its pairs forget."""

import functools

import numpy as np
from matplotlib.figure import Figure

from posviz.encodings.frequencies import rotary_angles, rotary_frequencies
from posviz.encodings.xpos import xpos_scale
from posviz.pictures.knobs import Choice, Real
from posviz.pictures.parts import Curve, Dense, Other, legend_above, zero
from posviz.pictures.picture import Arrays, Picture
from posviz_course.lessons._hues import hue

FAR = 1024  # tokens, beyond which the swing is measured
XPOS_S = 512  # tokens: scale_base of the released code
BARS = (2173, 2428)  # where the swings are drawn, to the right of all distances
DISTANCES = np.arange(2049)
LIMITS = {"identical": (-1.2, 4.4), "random": (-3.6, 6.2)}


class Forgetting(Picture):
    """With forgetting, RoPE's score swings less at far distances."""

    size = (8.0, 3.1)

    forgetting = Real(1.0, low=0.0, high=4.0, step=0.1, play=True)
    content = Choice("identical", options=tuple(LIMITS), redraw=True, label="query and keys")

    def compute(self) -> Arrays:
        """Return both scores at every distance [2, distances]; the second is drawn if it forgets.

        forgetting: 1 is xPos as it was released, with S = 512 tokens; 2 halves S.
        """
        scale_base = XPOS_S / self.forgetting if self.forgetting else np.inf
        scores = scores_by_distance(self.content, scale_base)
        far = scores[:, FAR + 1 :]
        ends = np.stack([far.min(axis=1), far.max(axis=1)], axis=1)
        curves: list = [(DISTANCES, score) for score in scores]
        bars = [([at, at], swing) for at, swing in zip(BARS, ends, strict=True)]
        swings = [{"text": f"{np.ptp(swing):.2f}", "y": swing[1] + 0.02} for swing in ends]
        if not self.forgetting:  # as a dot: the second curve would hide the first
            curves[1] = DISTANCES / len(DISTANCES), np.full(len(DISTANCES), scores[0, 0])
            bars[1], swings[1] = ([], []), {"text": ""}
        return self.arrays(scores=scores, curves=curves, bars=bars, swings=swings)

    def draw(self, figure: Figure) -> list:
        """Both scores in one panel; at right how far each swings far away."""
        axes = figure.subplots()
        zero(axes)
        rope = _lines(axes, 0, "RoPE", hue("RoPE"))
        other = _lines(axes, 1, "with forgetting", hue("xPos"))
        top: dict = {"ha": "right", "va": "top", "in_layout": False}
        axes.text(2548, LIMITS[self.content][1], f"swing\nbeyond\n{FAR:,}", **top)
        axes.set(xlim=(-30, 2548), xticks=(0, FAR, 2048), ylim=LIMITS[self.content])
        axes.set(xlabel="distance (tokens)", ylabel="score")
        legend_above(figure, [rope[0], other[0]])
        return [*rope, *other]

    def caption(self, arrays: Arrays) -> str:
        rope, other = (swing["text"] for swing in arrays.swings)
        if not arrays.forgetting:
            return f"Without forgetting, RoPE's score still swings by {rope} beyond {FAR:,} tokens."
        name = " (xPos)" if arrays.forgetting == 1 else ""
        return (
            f"Beyond {FAR:,} tokens the score swings by {other} with forgetting at "
            f"{arrays.forgetting:g}{name}, and by {rope} without it."
        )


def _lines(axes, i, name, color):
    """A score at every distance, and how far it swings."""
    text = {"ha": "center", "va": "bottom", "color": color, "animated": True, "in_layout": False}
    return [
        Dense(axes, {"color": color}, f"curves[{i}]", name),
        Curve(axes, "_-", f"bars[{i}]", color=color, stroke=1.5, marks=1.5),
        Other(axes.text(BARS[i], 0, "", **text), f"swings[{i}]"),
    ]


@functools.lru_cache(maxsize=4)
def scores_by_distance(content, scale_base):
    """The scores of RoPE and xPos [2, distances], after 1/√head_dim with head_dim 64."""
    products = np.ones(32)
    if content == "random":
        q, k = np.random.default_rng(3).standard_normal((2, 64)).view(complex)
        products = q * k.conj()
    scale = xpos_scale(DISTANCES, 64, gamma=0.4, scale_base=scale_base)
    angles = rotary_angles(DISTANCES, rotary_frequencies(64)) + np.angle(products)
    parts = abs(products) * np.cos(angles)
    return np.stack([parts.sum(axis=1), (parts * scale).sum(axis=1)]) / 8
