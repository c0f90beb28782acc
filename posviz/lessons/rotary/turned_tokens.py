"""Three tokens in the plane: queries and keys before and after rotation, and their attention."""

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure

from posviz.attention import softmax
from posviz.encodings.rotary import apply_rotary
from posviz.lessons.rotary._arrows import Arrow, beyond
from posviz.pictures.knobs import choice, integer
from posviz.pictures.parts import Curve, Map, Other, broken
from posviz.pictures.picture import Arrays, Picture
from posviz.pictures.style import PLAIN

TOKENS = np.array([[1.0, 0.2], [0.3, 1.0], [-0.9, 0.5]])
QUERIES = TOKENS @ np.array([[1.0, -0.8], [0.8, 1.0]])
KEYS = TOKENS @ np.array([[-1.0, 0.6], [0.6, 1.0]])
TURNING = {"turned": ("queries and keys", "queries")}


class TurnedTokens(Picture):
    """Three queries and keys, rotated by their positions, and the attention that follows."""

    size = (8.0, 4.2)
    paper_size = (3.3, 2.0)

    step = integer(10, low=0, high=90, when=TURNING, play=True, label="step (degrees)")
    first = integer(1, low=0, high=35, when=TURNING, play=True, label="first position")
    turned = choice(
        "queries and keys", options=("queries and keys", "queries", "nothing"), label="rotated"
    )

    def compute(self) -> Arrays:
        """Return angles [2, 3], vectors [2, 3, 2] of queries and keys, and weights [3, 3]."""
        angles, vectors, weights = self._attend(self.first)
        *_, moved = self._attend(self.first + 1)
        return self.arrays(
            vectors=vectors,
            names=beyond(vectors, 0.2, 0.3),
            trails=_trails(angles),
            weights=weights,
            change=np.abs(moved - weights).max(),
        )

    def _attend(self, first):
        turning = np.array([self.turned != "nothing", self.turned == "queries and keys"])
        angles = turning[:, None] * np.radians(self.step) * (first + np.arange(3))
        q, k = vectors = apply_rotary(np.stack([QUERIES, KEYS]), angles[..., None])
        return angles, vectors, softmax(q @ k.T / 2**0.5)

    def draw(self, figure: Figure) -> list:
        """The plane at left, with what does not rotate at rest in it; the weights at right."""
        plane, heat = figure.subplots(1, 2, width_ratios=(1.15, 1))
        arrows = _arrows(plane)
        trails = [
            Curve(plane, f"C{token}{style}", f"trails[{token}]", stroke=1.2 / 1.8)
            for token, style in enumerate((":", "--", "-."))
        ]
        weights = Map(heat, "weights", most=(3, 3), cmap=PLAIN, limits=(0, 1), aspect="equal")
        heat.set_xticks(range(3), ["k₁", "k₂", "k₃"])
        heat.set_yticks(range(3), ["q₁", "q₂", "q₃"])
        heat.set(title="attention weights")
        look = {"ha": "center", "va": "center", "size": "large", "animated": True}
        cells = [
            Other(heat.text(x, y, "", **look), lambda a, at=(y, x): _cell_text(a.weights[at]))
            for y, x in np.ndindex(3, 3)
        ]
        return [*arrows, *trails, weights, *cells]

    def caption(self, arrays: Arrays) -> str:
        """The weight of the first key for the first query, and whether weights change."""
        outcome = "changes no weight"
        if arrays.change > 1e-12:
            outcome = f"changes a weight by {arrays.change:.2f}"
        return (
            f"At positions {arrays.first} to {arrays.first + 2}, q₁ gives k₁ the weight "
            f"{arrays.weights[0, 0]:.2f}, and moving all three tokens one position on {outcome}."
        )


def _arrows(plane):
    """An arrow for each vector: a colour for each token, queries filled, keys hollow."""
    at_rest, arrows = np.stack([QUERIES, KEYS]), []
    shape = {"width": 0.045, "head_width": 0.16, "linewidth": rcParams["lines.linewidth"] / 1.8}
    for kind, token in np.ndindex(2, 3):
        at, name = (kind, token), "qk"[kind] + "₁₂₃"[token]
        look = {"facecolor": "none" if kind else f"C{token}", "edgecolor": f"C{token}", **shape}
        show, named_at = (lambda a, at=at: a.vectors[at]), (lambda a, at=at: a.names[at])
        rest = {"rest": at_rest[at], "faint": 0.35}
        arrows.append(Arrow(plane, look, show, name, named_at=named_at, **rest))
    plane.set(xlim=(-1.85, 1.85), ylim=(-1.85, 1.85), xticks=(-1, 0, 1), yticks=(-1, 0, 1))
    plane.set(aspect="equal", title="faint: not rotated")
    plane.set(xlabel="dimension 0", ylabel="dimension 1")
    return arrows


def _cell_text(weight):
    return {"text": f"{weight:.2f}", "color": "black" if weight > 0.5 else "white"}


def _trails(angles):
    """Each token's two ways from before to after, full rotations left out, as x and y."""
    before = np.stack([QUERIES, KEYS])
    start = np.arctan2(before[..., 1], before[..., 0])
    swept = start[..., None] + (angles % (2 * np.pi))[..., None] * np.linspace(0, 1, 60)
    parts = np.array([0.55, 0.7, 0.85])  # of the arrows' lengths, so that trails stand apart
    radius = (parts * np.hypot(before[..., 0], before[..., 1]))[..., None]
    paths = np.stack([radius * np.cos(swept), radius * np.sin(swept)], axis=-1)
    return [broken(paths[:, token]) for token in range(3)]
