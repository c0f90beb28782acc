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

from posviz.engine import filmstrip as module
from posviz.engine.filmstrip import INCH, NARROW, RATIO, WIDE, Strip, filmstrip, styles
from tests.engine.replay import Scene
from tests.engine.sample import Failing, Waves


@pytest.fixture(autouse=True)
def few_places(monkeypatch):
    monkeypatch.setattr(module, "GAPS", (1,))


class Wide(Waves):
    """Waves whose axis moves, and with it what is at rest."""

    def draw(self, figure):
        artists = super().draw(figure)
        artists.right.grid(False)  # lines of a grid are drawn over what moves
        return artists

    def update(self, artists, arrays):
        super().update(artists, arrays)
        artists.right.set_xlabel(f"x up to {arrays.x[-1]:.0f}")


class Both(Waves):
    """Waves that move in two directions at once."""

    combined = (("position", "phase"),)


class Hatched(Waves):
    """Waves beside what draw calls cannot show."""

    def draw(self, figure):
        artists = super().draw(figure)
        artists.right.add_patch(Rectangle((1, 1), 20, 0.4, hatch="/", animated=True))
        return artists


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


@pytest.mark.slow("seconds")
@pytest.mark.parametrize(
    ("kind", "data", "style"),
    [*((kind, "frames", WIDE) for kind in (Waves, Wide, Both, Hatched)), (Wide, "narrow", NARROW)],
)
def test_a_frame_is_what_a_fresh_figure_shows(kind, data, style):
    picture = kind(position=7, phase=0.25)
    reader = Reader(filmstrip(picture), data)
    settings = reader.settings()
    for number in np.linspace(0, len(settings) - 1, 3).astype(int):
        set_texts(picture, settings[number])
        for dark in (False, True):
            apart = np.abs(reader.pixels(number, dark) - fresh(picture, dark, style))
            # A frame or a background of 255 colours, and vertices to a 64th of a pixel.
            assert apart.mean() < 0.3, settings[number]
            assert (apart.max(axis=2) > 40).mean() < 1e-4, settings[number]
        arrays = picture.compute()
        assert reader.header["frames"][number][3] == picture.caption(arrays)


@pytest.mark.slow("seconds")
def test_the_picture_is_never_changed_and_its_values_are_the_first_frame():
    picture, changes = Both(position=7, phase=0.255, width=10), []
    picture.observe(changes.append)
    first = Reader(filmstrip(picture)).settings()[0]
    assert changes == []
    assert [first[label] for label in ("position", "phase", "width")] == ["7", "0.255", "10"]


@pytest.mark.slow("seconds")
def test_less_room_leaves_fewer_places_with_both_ends_and_the_present_and_told_values(monkeypatch):
    monkeypatch.setattr(module, "GAPS", (2, 1))
    picture = Both(position=7)
    counts = []
    for max_bytes in (400_000, 10):
        places = Reader(filmstrip(picture, "Go to 33.", max_bytes)).values("position")
        assert {0, 7, 33, 39} <= set(places)
        counts.append(len(places))
    assert counts == [2 * 2 + 3, 1 * 2 + 3]


@pytest.mark.slow("seconds")
def test_what_frames_share_is_kept_once():
    reader = Reader(filmstrip(Waves()))
    frames, recordings = reader.header["frames"], reader.header["recordings"]
    told = [json.dumps(recording) for recording in recordings]
    assert len(told) == len(set(told))
    assert len(reader.blobs) == len(set(reader.blobs))
    drawn = sum(len(light) + len(dark) for _, light, dark, _ in frames)
    assert len(told) < drawn / 7  # most of a frame is that of others, too
    for _, light, dark, _ in frames:
        for (_, vertices, images), (_, same, others) in zip(
            map(recordings.__getitem__, light), map(recordings.__getitem__, dark), strict=True
        ):
            assert vertices == same
            assert [image[1:] for image in images] == [image[1:] for image in others]


class Quoting(Both):
    """Waves whose caption says what a reader typed."""

    def caption(self, arrays):
        return arrays.words


@pytest.mark.slow("seconds")
def test_what_a_reader_typed_is_text():
    words = "<script>\"&'</script>"
    strip = filmstrip(Quoting(words=words))
    reader = Reader(strip)
    assert reader.images[0]["alt"] == words
    assert words in reader.texts
    assert reader.tags == {"div", "figure", "img", "figcaption", "p"}
    assert any("words = <script>\"&'</script>" in text for text in reader.texts)
    assert "<script" not in strip


@pytest.mark.slow("seconds")
def test_it_can_be_seen_before_it_moves():
    picture = Waves(position=5)
    (image,) = Reader(filmstrip(picture)).images
    assert image["alt"] == picture.caption(picture.compute())
    assert (image["width"], image["height"]) == ("400", "200")
    still = Image.open(io.BytesIO(base64.b64decode(image["src"].split(",")[1])))
    shown = np.asarray(still.convert("RGB")).astype(int)
    assert np.abs(shown - fresh(picture)).mean() < 0.3


@pytest.mark.slow("seconds")
def test_a_line_tells_how_settings_move_and_which_do_not():
    *_, line = (text for text in Reader(filmstrip(Both())).texts if text.strip())
    assert line == (
        "Move a setting, and the others go back to where they began; only position and phase "
        "stay together. Fixed here: words = the cat sat, device = NumPy. "
        "In the notebook all move freely."
    )


def test_a_line_names_knobs_as_their_labels_do_and_others_only_where_there_are_some():
    strip = Strip(type("Labelled", (Waves,), {"combined": (("position", "lines"),)})())
    strip.moving = dict.fromkeys(strip.start)
    assert "only position and number of lines stay together" in strip.rule()
    strip.moving = {"position": [1, 2]}
    assert "the others go back" not in strip.rule()
    strip.close()


def test_an_error_is_the_pictures_own():
    with pytest.raises(ValueError, match="too <wide>"):
        filmstrip(Failing())


def test_the_styles_can_stand_in_a_page():
    assert "</style" not in styles()
