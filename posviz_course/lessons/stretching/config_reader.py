"""What a model's configuration says: which pairs are slowed, and what is wrong in it."""

import textwrap

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator

from posviz.encodings.frequencies import rotary_frequencies
from posviz.pictures.knobs import Choice, TypedText
from posviz.pictures.layouts import beside
from posviz.pictures.parts import Curve, EndName, Limits, Other, Text, inches, whole, wide
from posviz.pictures.picture import Arrays, Picture
from posviz.wording import quoted, shortened
from posviz_course.configs import LayerKind, read_config
from posviz_course.configs.builtin import CONFIGS
from posviz_course.configs.kinds import kept_and_slowed

PASTED = "pasted"
LONGEST = 2**18  # characters of a configuration
HIGHEST = 1e9  # wavelength
LOOKS = {"before": "C6-", "kept": "C0o", "blended": "C1D", "slowed": "C2^"}
NAMES = {"before": "as trained"}
NOTHING = np.array([]), np.array([])


class ConfigReader(Picture):
    """A config.json says which pairs are kept, blended or slowed."""

    size = (9.0, 4.2)
    paper_size = (3.3, 5.0)

    model = Choice("gpt-oss 120b", options=(*CONFIGS, PASTED))
    config = TypedText("", max_length=LONGEST, when={"model": (PASTED,)}, label="config.json")

    def compute(self) -> Arrays:
        """Return the wavelengths of all kinds of layers before and after, as lines with gaps.

        kept, blended, slowed: those after, by what was done to the pair; told: what is said in
        words; notice: what is wrong with a text that is no configuration.
        """
        kinds, lengths, told, notice = [], (0, 0), "", ""
        try:
            reading = self._read()
        except (TypeError, ValueError) as error:
            said = notice = shortened(error).replace("source must", "the text must")
        else:
            kinds = [kind for kind in reading.kinds if kind.frequencies is not None]
            lengths = reading.trained, reading.promised
            trained, promised = (f"{length:,}" if length else "?" for length in lengths)
            start = f"unscaled frequencies for {trained} tokens, {promised} promised"
            layers, count = [_row(kind) for kind in reading.kinds], len(reading.warnings)
            notes = [*reading.sentences, *layers, *(f"! {w}" for w in reading.warnings)]
            told = "\n".join(f"• {note}" for note in notes)
            methods = [layer.partition(", base")[0] for layer in layers[:2]]
            warnings = "1 warning" if count == 1 else f"{count} warnings"
            said = "; ".join([start, *methods, warnings])
        marked = [_marked(kind) for kind in kinds]
        pairs = max([len(lines["before"]) for lines in marked], default=32)
        ends = -0.04 * pairs, 1.04 * pairs
        return self.arrays(
            **{name: _joined([lines[name] for lines in marked]) for name in LOOKS},
            levels=[(ends, [length] * 2) if length else NOTHING for length in lengths],
            limits={"xlim": ends},
            labels=_labels(kinds),
            told=told,
            notice=notice,
            said=said,
        )

    def _read(self):
        if self.model != PASTED:
            return read_config(CONFIGS[self.model])
        start = self.config.lstrip()[:8]
        if not start:
            raise ValueError("paste the text of a config.json into the field above")
        if start[0] != "{":  # not a path: what is typed here opens no file
            raise ValueError(f"this text begins with {quoted(start)}, a config.json begins with {{")
        return read_config(self.config)

    def draw(self, figure: Figure) -> list:
        """The wavelength of each pair before and after; beside them what is said in words."""
        axes, words = beside(figure, (1, 1.15), (1, 1.3))
        words.set_axis_off()
        axes.set(yscale="log", ylim=(3, HIGHEST), xlabel="pair", ylabel="wavelength (tokens)")
        axes.yaxis.set_major_locator(LogLocator(numticks=6))
        axes.yaxis.set_minor_locator(NullLocator())
        whole(axes.xaxis, most=4)
        levels: list = [Curve(axes, fmt, f"levels[{i}]") for i, fmt in enumerate(("C6--", "C6:"))]
        curves = [
            Curve(axes, fmt, name, NAMES.get(name, name), marks=0.7) for name, fmt in LOOKS.items()
        ]
        axes.legend(loc="lower right", labelspacing=0.2, handlelength=1.2)  # where no curve is
        levels += [EndName(axes, "C6", _level(i), ha="left") for i in (0, 1)]
        name: dict = {"ha": "right", "parse_math": False, "animated": True, "in_layout": False}
        labels = [
            Other(axes.text(0, 1, "", va=va, **name), f"labels[{at}]")
            for at, va in enumerate(("bottom", "top"))
        ]
        room = _room(figure)
        above = {"transform": words.transAxes, "va": "top", "parse_math": False}
        told = Text(words, 0, 1, lambda a: _wrapped(a.told, *room), **above)
        notice = Text(words, 0, 1, lambda a: _wrapped(a.notice, *room), color="C1", **above)
        return [Limits(axes, "limits"), *levels, *curves, *labels, told, notice]

    def caption(self, arrays: Arrays) -> str:
        name = "The pasted text" if arrays.model == PASTED else arrays.model
        return f"{name}: {arrays.said.rstrip('.').replace('. ', ', ')}."


def _level(i):
    """What a level line is, at its left end; of two that are one only the first says it."""

    def show(arrays):
        (x, y), (_, low) = arrays.levels[i], arrays.levels[0]
        if not len(y) or (i and [*low] == [*y]):
            return [], [], "", True
        return x[:1], y[:1], f"  {y[0]:,}{(' trained', ' promised')[i]}", True

    return show


def _row(kind: LayerKind) -> str:
    """A kind of layers as one line."""
    layers = kind.kind.replace("_attention", "")
    layers = f"{kind.count} layers ({layers})".replace(" (all)", "") if kind.count else layers
    if kind.frequencies is None:
        return f"{layers}: {kind.name}"
    pairs = f"{kind.rotary_dim // 2} pairs"
    if kind.still:
        pairs += f": {kind.kept} rotate, {kind.still} do not"
    elif kind.method != "default":
        pairs += f": {kind.kept} kept, {kind.blended} blended, {kind.slowed} slowed"
    return f"{layers}: {kind.name}, base {kind.base:,.0f}, {pairs}"


def _marked(kind) -> dict:
    """Wavelengths of a kind before and after [pairs], NaN for pairs of another sort."""
    plain = rotary_frequencies(kind.rotary_dim, kind.base)
    after = kind.frequencies.inv_freq
    kept, slowed = kept_and_slowed(after / plain, kind.factor)
    waves = 2 * np.pi / np.where(after > 0, after, np.nan)
    masks = {"kept": kept, "blended": ~kept & ~slowed, "slowed": slowed & ~kept}
    return {
        "before": 2 * np.pi / plain,
        **{name: np.where(mask, waves, np.nan) for name, mask in masks.items()},
    }


def _joined(rows):
    """Rows of wavelengths as the x and y of one line, with a gap after each."""
    if not rows:
        return NOTHING
    x = [np.append(np.arange(len(row)), np.nan) for row in rows]
    return np.concatenate(x), np.concatenate([np.append(row, np.nan) for row in rows])


def _labels(kinds):
    """A name for the uppermost and for the lowest curve after, and where: none if they are one."""
    ends: dict = {}
    for kind in kinds:
        if len(rotating := np.flatnonzero(kind.frequencies.inv_freq)):
            wave = float(2 * np.pi / kind.frequencies.inv_freq[rotating[-1]])
            names, place = ends.get(round(np.log(wave), 6), ([], (int(rotating[-1]), wave)))
            names.append(shortened(kind.kind.replace("_attention", ""))[:20])
            ends[round(np.log(wave), 6)] = names, place
    if len(ends) < 2:
        return [{"text": "", "position": (0, 1)}] * 2
    (above, (x, high)), (below, (low_x, low)) = ends[max(ends)], ends[min(ends)]
    return [
        {"text": ", ".join(above), "position": (x, min(2 * high, HIGHEST / 20))},
        {"text": ", ".join(below), "position": (low_x, low / 9)},
    ]


def _room(figure):
    """How many characters a line beside or below the curves holds, and how many lines fit."""
    width, height = 72 * inches(figure) / rcParams["font.size"]
    if wide(figure):
        return int(0.49 * width / 0.56), int(0.82 * height / 1.25)
    return int(0.93 * width / 0.56), int(0.46 * height / 1.25)


def _wrapped(said, columns, rows):
    """Return the lines that fit, the last one with a note if others are left out."""
    lines = [
        part
        for line in said.splitlines()
        for part in textwrap.wrap(line, columns, subsequent_indent="   ") or [""]
    ]
    return "\n".join(lines if len(lines) <= rows else [*lines[: rows - 1], "…"])
