"""Which pairs follow the time, which the row, which the column: M-RoPE."""

from types import SimpleNamespace

import numpy as np
from matplotlib.ticker import NullLocator

from posviz.encodings.frequencies import rotary_frequencies, wavelengths
from posviz.encodings.rotary2d import mrope_angles
from posviz.engine.knobs import choice, integer, log
from posviz.engine.picture import Picture

PAIRS = 64  # head_dim 128, as the models have it
# (time, row, column), and whether they take turns.
ARRANGEMENTS = {
    "16, 24, 24 contiguous (Qwen2-VL)": ((16, 24, 24), False),
    "24, 20, 20 interleaved (Qwen3-VL)": ((24, 20, 20), True),
    "24, 20, 20 contiguous": ((24, 20, 20), False),
}
AXES = {"time": "o", "row": "s", "column": "^"}
FLOOR = 1e-8  # radians; below it the axis is linear down to 0


class MropeSections(Picture):
    """M-RoPE: each pair of a head follows the time, the row or the column."""

    size = (8.0, 4.1)
    paper_size = (3.3, 2.9)
    film = ("column", "row")

    column = integer(1, low=0, high=100, play=True)
    row = integer(10, low=0, high=100, play=True)
    time = integer(100, low=0, high=1000)
    sections = choice(next(iter(ARRANGEMENTS)), options=tuple(ARRANGEMENTS))
    base = log(1_000_000, low=10_000, high=10_000_000)

    def compute(self):
        """Return each pair's axis, found by asking which one turns it, wavelength and angle."""
        sections, interleaved = ARRANGEMENTS[self.sections]
        inv_freq = rotary_frequencies(2 * PAIRS, self.base)
        present = np.array([self.time, self.row, self.column])
        # As if for four tokens: one step along each axis alone, and where we are.
        tokens = np.concatenate([np.eye(3), present[:, None]], axis=1)
        turned = mrope_angles(tokens, inv_freq, sections, interleaved=interleaved)
        return SimpleNamespace(
            axis=turned[:3].argmax(axis=0),
            wavelengths=wavelengths(inv_freq),
            angles=turned[3],
            present=present,
            sections=self.sections,
        )

    def draw(self, figure):
        """Wavelengths above, angles below, on the same axis of pairs; one marker for each axis."""
        waves, angles = figure.subplots(2, 1, sharex=True)
        drawn = [
            [
                axes.plot([], [], marker, color=f"C{i}", label=label, animated=True)[0]
                for i, (label, marker) in enumerate(AXES.items())
            ]
            for axes in (waves, angles)
        ]
        for marks in drawn:
            for mark in marks:
                mark.set_markersize(0.6 * mark.get_markersize())
        waves.set(yscale="log", ylim=(2, 2e8), yticks=(1e1, 1e3, 1e5, 1e7))
        waves.set_ylabel("wavelength\n(tokens)")
        angles.axhline(2 * np.pi, color="C6", linestyle="--", zorder=0)
        angles.set_yscale("symlog", linthresh=FLOOR, linscale=0.5)
        angles.set(ylim=(-FLOOR, 3e4), yticks=(0, 1e-6, 1e-3, 1, 1e3))
        angles.set(xlabel="pair", ylabel="angle\n(radians)", xlim=(-1, PAIRS))
        for axes in (waves, angles):
            axes.yaxis.set_minor_locator(NullLocator())
        angles.text(PAIRS - 1, 1.4e1, "one turn", ha="right", va="bottom", size="small", zorder=0)
        figure.legend(handles=drawn[0], loc="outside upper center", ncols=3)
        return SimpleNamespace(waves=drawn[0], angles=drawn[1])

    def update(self, artists, arrays):
        """Give each axis its pairs, above and below."""
        for i, (wave, angle) in enumerate(zip(artists.waves, artists.angles, strict=True)):
            pairs = np.flatnonzero(arrays.axis == i)
            wave.set_data(pairs, arrays.wavelengths[pairs])
            angle.set_data(pairs, arrays.angles[pairs])

    def caption(self, arrays):
        """The wavelengths that each axis has, and how far its fastest pair has turned."""
        words = []
        for i, (name, position) in enumerate(zip(AXES, arrays.present, strict=True)):
            pairs = arrays.axis == i
            waves, fastest = arrays.wavelengths[pairs], arrays.angles[pairs].max()
            words.append(
                f"{name} {position} turns pairs of wavelength {_tokens(waves[0])} to "
                f"{_tokens(waves[-1])} tokens by at most {fastest:.4g}"
            )
        return f"{arrays.sections}: {'; '.join(words)} radians."


def _tokens(wavelength):
    return f"{wavelength:,.2f}" if wavelength < 100 else f"{wavelength:,.0f}"
