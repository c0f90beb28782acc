"""Filmstrips: what the page gets is what a fresh figure shows, as little of it as can be."""

import base64
import io
import json
import struct
import zlib
from html.parser import HTMLParser

import numpy as np
import pytest
from matplotlib.patches import Rectangle
from PIL import Image

from posviz.pictures import filmstrip as module
from posviz.pictures.filmstrip import INCH, NARROW, RATIO, WIDE, filmstrip, styles
from tests.pictures.sample import Failing, Waves
from tests.pictures.stream.replay import Scene


@pytest.fixture(autouse=True)
def few_places(monkeypatch):
    monkeypatch.setattr(module, "GAPS", (1,))


class Small(Waves):
    """Waves of which three knobs move, two of them together."""

    size = (3.0, 1.5)
    lines, base, shape = 2, 100, "sine"
    combined = (("position", "phase"),)


class Wide(Small):
    """Waves whose axis moves, and with it what is at rest."""

    combined = ()
    position, phase, shape, marked = 7, 0.25, "sine", True

    def draw(self, figure):
        artists = super().draw(figure)
        artists.right.grid(False)  # lines of a grid are drawn over what moves
        return artists

    def update(self, artists, arrays):
        super().update(artists, arrays)
        artists.right.set_xlabel(f"x up to {arrays.x[-1]:.0f}")


class Few(Small):
    """Waves of which position and phase move."""

    width, marked = 8, True


class Hatched(Small):
    """Waves beside what draw calls cannot show, of which a switch moves."""

    combined = ()
    position, width, phase, shape = 7, 8, 0.25, "sine"

    def draw(self, figure):
        artists = super().draw(figure)
        artists.right.add_patch(Rectangle((1, 1), 20, 0.4, hatch="/", animated=True))
        return artists


class Quoting(Small):
    """Waves whose caption says what a reader typed."""

    def caption(self, arrays):
        return arrays.words


WORDS = "<script>\"&'</script>"


@pytest.fixture(scope="module")
def quoting():
    """A filmstrip of a picture in which a reader typed something, and what it does to that."""
    picture, changes = Quoting(position=7, phase=0.255, width=10, words=WORDS), []
    picture.observe(changes.append)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "GAPS", (1,))
        strip = filmstrip(picture)
    assert changes == []
    return picture, strip, Reader(strip)


class Reader(HTMLParser):
    """What another parser finds in a filmstrip: tags, images, texts and the data."""

    def __init__(self, strip, data="frames"):
        super().__init__()
        self.name = f"data-{data}"
        self.tags, self.images, self.texts, self.data = set(), [], [], ""
        self.feed(strip)
        self.close()
        self.blobs = self._unpacked()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.data += dict(attrs).get(self.name, "")
        if tag == "img":
            self.images.append(dict(attrs))

    def handle_data(self, data):
        self.texts.append(data)

    def _unpacked(self):
        data = zlib.decompress(base64.b64decode(self.data))
        (length,) = struct.unpack_from("<I", data)
        self.header = json.loads(data[4 : 4 + length])
        rest = io.BytesIO(data[4 + length :])
        blobs = [rest.read(size) for size in self.header["sizes"]]
        assert not rest.read()
        return blobs

    def settings(self):
        """Of each frame, what the controls show, {label: text}."""
        knobs = self.header["knobs"]
        return [
            {knob["label"]: knob["texts"][at] for knob, at in zip(knobs, places, strict=True)}
            for places, *_ in self.header["frames"]
        ]

    def values(self, label):
        """The values at which a slider stops."""
        return next(knob["values"] for knob in self.header["knobs"] if knob["label"] == label)

    def pixels(self, number, dark):
        """Frame `number` alone, as replay.js shows it."""
        drawn = self.header["frames"][number][1 + dark]
        moved, rows, images = [], b"", []
        for place, recording in enumerate(drawn):
            calls, vertices, own = self.header["recordings"][recording]
            moved.append([place, len(rows) // 12, len(images), calls])
            rows += self.blobs[vertices]
            images += [b"".join(self.blobs[part] for part in image) for image in own]
        scene = Scene()
        message = {"whole": True, "artists": len(drawn), "moved": moved}
        scene.take(message, [_rgba(self.blobs[self.header["backgrounds"][dark]]), rows, *images])
        return scene.pixels()[..., :3].astype(int)


def _rgba(png):
    """The same PNG, in the mode in which a kernel sends it."""
    data = io.BytesIO()
    Image.open(io.BytesIO(png)).convert("RGBA").save(data, "PNG")
    return data.getvalue()


def fresh(picture, dark=False, style=WIDE):
    """What a new figure of the picture shows."""
    figure = picture.figure(style, dark)
    figure.set_dpi(INCH[style] * RATIO)
    figure.canvas.draw()
    return np.asarray(figure.canvas.buffer_rgba())[..., :3].astype(int)


def set_texts(picture, texts):
    for name, knob in picture.knobs().items():
        if knob.label in texts:
            setattr(picture, name, knob.read(texts[knob.label]))


@pytest.mark.slow("a filmstrip")
@pytest.mark.parametrize("kind", [Wide, Hatched])
def test_frame_is_what_a_fresh_figure_shows(kind):
    picture = kind()
    strip = filmstrip(picture)
    for data, style in (("frames", WIDE), ("narrow", NARROW)):
        reader = Reader(strip, data)
        [*_, last] = reader.settings()
        set_texts(picture, last)
        for dark in (False, True):
            apart = np.abs(reader.pixels(-1, dark) - fresh(picture, dark, style))
            # A frame or a background of 255 colours, and vertices to a 64th of a pixel.
            assert apart.mean() < 0.3
            assert (apart.max(axis=2) > 40).mean() < 2e-4
        assert reader.header["frames"][-1][3] == picture.caption(picture.compute())


@pytest.mark.slow("a filmstrip")
def test_first_frame_is_the_picture_as_it_stands(quoting):
    picture, _, reader = quoting
    first = reader.settings()[0]
    assert [first[label] for label in ("position", "phase", "width")] == ["7", "0.255", "10"]
    (image,) = reader.images
    assert (image["width"], image["height"]) == ("300", "150")
    still = Image.open(io.BytesIO(base64.b64decode(image["src"].split(",")[1])))
    shown = np.asarray(still.convert("RGB")).astype(int)
    assert np.abs(shown - fresh(picture)).mean() < 0.3


@pytest.mark.slow("filmstrips")
def test_less_room_leaves_fewer_places_among_them_the_named(monkeypatch):
    monkeypatch.setattr(module, "GAPS", (2, 1))
    counts = []
    for max_bytes in (300_000, 10):
        strip = filmstrip(Few(position=7), "Go to 33.", max_bytes)
        places = Reader(strip).values("position")
        assert {0, 7, 33, 39} <= set(places)
        counts.append(len(places))
    assert counts == [2 * 2 + 3, 1 * 2 + 3]


@pytest.mark.slow("a filmstrip")
def test_what_frames_share_is_kept_once(quoting):
    _, _, reader = quoting
    frames, recordings = reader.header["frames"], reader.header["recordings"]
    kept = [json.dumps(recording) for recording in recordings]
    assert len(kept) == len(set(kept))
    assert len(reader.blobs) == len(set(reader.blobs))
    drawn = sum(len(light) + len(dark) for _, light, dark, _ in frames)
    assert len(kept) < drawn / 5  # most of a frame is that of others, too


@pytest.mark.slow("a filmstrip")
def test_what_a_reader_typed_is_text(quoting):
    _, strip, reader = quoting
    assert reader.images[0]["alt"] == WORDS
    assert WORDS in reader.texts
    assert reader.tags == {"div", "figure", "img", "figcaption", "p"}
    assert "<script" not in strip


@pytest.mark.slow("a filmstrip")
def test_line_says_how_settings_move_and_which_do_not(quoting):
    *_, line = (text for text in quoting[2].texts if text.strip())
    assert line == (
        "Move a setting, and the others go back to where they began; only position and phase "
        f"stay together. Fixed here: words = {WORDS}, device = NumPy. In the notebook all move "
        "freely."
    )


@pytest.mark.slow("draws many figures")
def test_an_error_is_the_pictures_own():
    with pytest.raises(ValueError, match="too <wide>"):
        filmstrip(Failing())


def test_the_styles_can_stand_in_a_page():
    assert "</style" not in styles()
