"""Animations: one knob goes through its values and back again, in a GIF."""

import copy
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from posviz.files import placed, replacing
from posviz.pictures.bitmaps import distinct, nearest
from posviz.pictures.drawing import USUAL, Drawing
from posviz.pictures.export import about, format_of, method_call
from posviz.pictures.live_figure import LiveFigure
from posviz.pictures.style import Appearance, appearance

FORMATS = ("gif",)
MAX_BYTES = 3_000_000  # bytes: what a slide deck or a mail still takes
MAX_STOPS = 61
MAX_WIDTH = 1280  # pixels
TICK = 5  # hundredths of a second: GIF counts in hundredths, and twenty frames a second look smooth
ONE_WAY_TIME = 300  # hundredths of a second, from one end of the knob to the other
SLOW_STOPS, SLOW_DELAY = 12, 100  # a film of at most so many stops shows each for so long
PALETTE_FRAMES = 12  # frames, about, from which the palette is made
COLOURS = 255  # and one more, for "as in the frame before"
FEWEST_STOPS = 8  # of a GIF that would be too large


def animate(picture: Drawing, knob: str, path: str | Path, **options: Any) -> Path:
    """Write the picture while one knob moves; options and what is raised: `Picture.animate`."""
    path = placed(path)
    format_of(path, FORMATS, "save writes .png, .svg and .pdf")
    check_can_be_filmed(type(picture), knob)
    look = appearance(**options)
    if look.multiples:
        raise ValueError("multiples stand side by side: they do not move.")
    if look.transparent:
        raise ValueError("a film has a background: transparent is for .png, .svg and .pdf.")
    call = method_call("animate", knob, path.name, **look._asdict())
    facts = about(picture, picture.figure_in(look).caption, call, look.title)
    data = small_gif(Film(picture, knob, look), "\n".join(facts))
    with replacing(path) as file:
        file.write(data)
    return path


def check_can_be_filmed(picture_class: type[Drawing], name: str) -> None:
    """Raise ValueError for a name that is no knob, or a knob whose values have no order."""
    if name not in picture_class.knobs():
        raise ValueError(picture_class.no_knob(name))
    if name not in (movable := picture_class.filmed_knobs()):
        can = ", ".join(movable)
        raise ValueError(f"knob = {name!r} cannot move in an animation: choose one of {can}.")


class Film:
    """A picture's frames while one of its knobs moves; the picture itself does not change."""

    def __init__(self, picture: Drawing, knob: str, look: Appearance = USUAL) -> None:
        self.picture = copy.copy(picture)
        self.knob, self.look = knob, look
        self.stops = picture.knobs()[knob].samples(MAX_STOPS)
        self.turns_back = picture.knobs()[knob].is_ordered

    def frames(self) -> list[np.ndarray]:
        """Return a frame [height, width, 4] for each stop that differs from the one before."""
        live, frames = LiveFigure(self.picture, self.look), list[np.ndarray]()
        try:
            for value in self.stops:
                setattr(self.picture, self.knob, value)
                live.follow()
                inches = live.layers.figure.get_figwidth()
                live.ratio = min(1.0, MAX_WIDTH / (inches * self.look.dpi))
                live.paint()
                frame = live.layers.pixels()
                if not (frames and np.array_equal(frame, frames[-1])):
                    frames.append(frame.copy())
        finally:
            live.release()
        return frames

    def loop(self, way: list) -> list:
        """Return the stops there and back, each end once; options, which have no order, once."""
        return way + way[-2:0:-1] if self.turns_back else way

    def thinned(self, way: list) -> Iterator[list]:
        """Yield all stops, then half as many, evenly spaced with both ends; options all stay."""
        yield way
        while self.turns_back and len(way) >= 2 * FEWEST_STOPS:
            way = [way[round(i)] for i in np.linspace(0, len(way) - 1, len(way) // 2 + 1)]
            yield way


def delay(stops: int) -> int:
    """Return how long each stop of a film is shown, in hundredths of a second."""
    if stops <= SLOW_STOPS:
        return SLOW_DELAY
    return max(TICK, round(ONE_WAY_TIME / stops / TICK) * TICK)


def small_gif(film: Film, comment: str) -> bytes:
    """The film as a GIF, with fewer stops where all would make it too large."""
    frames = film.frames()
    palette = shared_palette(np.concatenate(frames[:: len(frames) // PALETTE_FRAMES + 1]))
    way = [in_palette(frame, palette) for frame in frames]
    lasts = delay(len(way)) * len(way)
    for fewer in film.thinned(way):
        data = gif(film.loop(fewer), lasts // len(fewer), comment)
        if len(data) <= MAX_BYTES:
            break
    return data


def gif(images: list[Image.Image], delay: int, comment: str) -> bytes:
    """Images in one palette as a GIF that repeats for ever."""
    data = io.BytesIO()
    settings: dict = {"duration": 10 * delay, "loop": 0, "comment": comment.encode()}
    images[0].save(data, "GIF", save_all=True, append_images=images[1:], **settings)
    return data.getvalue()


def shared_palette(pixels: np.ndarray) -> np.ndarray:
    """At most 255 colours [colours, 3] that stand for all pixels [height, width, 4]."""
    image = Image.fromarray(pixels).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    return np.array(image.getpalette() or [], np.uint8).reshape(-1, 3)


def in_palette(frame: np.ndarray, palette: np.ndarray) -> Image.Image:
    """Pixels [height, width, 4] in the nearest colours of the palette [colours, 3]."""
    colours, where = distinct(frame)
    image = Image.fromarray(nearest(colours, palette).astype(np.uint8)[where])
    image.putpalette(palette.tobytes())
    return image
