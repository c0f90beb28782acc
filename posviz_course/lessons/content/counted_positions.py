"""Positions that CoPE counts: how many tokens that matter lie between a key and its query."""

import numpy as np
from matplotlib.figure import Figure

from posviz.encodings.cope import cope_gates, cope_positions
from posviz.pictures.knobs import Choice, Real, TypedText
from posviz.pictures.parts import Curve, Text, broken, inches, legend_above, whole
from posviz.pictures.picture import Arrays, Picture
from posviz_course.lessons._sentences import ENDS, is_word, label_tokens, tokens_of

COUNTS = {"every token": lambda token: True, "words": is_word, "full stops": ENDS.__contains__}


class CountedPositions(Picture):
    """CoPE: a position is how many tokens that matter were counted, and may be a fraction."""

    size = (8.0, 4.2)
    paper_size = (3.3, 3.4)

    counts = Choice("full stops", options=tuple(COUNTS))
    sharpness = Real(4, low=0, high=10, step=0.1, play=True)
    sentence = TypedText("It rained. So we stayed in and we read. Then we left", redraw=True)

    def compute(self) -> Arrays:
        """Return the gates of the last token, over all keys, and distances and positions.

        The scores are ±sharpness: a gate is σ(sharpness) where the query counts and
        σ(−sharpness) elsewhere. counted: which keys it counts [keys].
        """
        tokens = tokens_of(self.sentence)
        keys = np.arange(len(tokens))
        counted = np.array([COUNTS[self.counts](token) for token in tokens])
        distance = keys[::-1]
        gates = cope_gates(np.where(counted, self.sharpness, -self.sharpness), distance)
        x = np.stack([keys, keys], axis=1).astype(float)
        return self.arrays(
            counted=counted,
            stems=broken(np.stack([x, np.stack([0 * gates, gates], axis=1)], axis=-1)),
            gates=(keys, gates),
            distance=(keys, distance),
            positions=(keys, cope_positions(gates)),
        )

    def draw(self, figure: Figure) -> list:
        """The gate of each token; below it what is counted from there to the query."""
        tokens = tokens_of(self.sentence)
        gates, row = figure.subplots(2, 1, sharex=True, height_ratios=(1, 2.4))
        stems = Curve(gates, "C2-", "stems", stroke=2.5)
        heads = Curve(gates, "C2o", "gates", "gate")
        far = Curve(row, "C1s--", "distance", "distance")
        counted = Curve(row, "C0o-", "positions", "counted")
        gates.set(ylabel="gate", ylim=(0, 1.1), yticks=(0, 1))
        gates.tick_params(labelbottom=False)
        room = len(tokens)
        row.set(xlim=(-0.5, room - 0.5), ylim=(-0.04 * room, 1.04 * room))
        row.set(ylabel="position", xlabel="key")
        whole(row.yaxis, most=4)
        label_tokens(row.xaxis, tokens, 0.85 * inches(figure)[0], rotation=90)
        legend_above(figure, [heads, counted, far])
        corner = {"transform": row.transAxes, "ha": "right", "va": "top", "color": "C0"}
        first = Text(row, 1, 1, lambda a: f"first key: {a.positions[1][0]:.2f}", **corner)
        return [stems, heads, far, counted, first]

    def caption(self, arrays: Arrays) -> str:
        own = arrays.gates[1][arrays.counted].sum()
        return (
            f"At distance {arrays.distance[1][0]} the first key is at position "
            f"{arrays.positions[1][0]:.2f}: {own:.2f} come from what is counted, and "
            f"{max(arrays.positions[1][0] - own, 0):.2f} from all other tokens."
        )
