"""The pairs as clocks: each hand turns at its own true frequency."""

from types import SimpleNamespace

import numpy as np
from matplotlib.collections import PolyCollection

from posviz.encodings.frequencies import rotary_angles, rotary_frequencies, wavelengths
from posviz.engine.knobs import even, integer, log
from posviz.engine.picture import Picture

CLOCKS = 8
ACROSS = 4  # clocks in a row
PITCH = (2.6, 3.1)  # between centres; a dial has radius 1


class WavelengthClocks(Picture):
    """One clock per pair: across is its sine column, up is its cosine column."""

    size = (8.0, 4.4)
    paper_size = (3.3, 2.3)

    position = integer(20, low=0, high=1000, play=True)
    d_model = even(16, low=2, high=512)
    base = log(10_000, low=10, high=1_000_000)

    def compute(self):
        """Return up to eight pairs spread over all, their wavelengths and angles."""
        inv_freq = rotary_frequencies(self.d_model, self.base)
        pairs = np.unique(np.linspace(0, len(inv_freq) - 1, CLOCKS).round().astype(int))
        return SimpleNamespace(
            pairs=pairs,
            wavelengths=wavelengths(inv_freq[pairs]),
            angles=rotary_angles(self.position, inv_freq[pairs]),
            position=self.position,
            count=len(inv_freq),
        )

    def draw(self, figure):
        """Eight dials in two rows of one axes; texts lie below what moves and so are drawn once."""
        axes = figure.subplots()
        axes.set(
            xlim=(-1.3, PITCH[0] * (ACROSS - 1) + 1.3), ylim=(-PITCH[1] - 2.5, 1.15), aspect="equal"
        )
        axes.set_axis_off()
        middle = PITCH[0] * (ACROSS - 1) / 2
        legend = "across: sine column     up: cosine column     λ: tokens per turn"
        axes.text(
            middle, -PITCH[1] - 2.45, legend, ha="center", va="bottom", size="small", zorder=0
        )
        width = axes.plot([], [])[0].get_linewidth()
        dials = axes.plot([], [], color="C6", linewidth=width / 2)[0]
        wedges = PolyCollection([], facecolor="C0", alpha=0.25, animated=True)
        axes.add_collection(wedges, autolim=False)
        hands = axes.plot([], [], color="C0", solid_capstyle="round", animated=True)[0]
        tips = axes.plot([], [], "o", color="C1", animated=True)[0]
        labels = [
            axes.text(0, 0, "", ha="center", va="top", size="small", zorder=0)
            for _ in range(CLOCKS)
        ]
        return SimpleNamespace(
            dials=dials, wedges=wedges, hands=hands, tips=tips, labels=labels, shown=None
        )

    def update(self, artists, arrays):
        """Turn the hands; dials and labels change only with the wavelengths."""
        centres = _centres(len(arrays.pairs))
        shown = list(zip(arrays.pairs, arrays.wavelengths, strict=True))
        if artists.shown != shown:
            artists.shown = shown
            _label(artists, shown, centres)
        tips = centres + np.stack([np.sin(arrays.angles), np.cos(arrays.angles)], axis=-1) * 0.9
        artists.tips.set_data(*tips.T)
        artists.hands.set_data(*_broken(np.stack([centres, tips], axis=1)))
        artists.wedges.set_verts(_swept(centres, arrays.angles))

    def caption(self, arrays):
        """How often the fastest and the slowest clock have turned."""
        turns = arrays.position / arrays.wavelengths
        return (
            f"At position {arrays.position} pair 0 has turned {turns[0]:.2f} times; the slowest, "
            f"pair {arrays.pairs[-1]} with λ = {arrays.wavelengths[-1]:,.2f} tokens, "
            f"{turns[-1]:.4f} times; {len(arrays.pairs)} of {arrays.count} pairs are shown."
        )


def _centres(count):
    """Where the dials stand, row by row, [count, 2]; a few of them stand in the middle."""
    place = np.arange(count)
    column = place % ACROSS + max(ACROSS - count, 0) / 2
    return np.stack([column * PITCH[0], -(place // ACROSS) * PITCH[1]], axis=-1)


def _label(artists, shown, centres):
    turn = np.linspace(0, 2 * np.pi, 73)
    circle = np.stack([np.sin(turn), np.cos(turn)], axis=-1)
    artists.dials.set_data(*_broken(centres[:, None] + circle))
    for text in artists.labels:
        text.set_text("")
    for text, (x, y), (pair, wavelength) in zip(artists.labels, centres, shown, strict=False):
        text.set(text=f"pair {pair}\nλ = {_tokens(wavelength)}", position=(x, y - 1.15))


def _tokens(wavelength):
    """A wavelength to three digits or to the token: 6.28, 62.8, 47,117."""
    digits = max(0, 2 - int(np.log10(wavelength)))
    return f"{wavelength:,.{digits}f}"


def _broken(strokes):
    """Strokes [count, points, 2] as the x and y of one line, with a gap after each."""
    gap = np.full((len(strokes), 1, 2), np.nan)
    return np.concatenate([strokes, gap], axis=1).reshape(-1, 2).T


def _swept(centres, angles):
    """The part of the present turn that each hand has swept, from twelve o'clock."""
    turn = np.linspace(0, 1, 40) * (angles % (2 * np.pi))[:, None]
    arcs = np.stack([np.sin(turn), np.cos(turn)], axis=-1) * 0.9
    return np.concatenate([np.zeros((len(centres), 1, 2)), arcs], axis=1) + centres[:, None]
