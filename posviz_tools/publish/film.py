"""A picture that moves before Python is there: its draw calls, recorded while a knob moves."""

import copy
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from posviz.pictures.explorer import INCH
from posviz.pictures.live_figure import LiveFigure
from posviz.pictures.picture import Picture
from posviz.pictures.stream.frames import Frames
from posviz.pictures.style import Appearance
from posviz_tools.publish.assets import write_file

FOLDER = "assets/films"
RATIO = 2  # pixels of the film per CSS pixel
ENDINGS = {  # of a film's name: how it looks
    f"{narrow}{dark}": Appearance("paper" if narrow else "notebook", bool(dark))
    for narrow in ("", "_narrow")
    for dark in ("", "_dark")
}


class FilmScript(NamedTuple):
    """A knob of a picture, the values it goes to, and how long it takes to each.

    It ends with the value that the picture has: then the stored picture takes over.
    """

    knob: str
    values: tuple[float, ...]
    milliseconds: tuple[int, ...]


def write_film(picture: Picture, film: FilmScript, to: Path) -> None:
    """Write `to`/assets/films/<the picture's name>.bin, and others: dark, narrow, and both."""
    for ending, look in ENDINGS.items():
        # The last value comes first: each frame then differs from the one before.
        values = [*dict.fromkeys(film.values)][::-1]
        frames, buffers = [], list[bytes]()
        for message, parts in _recorded(copy.copy(picture), film.knob, values, look):
            frames.append(message | {"sizes": [len(part) for part in parts]})
            buffers += parts
        way = [
            [1 + values.index(value), lasts]
            for value, lasts in zip(film.values, film.milliseconds, strict=True)
        ]
        head = json.dumps({"way": way, "frames": frames}).encode()
        data = zlib.compress(b"".join([head, b"\n", *buffers]), 9)
        write_file(to / FOLDER / f"{type(picture).__name__}{ending}.bin", data)


def _recorded(picture, knob, values, look) -> Iterator[tuple[dict, list[bytes]]]:
    """The picture as it is, a whole frame, and then at each of these values what moves."""
    live, frames = LiveFigure(picture, look, INCH[look.style]), Frames()
    live.ratio = RATIO
    for value in (getattr(picture, knob), *values):
        setattr(picture, knob, value)
        live.follow()
        live.paint()
        yield frames.next(live.layers)
    live.release()
