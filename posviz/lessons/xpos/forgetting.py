"""RoPE's score against the distance, and the same score while its pairs forget."""

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from posviz.lessons.xpos.xpos_curves import (
    DISTANCES,
    FAR,
    XPOS_S,
    score_lines,
    score_parts,
    scores_of,
)
from posviz.pictures.knobs import choice, real
from posviz.pictures.parts import legend_above, zero
from posviz.pictures.picture import Arrays, Picture

CONTENTS = ("identical", "random")
LIMITS = {"identical": (-1.2, 4.4), "random": (-4.4, 4.4)}


class Forgetting(Picture):
    """RoPE's score against the distance, and how it fades while its pairs forget."""

    size = (8.0, 3.1)

    forgetting = real(0.0, low=0.0, high=4.0, step=0.1, play=True)
    content = choice("identical", options=CONTENTS, redraw=True, label="query and keys")

    def compute(self) -> Arrays:
        """Return both scores at every distance [2, distances]; the second is drawn if it forgets.

        forgetting: 1 is xPos as it was released, with S = 512 tokens; 2 halves S.
        """
        scale_base = XPOS_S / self.forgetting if self.forgetting else XPOS_S
        scores, _ = scores_of(self.content, 0.4, scale_base, 10_000)
        if self.content == "identical":  # divided by √64, as all scores are, and not by 32 pairs
            scores = 4 * scores
        parts = score_parts(scores)
        if not self.forgetting:  # as a dot: the second curve would hide the first
            parts["curves"][1] = DISTANCES / len(DISTANCES), np.full(len(DISTANCES), scores[0, 0])
            parts["bars"][1], parts["swings"][1] = ([], []), {"text": ""}
        return self.arrays(scores=scores, **parts)

    def draw(self, figure: Figure) -> list:
        """Both scores in one panel; at right how far each swings far away."""
        axes = figure.subplots()
        zero(axes)
        rope, other = (
            score_lines(axes, 0, "RoPE", "C1"),
            score_lines(axes, 1, "with forgetting", "C0"),
        )
        ink = {"color": rcParams["text.color"]}
        swing = f"swing (highest − lowest) beyond {FAR:,}"
        bar = Line2D([], [], linestyle="none", marker="|", label=swing, **ink)
        bar.set(markersize=1.2 * rcParams["font.size"], markeredgewidth=rcParams["lines.linewidth"])
        axes.set(xlim=(-30, 2548), xticks=(0, FAR, 2048), ylim=LIMITS[self.content])
        axes.set(xlabel="distance back (tokens)", ylabel="score")
        legend_above(figure, [rope[0], other[0], bar], narrow=2)
        return [*rope, *other]

    def caption(self, arrays: Arrays) -> str:
        """How far both scores swing far away."""
        rope, other = (swing["text"] for swing in arrays.swings)
        if not arrays.forgetting:
            return f"Without forgetting, RoPE's score still swings by {rope} beyond {FAR:,} tokens."
        name = " (xPos)" * (arrays.forgetting == 1)
        return (
            f"Beyond {FAR:,} tokens the score swings by {other} with forgetting at "
            f"{arrays.forgetting:g}{name}, and by {rope} without it."
        )
