"""How alike two rows are: a mean of cosines, one per pair."""

import numpy as np
from matplotlib.figure import Figure

from posviz.encodings.frequencies import rotary_angles, rotary_frequencies
from posviz.pictures.knobs import Even, Integer
from posviz.pictures.parts import (
    Curve,
    EndName,
    Limits,
    Other,
    PointName,
    Rule,
    whole,
    with_room,
    zero,
)
from posviz.pictures.picture import Arrays, Picture
from posviz.wording import signed

LARGEST = 100  # offset, in tokens


class SimilarityByOffset(Picture):
    """The similarity at an offset is the mean of all pairs' cosines."""

    size = (8.0, 3.7)

    offset = Integer(10, low=0, high=LARGEST, play=True)
    d_model = Even(64, low=2, high=512)

    def compute(self) -> Arrays:
        """Return each pair's cosine at the offset, and at every offset their mean."""
        offsets = np.arange(LARGEST + 1)
        cosines = np.cos(rotary_angles(offsets, rotary_frequencies(self.d_model)))
        similarity = cosines.mean(axis=-1)
        here = similarity[self.offset]
        return self.arrays(
            similarity=(offsets, similarity),
            mark=([self.offset], [here]),
            here=here,
            pairs=(np.arange(self.d_model // 2), cosines[self.offset]),
            rises=np.flatnonzero(np.diff(similarity) > 0),
        )

    def draw(self, figure: Figure) -> list:
        """The similarity at left; at right the cosines whose mean it is."""
        curve, pairs = figure.subplots(1, 2, width_ratios=(3, 2))
        zero(curve, pairs)
        similarity = Curve(curve, "C0-", "similarity", stroke=1.5)
        here = Curve(curve, "C1o", "mark", marks=2)
        cosines = Curve(pairs, "C0o", "pairs", marks=3 / 4)
        dashes = {"color": "C1", "linestyle": "--"}
        mean = Rule(pairs, dashes, "here", upright=False)
        curve.set(xlabel="offset (tokens)", ylabel="similarity", xlim=with_room(0, LARGEST))
        curve.set_ylim(-1.1, 1.1)
        pairs.set(xlabel="pair", ylabel="cosine of the pair", xlim=(0, 240), ylim=(-1.1, 1.1))
        pairs.set_yticks((-1, 0, 1))
        whole(curve.xaxis, pairs.xaxis, most=4, steps=None)
        at = pairs.set_title("at offset 100", animated=True)
        names = [
            Other(at, lambda a: {"text": f"at offset {a.offset}"}),
            PointName(
                curve, "C1", lambda a: (*a.mark, signed(a.here, ".2f"), a.here < 0.9), weight="bold"
            ),
            EndName(pairs, "C1", lambda a: ([a.d_model / 2 - 0.5], [a.here], "their mean", False)),
        ]
        return [
            Limits(curve, lambda a: {"ylim": _ends(a)}),
            Limits(pairs, lambda a: {"xlim": with_room(-0.5, a.d_model / 2 - 0.5)}),
            *(similarity, here, cosines, mean, *names),
        ]

    def caption(self, arrays: Arrays) -> str:
        rise = f"it first rises after offset {arrays.rises[0]}" if arrays.rises.size else "it falls"
        return (
            f"The similarity is {signed(arrays.here, '.2f')} at offset {arrays.offset} and "
            f"{signed(arrays.similarity[1][1], '.2f')} for neighbours; {rise}."
        )


def _ends(arrays):
    """Limits that leave the negative half away where no similarity is negative."""
    return -1.1 if arrays.similarity[1].min() < 0 else -0.05, 1.05
