"""Who may look at whom, and what that tells about position."""

from types import SimpleNamespace

import matplotlib
import numpy as np
from matplotlib.ticker import MaxNLocator

from posviz.attention import attention
from posviz.encodings.doors import NoPosition
from posviz.engine.knobs import choice, integer, switch
from posviz.engine.looks import PLAIN
from posviz.engine.picture import Picture
from posviz.masks import blockwise_causal_mask, causal_mask, padding_mask

LONGEST, HEAD_DIM = 32, 16
BLOCKED = -1  # below every weight, so that a blocked pair has a colour of its own


class MaskedAttention(Picture):
    """Masks: who may look at whom, and where position leaks."""

    size = (9.0, 5.4)
    paper_size = (3.3, 2.6)

    seq_len = integer(8, low=1, high=LONGEST, play=True)
    mask = choice("causal", options=("none", "causal", "blockwise"))
    block = integer(2, low=1, high=16, label="block (tokens)")
    padding = integer(0, low=0, high=LONGEST - 1, label="padding (tokens)")
    same_token = switch(True, label="same token everywhere")

    def compute(self):
        """Weights [seq_len, seq_len]; positions and counts of keys [seq_len]."""
        length = max(self.seq_len - self.padding, 1)
        # Counted from the first real token; the padding before it repeats the 0.
        positions = np.maximum(np.arange(self.seq_len) - (self.seq_len - length), 0)
        allowed = padding_mask([length], self.seq_len)[0, 0] & self._mask(positions)
        q, k = np.random.default_rng(0).standard_normal((2, 1, 1, LONGEST, HEAD_DIM))
        q, k = (array[:, :, : self.seq_len] * (not self.same_token) for array in (q, k))
        _, weights = attention(
            q,
            k,
            k,
            encoding=NoPosition(),
            q_positions=positions,
            k_positions=positions,
            mask=allowed,
            return_weights=True,
        )
        return SimpleNamespace(
            length=length,
            positions=positions,
            looks_at=allowed.sum(axis=1),
            weights=np.where(allowed, weights[0, 0], BLOCKED),
        )

    def _mask(self, positions):
        if self.mask == "none":
            return np.ones((len(positions), len(positions)), bool)
        if self.mask == "causal":
            return causal_mask(positions, positions)
        return blockwise_causal_mask(positions, positions, self.block)

    def draw(self, figure):
        """The weights, and beside each query how many keys it looks at."""
        heat, beside = figure.subplots(1, 2, sharey=True, width_ratios=(3, 2))
        colours = matplotlib.colormaps[PLAIN].with_extremes(under=matplotlib.rcParams["grid.color"])
        weights = heat.imshow(np.zeros((1, 1)), cmap=colours, vmin=0, vmax=1, animated=True)
        figure.colorbar(
            weights,
            ax=heat,
            location="bottom",
            aspect=30,
            extend="min",
            ticks=(0, 0.5, 1),
            format="%g",
            label="attention weight (grey: blocked)",
        )
        (looks_at,) = beside.plot([], [], "s-", label="keys it looks at", animated=True)
        (positions,) = beside.plot([], [], "o:", label="its position", animated=True)
        legend = beside.legend(loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0.2)
        legend.set_zorder(1)  # below what moves, so that it is drawn once
        heat.set(xlabel="key (place in the row)", ylabel="query (place in the row)")
        beside.set_xlabel("tokens")
        for axis in (heat.xaxis, heat.yaxis, beside.xaxis):
            axis.set_major_locator(MaxNLocator(8, integer=True, min_n_ticks=1))
        artists = SimpleNamespace(heat=heat, beside=beside, seq_len=None)
        artists.weights, artists.looks_at, artists.positions = weights, looks_at, positions
        _fit(artists, LONGEST)
        return artists

    def update(self, artists, arrays):
        """Colour the weights and move the counts."""
        seq_len = len(arrays.positions)
        if seq_len != artists.seq_len:
            _fit(artists, seq_len)
        artists.weights.set_data(arrays.weights)
        places = np.arange(seq_len)
        artists.looks_at.set_data(arrays.looks_at, places)
        artists.positions.set_data(arrays.positions, places)

    def caption(self, arrays):
        """How many keys the first and the last token look at."""
        real = arrays.looks_at[-arrays.length :]
        tokens = f"{arrays.length} token" + "s" * (arrays.length > 1)
        if self.padding >= self.seq_len:
            tokens += f" (padding is held at {self.seq_len - 1}, so that one remains)"
        elif self.padding:
            tokens += f" and {self.padding} of padding"
        if real[0] == real[-1]:
            return f"Mask {self.mask}, {tokens}: all look at {real[0]}, so the mask tells nothing."
        told = f"the first looks at {real[0]} and the last at {real[-1]}"
        if self.mask == "causal":
            return f"Mask {self.mask}, {tokens}: {told}, so each number tells the position."
        return f"Mask {self.mask}, block {self.block}, {tokens}: {told}."


def _fit(artists, seq_len):
    """Fit the axes to the length, which costs a full redraw."""
    artists.seq_len = seq_len
    edges = (-0.5, seq_len - 0.5)
    artists.weights.set_extent((*edges, *edges[::-1]))
    artists.heat.set(xlim=edges, ylim=edges[::-1])
    artists.beside.set_xlim(-0.05 * seq_len, 1.05 * seq_len)
