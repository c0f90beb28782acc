"""The scores of all queries with all keys, without RoPE and with it."""

import zlib

import numpy as np
from matplotlib.figure import Figure

from posviz.arrays import to_device, to_numpy
from posviz.encodings.frequencies import rotary_angles, rotary_frequencies
from posviz.encodings.relative import offsets
from posviz.encodings.rotary import apply_rotary
from posviz.pictures.knobs import Choice, Device, Even, Log, LogInteger, TypedText
from posviz.pictures.layouts import maps_and_curves
from posviz.pictures.parts import (
    SEVERAL_PAIRS,
    Dense,
    Limits,
    Map,
    legend_over,
    whole,
    wide,
    zero,
)
from posviz.pictures.picture import Arrays, Picture
from posviz.wording import signed
from posviz_course.lessons._sentences import words_of

LONGEST = 512
LIMIT = 3  # of the colours
SAME = 1e-3  # scores that differ by less are equal in float32


class RotaryScores(Picture):
    """Scores without RoPE and with it: what is added depends on the offset alone."""

    size = (9.0, 3.9)
    paper_size = (3.3, 3.0)

    content = Choice("equal q and k", options=("equal q and k", "one token", "sentence"))
    seq_len = LogInteger(64, low=8, high=LONGEST, play=True)
    base = Log(10_000, low=10, high=1_000_000, when={"head_dim": SEVERAL_PAIRS})
    head_dim = Even(64, low=2, high=128, more=True)
    sentence = TypedText(
        "the cat sat on the mat", max_length=80, when={"content": ("sentence",)}, more=True
    )
    where = Device(more=True)

    def compute(self) -> Arrays:
        """Return scores [len, len] and their mean at each offset, without RoPE and with it.

        NumPy computes in float64, the other devices in float32.
        """
        qk = self._vectors(self.seq_len) / self.head_dim**0.25
        if self.where != "NumPy":
            qk = to_device(qk.astype(np.float32), self.where)
        places, inv_freq = np.arange(self.seq_len), rotary_frequencies(self.head_dim, self.base)
        pairs = qk, apply_rotary(qk, rotary_angles(places, inv_freq))
        maps = [to_numpy(q @ k.T) for q, k in pairs]
        apart = offsets(places, places)
        row = (apart + self.seq_len - 1).ravel()
        means = [np.bincount(row, scores.ravel()) / np.bincount(row) for scores in maps]
        return self.arrays(
            maps=maps,
            curves=[(np.arange(1 - self.seq_len, self.seq_len), mean) for mean in means],
            spread=abs(maps[1].ravel() - means[1][row]).max(),
            ends={"xlim": (-1.02 * self.seq_len, 1.02 * self.seq_len)},
        )

    def _vectors(self, seq_len):
        """Queries and keys before any rotation, [2, seq_len, head_dim]; equal words are equal."""
        if self.content == "equal q and k":  # all pairs have one norm, and q·k / √head_dim is 3
            return np.full((2, seq_len, self.head_dim), LIMIT**0.5 / self.head_dim**0.25)
        words = words_of(self.sentence) if self.content == "sentence" else [""]
        draws = [np.random.default_rng([3, zlib.crc32(word.encode())]) for word in words]
        vectors = np.array([rng.standard_normal((2, self.head_dim)) for rng in draws])
        return vectors[np.arange(seq_len) % len(words)].swapaxes(0, 1)

    def draw(self, figure: Figure) -> list:
        """Both maps, and the mean of each of their diagonals: beside them where there is room."""
        *heats, means = maps_and_curves(figure, 1, 2.6)
        props = {"limits": (-LIMIT, LIMIT), "aspect": "equal", "most": (LONGEST, LONGEST)}
        maps = [Map(axes, f"maps[{i}]", **props) for i, axes in enumerate(heats)]
        for axes, title in zip(heats, ("without RoPE", "with RoPE"), strict=True):
            axes.set(xlim=(0, LONGEST), ylim=(LONGEST, 0), title=title)
        side, aspect = ("bottom", 30) if wide(figure) else ("right", 20)
        bar = figure.colorbar(maps[0].image, ax=heats, location=side, aspect=aspect, extend="both")
        bar.set_label("score")
        bar.set_ticks((-LIMIT, 0, LIMIT))
        zero(means)
        dashed = {"color": "C1", "linestyle": "--", "zorder": 2.1}
        lines = [
            Dense(means, dashed, "curves[0]", "without RoPE"),
            Dense(means, {"color": "C0"}, "curves[1]", "with RoPE"),
        ]
        means.set(xlabel="offset, query − key (tokens)", ylabel="score, mean")
        means.set(xlim=(-LONGEST, LONGEST), ylim=(-4, 4))
        whole(means.xaxis, means.yaxis, most=4, fewest=2)
        legend_over(means)
        return [*maps, *lines, Limits(means, "ends")]

    def caption(self, arrays: Arrays) -> str:
        if arrays.spread > SAME:
            return (
                "With RoPE the score depends on two words and their offset: at one offset it "
                f"differs by up to {arrays.spread:.2f} from its mean."
            )
        offsets, scores = arrays.curves[1]
        best = signed(int(offsets[scores.argmax()]), "+")
        return (
            f"With RoPE each of {len(offsets):,} offsets has one score, and the highest is "
            f"{signed(scores.max(), '.2f')}, at offset {best}."
        )
