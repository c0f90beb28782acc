"""Animations: one knob goes through its values and back again, in a GIF or an MP4."""

import copy
import io
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from importlib import util
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from posviz.pictures.export import about, distinct, format_of, method_call, nearest
from posviz.pictures.files import placed, replacing
from posviz.pictures.knobs import numeric
from posviz.pictures.live_figure import LiveFigure
from posviz.pictures.picture import USUAL, Picture
from posviz.pictures.style import Appearance, appearance

FORMATS = ("gif", "mp4")
MAX_BYTES = 3_000_000  # bytes: what a slide deck or a mail still takes
MAX_STOPS = 61
MAX_WIDTH = 1280  # pixels
TICK = 5  # hundredths of a second: GIF counts in hundredths, and twenty frames a second look smooth
ONE_WAY_TIME = 300  # hundredths of a second, from one end of the knob to the other
SLOW_STOPS, SLOW_DELAY = 12, 100  # up to so many stops are looked at one by one, each for so long
PALETTE_FRAMES = 12  # frames, about, from which the palette is made
COLOURS = 255  # and one more, for "as in the frame before"
FEWEST_STOPS = 8  # of a GIF that would be too large
QUALITIES = range(18, 49, 6)  # H.264's rate factors: at 18 no loss is seen, at 48 much is
# Players guess the meaning of colours that are not named, and do not all guess the same.
NAMED = ":".join(f"{name}=bt709" for name in ("colorspace", "color_primaries", "color_trc"))
# What every player and slide program reads; bitexact: two runs write the same bytes.
H264 = (
    *("-c:v", "libx264", "-pix_fmt", "yuv420p", "-movflags", "+faststart"),
    *("-vf", f"scale=out_color_matrix=bt709,setparams={NAMED}"),
    *("-fflags", "+bitexact", "-flags:v", "+bitexact"),
)


def animate(picture: Picture, knob: str, path: str | Path, **options: Any) -> Path:
    """Write the picture while one knob moves; options and what is raised: `Picture.animate`."""
    path = placed(path)
    kind = format_of(path, FORMATS, "save writes .png, .svg and .pdf")
    check_can_be_filmed(type(picture), knob)
    look = appearance(**options)
    if look.multiples:
        raise ValueError("multiples stand side by side: they do not move.")
    call = method_call("animate", knob, path.name, **look._asdict())
    facts = about(picture, picture.figure_in(look).caption, call, look.title)
    words = {"title": facts.title, "comment": f"{facts.caption}\n{facts.line}\n{facts.program}"}
    if facts.rights:
        words["copyright"] = facts.rights
    film = Film(picture, knob, look)
    data = small_gif(film, words) if kind == "gif" else small_mp4(film, words, find_ffmpeg())
    with replacing(path) as file:
        file.write(data)
    return path


def check_can_be_filmed(picture_class: type[Picture], name: str) -> None:
    """Raise ValueError for a name that is no knob, or a knob whose values have no order."""
    known = picture_class.knobs()
    if name not in known:
        raise ValueError(picture_class.no_knob(name))
    if not known[name].sample_values(2):
        can = ", ".join(picture_class.filmed_knobs())
        raise ValueError(f"knob = {name!r} cannot move in an animation: choose one of {can}.")


class Film:
    """A picture's frames while one of its knobs moves; the picture itself is left as it is."""

    def __init__(self, picture: Picture, knob: str, look: Appearance = USUAL) -> None:
        self.picture = copy.copy(picture)
        self.knob, self.look = knob, look
        self.stops = picture.knobs()[knob].sample_values(MAX_STOPS)
        self.turns_back = isinstance(picture.knobs()[knob], numeric)

    def frames(self) -> list[np.ndarray]:
        """The frames, [height, width, 4] bytes: one a stop, but none like the one before it."""
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
        """What belongs to each stop, there and back without either end twice; options go round."""
        return way + way[-2:0:-1] if self.turns_back else way

    def thinned(self, way: list) -> Iterator[list]:
        """All stops, then fewer and fewer, evenly apart, both ends among them; options all stay."""
        yield way
        while self.turns_back and len(way) >= 2 * FEWEST_STOPS:
            way = [way[round(i)] for i in np.linspace(0, len(way) - 1, len(way) // 2 + 1)]
            yield way


def delay(stops: int) -> int:
    """How long each of so many stops stays, in hundredths of a second."""
    if stops <= SLOW_STOPS:
        return SLOW_DELAY
    return max(TICK, round(ONE_WAY_TIME / stops / TICK) * TICK)


def small_enough(attempts: Iterable[bytes]) -> bytes:
    """The first of ever smaller ones that is not too large, or the last."""
    for data in attempts:
        if len(data) <= MAX_BYTES:
            break
    return data


# ---------------------------------------------------------------- GIF


def small_gif(film: Film, words: dict[str, str]) -> bytes:
    """The film as a GIF, with fewer stops where all would make it too large."""
    frames = film.frames()
    palette = shared_palette(np.concatenate(frames[:: len(frames) // PALETTE_FRAMES + 1]))
    way = [in_palette(frame, palette) for frame in frames]
    lasts = delay(len(way)) * len(way)
    return small_enough(
        gif(film.loop(fewer), lasts // len(fewer), words) for fewer in film.thinned(way)
    )


def gif(images: list[Image.Image], delay: int, words: dict[str, str]) -> bytes:
    """Images in one palette as a GIF that repeats for ever."""
    data, comment = io.BytesIO(), "\n".join(words.values()).encode()
    settings: dict = {"duration": 10 * delay, "loop": 0, "comment": comment}  # in milliseconds
    images[0].save(data, "GIF", save_all=True, append_images=images[1:], **settings)
    return data.getvalue()


def shared_palette(pixels: np.ndarray) -> np.ndarray:
    """At most 255 colours [colours, 3] that stand for all pixels [height, width, 4]."""
    image = Image.fromarray(pixels).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    return np.array(image.getpalette() or [], np.uint8).reshape(-1, 3)


def in_palette(frame: np.ndarray, palette: np.ndarray) -> Image.Image:
    """Pixels [height, width, 4] in the nearest colours of the palette [colours, 3]."""
    colours, where = distinct(frame)
    image = Image.fromarray(nearest(colours[:, :3], palette).astype(np.uint8)[where])
    image.putpalette(palette.tobytes())
    return image


# ---------------------------------------------------------------- MP4


def find_ffmpeg() -> str:
    """The program ffmpeg: imageio-ffmpeg's, else the system's; RuntimeError where there is none."""
    if util.find_spec("imageio_ffmpeg"):
        from imageio_ffmpeg import get_ffmpeg_exe

        return get_ffmpeg_exe()
    if found := shutil.which("ffmpeg"):
        return found
    get = f"run `{sys.executable} -m pip install imageio-ffmpeg` (70 MB to fetch)"
    raise RuntimeError(f"an MP4 needs ffmpeg: {get}, or choose a GIF")


def small_mp4(film: Film, words: dict[str, str], ffmpeg: str) -> bytes:
    """The film as an MP4, with less detail where all would make it too large."""
    frames = film.frames()
    images, rate = film.loop(frames), f"100/{delay(len(frames))}"
    return small_enough(mp4(images, rate, words, ffmpeg, quality) for quality in QUALITIES)


def mp4(
    images: list[np.ndarray], rate: str, words: dict[str, str], ffmpeg: str, quality: int
) -> bytes:
    """Images [height, width, 4], so many a second, as an MP4; OSError with ffmpeg's reason.

    Not by imageio_ffmpeg.write_frames, which needs that package and leaves that reason unread.
    """
    height, width = (side - side % 2 for side in images[0].shape[:2])  # yuv420p halves both
    raw = b"".join(image[:height, :width].tobytes() for image in images)
    given = f"-f rawvideo -pix_fmt rgba -s {width}x{height} -framerate {rate} -i -".split()
    named = [part for name, text in words.items() for part in ("-metadata", f"{name}={text}")]
    wanted = ["-r", f"100/{TICK}", "-crf", f"{quality}", *H264, *named]
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "film.mp4")
        command = [ffmpeg, "-loglevel", "error", *given, *wanted, str(out)]
        done = subprocess.run(command, input=raw, capture_output=True)
        if done.returncode or not out.exists():
            reason = done.stderr.decode(errors="replace").strip()
            raise OSError(f"ffmpeg stopped with status {done.returncode}: {reason}")
        return out.read_bytes()
