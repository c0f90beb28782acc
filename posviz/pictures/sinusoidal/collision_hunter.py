"""Which far position has nearly the same row? Distances at up to 100 000 offsets."""

from types import SimpleNamespace

import numpy as np

from posviz.encodings.sinusoidal import sinusoidal
from posviz.engine.knobs import even, log
from posviz.engine.picture import Picture

COLUMNS = 400  # the offsets are shown as the nearest of each of so many ranges


class CollisionHunter(Picture):
    """The nearest collision: how close two different rows come."""

    size = (8.0, 4.2)
    paper_size = (3.3, 2.4)

    d_model = even(8, low=2, high=512)
    base = log(10_000, low=10, high=1_000_000)
    largest = log(100_000, low=10, high=100_000, label="largest offset")

    def compute(self):
        """Return the nearest offset, its exact distance, and the nearest in ranges of offsets."""
        largest = int(self.largest)
        distances = _distances(largest, self.d_model, self.base)
        nearest = int(distances.argmin()) + 1
        starts = np.unique(np.geomspace(1, largest, COLUMNS + 1)[:-1].astype(int))
        first, found = sinusoidal([0, nearest], self.d_model, base=self.base)
        return SimpleNamespace(
            offsets=starts,
            nearest_in_range=np.minimum.reduceat(distances, starts - 1),
            largest=largest,
            nearest=nearest,
            distance=np.linalg.norm(found - first),
            neighbour=distances[0],
        )

    def draw(self, figure):
        """Distance against offset on logarithmic axes that hold every setting."""
        axes = figure.subplots()
        looks = (
            ("-", "C0", "nearest here"),
            ("--", "C2", "nearest so far"),
            ("o", "C1", "nearest of all"),
        )
        found, best, mark = (
            axes.plot([], [], style, color=color, label=label, animated=True)[0]
            for style, color, label in looks
        )
        found.set(linewidth=found.get_linewidth() / 1.5, drawstyle="steps-post")
        best.set_drawstyle("steps-post")
        axes.set(xscale="log", yscale="log", xlim=(0.8, 130_000), ylim=(3e-5, 100))
        axes.set(xlabel="offset (tokens)", ylabel="distance between rows")
        figure.legend(loc="outside upper center", ncols=3, handlelength=1.6, columnspacing=1.2)
        return SimpleNamespace(found=found, best=best, mark=mark)

    def update(self, artists, arrays):
        """Move the curves and the mark; the axes never change."""
        offsets = np.append(arrays.offsets, arrays.largest)
        near = np.append(arrays.nearest_in_range, arrays.nearest_in_range[-1])
        artists.found.set_data(offsets, near)
        artists.best.set_data(offsets, np.minimum.accumulate(near))
        artists.mark.set_data([arrays.nearest], [arrays.distance])

    def caption(self, arrays):
        """The nearest collision, beside the distance of neighbours."""
        return (
            f"Of offsets 1 to {arrays.largest:,} the nearest row is {arrays.distance:.4g} away, "
            f"at offset {arrays.nearest:,}; neighbours are {arrays.neighbour:.4g} apart; the "
            f"solid line is the nearest of each of {len(arrays.offsets)} ranges."
        )


def _distances(largest, d_model, base):
    """Distance between rows at offsets 1 … largest, from PE(m)·PE(n) = Σ cos((m − n)ω).

    Every offset is a · stride − b with b < stride, so two small tables and one product of
    matrices replace largest × d_model/2 cosines.
    """
    stride = int(np.ceil(np.sqrt(largest)))
    ahead = sinusoidal(stride * np.arange(1, stride + 2), d_model, base=base)
    behind = sinusoidal(np.arange(stride)[::-1], d_model, base=base)
    dot = (ahead @ behind.T).ravel()[:largest]  # offsets stride − (stride − 1) = 1, 2, 3, …
    return np.sqrt(np.maximum(d_model - 2 * dot, 0))
