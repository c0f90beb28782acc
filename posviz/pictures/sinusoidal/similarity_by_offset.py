"""How alike two rows are: a mean of cosines, one per pair."""

from types import SimpleNamespace

import numpy as np
from matplotlib import rcParams
from matplotlib.ticker import MaxNLocator

from posviz.encodings.frequencies import rotary_angles, rotary_frequencies
from posviz.engine.knobs import even, integer, log
from posviz.engine.picture import Picture


class SimilarityByOffset(Picture):
    """PE(m)·PE(n) / (d_model/2) depends on the offset m − n only."""

    size = (8.0, 4.0)
    paper_size = (3.3, 2.3)

    offset = integer(10, low=0, high=100, play=True)
    d_model = even(64, low=2, high=512)
    base = log(10_000, low=10, high=1_000_000)
    largest = integer(100, low=10, high=1000, label="largest offset")

    def compute(self):
        """Return each pair's cosine at every offset, and their mean, the similarity."""
        inv_freq = rotary_frequencies(self.d_model, self.base)
        cosines = np.cos(rotary_angles(np.arange(self.largest + 1), inv_freq))
        similarity = cosines.mean(axis=-1)
        rises = np.flatnonzero(np.diff(similarity) > 0)
        offset = min(self.offset, self.largest)
        return SimpleNamespace(
            similarity=similarity,
            offset=offset,
            asked=self.offset,
            pairs=cosines[offset],
            first_rise=int(rises[0]) if len(rises) else None,
        )

    def draw(self, figure):
        """The similarity at left; at right the cosines whose mean it is, on the same scale."""
        curve, pairs = figure.subplots(1, 2, width_ratios=(3, 2), sharey=True)
        curve.axhline(0, color="C6", linewidth=rcParams["axes.linewidth"])
        pairs.axhline(0, color="C6", linewidth=rcParams["axes.linewidth"])
        similarity = curve.plot([], [], animated=True)[0]
        rise = curve.plot([], [], "^", color="C2", label="first rise", animated=True)[0]
        size = rise.get_markersize()
        rise.set(markerfacecolor="none", markeredgewidth=size / 3, markersize=1.5 * size)
        here = curve.plot([], [], "o", color="C1", label="the offset", animated=True)[0]
        cosines = pairs.plot([], [], "o-", color="C0", animated=True)[0]
        mean = pairs.axhline(
            0, color="C1", linestyle="--", label="mean of the pairs", animated=True
        )
        cosines.set(linewidth=cosines.get_linewidth() / 2, markersize=cosines.get_markersize() / 2)
        curve.set(xlabel="offset (tokens)", ylabel="similarity", xlim=(0, 1000), ylim=(-1.2, 1.1))
        pairs.set(xlabel="pair", ylabel="cosine of the pair", xlim=(0, 250))
        pairs.tick_params(labelleft=False)
        for axes in (curve, pairs):
            axes.xaxis.set_major_locator(MaxNLocator(4, integer=True, min_n_ticks=1))
        figure.legend(handles=[here, mean, rise], loc="outside upper center", ncols=3)
        return SimpleNamespace(
            curve=curve,
            axes=pairs,
            similarity=similarity,
            rise=rise,
            here=here,
            cosines=cosines,
            mean=mean,
            shape=None,
        )

    def update(self, artists, arrays):
        """Move the curve and the marks; the axes only when their length changed."""
        largest, count = len(arrays.similarity) - 1, len(arrays.pairs)
        if artists.shape != (largest, count):
            artists.shape = (largest, count)
            artists.curve.set_xlim(-0.02 * largest, 1.02 * largest)
            artists.axes.set_xlim(-0.5 - 0.02 * count, count - 0.5 + 0.02 * count)
        artists.similarity.set_data(np.arange(largest + 1), arrays.similarity)
        low = [] if arrays.first_rise is None else [arrays.first_rise]
        artists.rise.set_data(low, arrays.similarity[low])
        artists.here.set_data([arrays.offset], arrays.similarity[[arrays.offset]])
        artists.cosines.set_data(np.arange(count), arrays.pairs)
        artists.mean.set_ydata([arrays.similarity[arrays.offset]] * 2)

    def caption(self, arrays):
        """The similarity at the offset and between neighbours, and where it first rises."""
        at = arrays.similarity
        clamped = " (the largest shown)" if arrays.asked > arrays.offset else ""
        rise = f"no rise up to offset {len(at) - 1}"
        if arrays.first_rise is not None:
            rise = f"the first rise is from offset {arrays.first_rise} to {arrays.first_rise + 1}"
        return (
            f"Similarity {at[arrays.offset]:.4f} at offset {arrays.offset}{clamped}; neighbours "
            f"{at[1]:.4f}; {rise}."
        )
