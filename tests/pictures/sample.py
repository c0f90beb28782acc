"""A small picture with every kind of knob, one that fails on demand, and a browser's part."""

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from posviz.pictures.explorer import Explorer
from posviz.pictures.knobs import Choice, Device, Even, Integer, Log, Real, Switch, TypedText
from posviz.pictures.picture import Picture
from posviz.pictures.style import SIGNED

ROOT = Path(__file__).parents[2]  # where another process finds this file, too


class Waves(Picture):
    """Waves beside their products.

    What follows the first line is for readers of the code.
    """

    size = (4.0, 2.0)

    lines = Integer(2, low=1, high=4, redraw=True, label="number of lines")
    position = Integer(3, low=0, high=39, play=True)
    width = Even(8, low=2, high=64)
    base = Log(100, low=10, high=10_000)
    phase = Real(0.5, low=0, high=1)
    shape = Choice("sine", options=("sine", "cosine"))
    marked = Switch(True)
    words = TypedText("the cat sat", max_length=20)
    where = Device()

    def compute(self):
        x = np.linspace(0, self.width, 40)
        wave = {"sine": np.sin, "cosine": np.cos}[self.shape]
        curves = [wave(k * x / np.log10(self.base) + self.phase) for k in range(self.lines)]
        return SimpleNamespace(
            x=x,
            curves=curves,
            products=np.outer(curves[-1], curves[-1]),
            position=self.position,
            marked=self.marked,
            words=self.words,
        )

    def draw(self, figure):
        left, right = figure.subplots(1, 2)
        image = left.imshow(np.zeros((40, 40)), cmap=SIGNED, vmin=-1, vmax=1, animated=True)
        left.set_axis_off()
        curves = [
            right.plot([], [], label=f"wave {k}", animated=True)[0] for k in range(self.lines)
        ]
        mark = right.axvline(0, color="C3", animated=True)
        band = right.axhspan(-1.5, -1.3, animated=True)
        words = right.text(0, 1, "", color="C4", animated=True, parse_math=False)
        words.set_in_layout(False)
        right.set(xlim=(0, 64), ylim=(-1.5, 1.5), xlabel="x")
        right.grid(True)
        right.legend(loc="lower right")
        return SimpleNamespace(
            right=right,
            image=image,
            curves=curves,
            mark=mark,
            band=band,
            words=words,
            end=None,
        )

    def update(self, artists, arrays):
        artists.image.set_data(arrays.products)
        for line, curve in zip(artists.curves, arrays.curves, strict=True):
            line.set_data(arrays.x, curve)
        if artists.end != arrays.x[-1]:
            artists.end = arrays.x[-1]
            artists.right.set_xlim(0, arrays.x[-1])
            artists.right.set_xticks(np.linspace(0, artists.end, 9), labels=list("abcdefghi"))
        artists.mark.set_xdata([arrays.x[arrays.position]] * 2)
        artists.mark.set_visible(arrays.marked)
        artists.band.set_facecolor("C1" if arrays.marked else "C5")
        artists.words.set_text(arrays.words)

    def caption(self, arrays):
        return f"At position {arrays.position} the last wave is {arrays.curves[-1].max():.3f} high."


class Dragged(Waves):
    """Waves whose width and phase follow a pointer, in axes that end beyond both."""

    phase = Real(0.5, low=0, high=1, until=lambda p: 0.75)

    def draw(self, figure):
        figure.add_axes((0.25, 0.25, 0.5, 0.5)).set(xlim=(0, 100), ylim=(-1, 2))
        return super().draw(figure)

    def dragged(self, x, y):
        return {"width": x, "phase": y}


def place_of(live, x, y):
    """The place of a point of the first axes, as a browser tells it."""
    figure = live.layers.figure
    across, up = figure.axes[0].transData.transform((x, y)) / figure.bbox.size
    return [float(across), float(1 - up)]


class Failing(Waves):
    """Waves that break where they are told to."""

    fail = Choice("nowhere", options=("nowhere", "compute", "caption", "update", "drawing"))

    def compute(self):
        if self.fail == "compute":
            raise ValueError("too <wide> & too long")
        arrays = super().compute()
        arrays.fail = self.fail
        return arrays

    def update(self, artists, arrays):
        super().update(artists, arrays)
        if arrays.fail == "update":
            raise RuntimeError("half of it moved")
        if arrays.fail == "drawing":
            artists.right.set_xlabel("$x_$")

    def caption(self, arrays):
        if arrays.fail == "caption":
            raise KeyError("no such number")
        return super().caption(arrays)


class Browser:
    """A page: makes an explorer, opens views of it, and keeps what arrives."""

    def __init__(self, picture):
        self.told = []  # every message that came, with its buffers
        self.explorer = Explorer(picture, self._hear)

    def _hear(self, message, buffers):
        json.dumps(message)  # what cannot be written as JSON never reaches a browser
        self.told.append((message, buffers))

    def say(self, view, **message):
        """Send what the JavaScript of one view's screen would."""
        self.explorer.receive({"part": "screen", "view": view, **message})

    @property
    def messages(self):
        """What came for the screen, with its buffers."""
        return [
            ({name: value for name, value in message.items() if name != "part"}, buffers)
            for message, buffers in self.told
            if message.get("part") == "screen"
        ]

    @property
    def frames(self):
        """The messages that carry a frame."""
        return [message for message, _ in self.messages if "frame" in message]


class Hand:
    """A reader's hand on a control: what the JavaScript of one view would send and hear."""

    def __init__(self, browser, name, view="a"):
        self.browser, self.name, self.view, self.number = browser, name, view, 0
        self.send(change=-1)

    def send(self, **what):
        """Send a message with the next number, and the newest change unless told otherwise."""
        self.number += 1
        change = self.heard["change"] if self.all_heard else -1
        message = {"view": self.view, "number": self.number, "change": change, **what}
        self.browser.explorer.receive({"knob": self.name, **message})

    def move(self, place):
        """Move the handle."""
        self.send(place=place)

    def type(self, text):
        """Write into the box."""
        self.send(typed=text)

    @property
    def all_heard(self):
        """All that this control was told."""
        return [message for message, _ in self.browser.told if message.get("knob") == self.name]

    @property
    def heard(self):
        """What it was told last."""
        return self.all_heard[-1]
