"""Which far position has nearly the same row? Distances at up to 100 000 offsets."""

import numpy as np
from matplotlib.figure import Figure

from posviz.encodings.sinusoidal import sinusoidal
from posviz.pictures.knobs import Even
from posviz.pictures.parts import Curve, EndName, Limits, PointName, Rule
from posviz.pictures.picture import Arrays, Picture
from posviz.wording import number

LARGEST = 100_000  # offset, in tokens


class CollisionHunter(Picture):
    """With few columns, some far row is nearer to row 0 than its neighbour, row 1."""

    size = (8.0, 4.2)

    d_model = Even(8, low=2, high=512)

    def compute(self) -> Arrays:
        """Return the nearest offset, its exact distance, and the nearest in 400 ranges."""
        distances = _distances(self.d_model)
        nearest = int(distances.argmin()) + 1
        starts = np.linspace(1, LARGEST, 401)[:-1].astype(int)
        near = np.minimum.reduceat(distances, starts - 1)
        first, collision = sinusoidal([0, nearest], self.d_model)
        distance = float(np.linalg.norm(collision - first))
        return self.arrays(
            near=(np.append(starts, LARGEST), np.append(near, near[-1])),
            nearest=nearest,
            distance=distance,
            mark=([nearest], [distance]),
            neighbour=distances[0],
        )

    def draw(self, figure: Figure) -> list:
        """Distance against offset, and the nearest beside its numbers."""
        axes = figure.subplots()
        dashes = {"color": "C2", "linestyle": "--"}
        parts = [
            Curve(
                axes, "C0-", "near", "nearest of 250 rows", drawstyle="steps-post", stroke=1 / 1.5
            ),
            Rule(axes, dashes, "neighbour", "row 1", upright=False),
            Curve(axes, "C1o", "mark", "nearest of all", marks=2),
            EndName(axes, "C2", _next, ha="left"),
            PointName(axes, "C1", _found, size="large", weight="bold"),
        ]
        axes.set(yscale="log", xlim=(-0.01 * LARGEST, 1.2 * LARGEST), ylim=(1e-6, 100))
        axes.set(xlabel="row", ylabel="distance to row 0", xticks=LARGEST * np.arange(0, 1.2, 0.2))
        axes.set_title("each step: the nearest of 250 rows", color="C0")
        return [Limits(axes, _limits), *parts]

    def caption(self, arrays: Arrays) -> str:
        return (
            f"Of rows 1 to {LARGEST:,} the nearest to row 0 is row {arrays.nearest:,}, "
            f"{number(arrays.distance, 4)} away; row 1 is {number(arrays.neighbour, 4)} away."
        )


def _limits(arrays):
    """The decades that hold all distances."""
    highest = max(arrays.near[1].max(), arrays.neighbour)
    low, high = 10 ** np.floor(np.log10(arrays.distance / 3)), 10 ** np.ceil(np.log10(highest))
    return {"ylim": (low, high)}


def _found(arrays):
    """Below the nearest of all rows, where there is more room."""
    return *arrays.mark, f"row {arrays.nearest:,}: {number(arrays.distance)}", False


def _next(arrays):
    """At the right end of the dashed line."""
    return [LARGEST], [arrays.neighbour], " row 1", True


def _distances(d_model):
    """Distance between rows at offsets 1 … LARGEST, from PE(i)·PE(j) = Σ cos((i − j)ω).

    Every offset is a · stride − b with b < stride, so two small tables and one product of
    matrices replace LARGEST × d_model/2 cosines.
    """
    stride = int(np.ceil(np.sqrt(LARGEST)))
    ahead = sinusoidal(stride * np.arange(1, stride + 2), d_model)
    behind = sinusoidal(np.arange(stride)[::-1], d_model)
    dot = (ahead @ behind.T).ravel()[:LARGEST]  # offsets stride − (stride − 1) = 1, 2, 3, …
    return np.sqrt(np.maximum(d_model - 2 * dot, 0))
