"""Animations: one knob goes through its values and back again, in a GIF or an MP4."""

import copy
import io
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from importlib import util
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from posviz.pictures.declared import Declared
from posviz.pictures.export import about, interruptible, method_call, nearest
from posviz.pictures.files import placed, replacing
from posviz.pictures.knobs import device, numeric, text
from posviz.pictures.live_figure import LiveFigure
from posviz.pictures.style import Appearance, appearance
from posviz.wording import quoted

FORMATS = ("gif", "mp4")
AS_ALWAYS = Appearance()
MAX_BYTES = 3_000_000  # bytes: what a slide deck or a mail still takes
MAX_STOPS = 61
MAX_WIDTH = 1280  # pixels
TICK = 5  # hundredths of a second: GIF counts in hundredths, and twenty frames a second look smooth
ONE_WAY_TIME = 300  # hundredths of a second, from one end of the knob to the other
SLOW_STOPS, SLOW_DELAY = 12, 100  # up to so many stops are looked at one by one, each for so long
PALETTE_FRAMES = 12  # frames, about, from which the palette is made
COLOURS = 255  # and one more, for "as in the frame before"
MAX_THINNING = 6  # so many times fewer stops, at most, make a GIF small
GET_FFMPEG = f"run `{sys.executable} -m pip install imageio-ffmpeg` (70 MB to fetch)"
# Players guess the meaning of colours that are not named, and do not all guess the same.
TAGS = "colorspace=bt709:color_primaries=bt709:color_trc=bt709"
QUALITIES = range(18, 49, 6)  # H.264's rate factors: at 18 no loss is seen, at 48 much is


@interruptible()
def animate(
    picture: Declared,
    knob: str,
    path: str | Path,
    *,
    style: str = "notebook",
    dark: bool = False,
    **options: Any,
) -> Path:
    """Write the picture while one knob moves, to GIF or MP4 by the path's ending.

    options: as `Picture.figure`, but for multiples. What would be larger than 3 MB has fewer stops
    (GIF) or less detail (MP4); where that does not help enough, the smallest is written.
    Raises ValueError for an unknown knob, ending or style and for a knob that has no order, OSError
    where the place cannot be written to, RuntimeError where there is no ffmpeg for an MP4.
    """
    path = placed(path)
    kind = path.suffix.lower().lstrip(".")
    if kind not in FORMATS:
        raise ValueError(
            f"path = {quoted(str(path))} ends in {quoted(path.suffix)}: choose .gif or .mp4"
        )
    check_can_be_filmed(type(picture), knob)
    look = appearance(style, dark, **options)
    if look.multiples:
        raise ValueError("multiples stand side by side: they do not move.")
    call = method_call("animate", knob, path.name, **look._asdict())
    told = about(picture, picture.drawn(picture.compute(), *look).caption, call, look.title)
    words = {"title": told.title, "comment": f"{told.caption}\n{told.line}\n{told.program}"}
    if told.rights:
        words["copyright"] = told.rights
    film = Film(picture, knob, look)
    data = small_gif(film, words) if kind == "gif" else small_mp4(film, words, find_ffmpeg())
    with replacing(path) as file:
        file.write(data)
    return path


def check_can_be_filmed(picture_class: type[Declared], name: str) -> None:
    """Raise ValueError, with the reason, for a name that is no knob or a knob that cannot move."""
    known = picture_class.knobs()
    if name not in known:
        raise ValueError(picture_class.no_knob(name))
    reasons = {text: "what it may hold has no order", device: "the picture does not depend on it"}
    for kind, reason in reasons.items():
        if isinstance(known[name], kind):
            raise ValueError(f"knob = {name!r} cannot move in an animation: {reason}.")


class Film:
    """A picture's frames while one of its knobs moves; the picture itself is left as it is."""

    def __init__(self, picture: Declared, knob: str, look: Appearance = AS_ALWAYS) -> None:
        self.picture = copy.copy(picture)
        self.knob, self.look = knob, look
        self.stops = picture.knobs()[knob].sample_values(MAX_STOPS)
        self.turns_back = isinstance(picture.knobs()[knob], numeric)

    def frames(self) -> Iterator[np.ndarray]:
        """The frames, [height, width, 3] bytes: one a stop, but none like the one before it."""
        live, last = LiveFigure(self.picture, **self.look._asdict()), None
        try:
            for value in self.stops:
                setattr(self.picture, self.knob, value)
                live.follow()
                inches = live.layers.figure.get_figwidth()
                live.ratio = min(1.0, MAX_WIDTH / (inches * self.look.dpi))
                live.paint()
                frame = live.layers.pixels()[..., :3]
                if last is None or not np.array_equal(frame, last):
                    last = frame.copy()
                    yield last
        finally:
            live.release()

    def loop(self, way: list) -> list:
        """What belongs to each stop, there and back without either end twice; options go round."""
        return way + way[-2:0:-1] if self.turns_back else way

    def thinned(self, way: list) -> Iterator[list]:
        """All stops, then fewer and fewer, evenly apart, both ends among them; options all stay."""
        yield way
        last = len(way) - 1
        for times in range(2, min(MAX_THINNING, last) + 1) if self.turns_back else ():
            gaps = last // times
            yield [way[round(i * last / gaps)] for i in range(gaps + 1)]


def delay(stops: int) -> int:
    """How long each of so many stops stays, in hundredths of a second."""
    if stops <= SLOW_STOPS:
        return SLOW_DELAY
    return max(TICK, round(ONE_WAY_TIME / stops / TICK) * TICK)


def small_enough(attempts: Iterable[bytes]) -> bytes:
    """The first that is not too large, and where all are, the smallest."""
    made = []
    for data in attempts:
        made.append(data)
        if len(data) <= MAX_BYTES:
            break
    return min(made, key=len)


# ---------------------------------------------------------------- GIF


def small_gif(film: Film, words: dict[str, str]) -> bytes:
    """The film as a GIF, with fewer stops where all would make it too large."""
    frames = list(film.frames())
    palette = shared_palette(np.concatenate(frames[:: len(frames) // PALETTE_FRAMES + 1]))
    way = list(in_palette(frames, palette))
    lasts = delay(len(way)) * len(way)
    return small_enough(
        gif(film.loop(fewer), lasts // len(fewer), words) for fewer in film.thinned(way)
    )


def gif(images: list[Image.Image], delay: int, words: dict[str, str]) -> bytes:
    """Images in one palette as a GIF that repeats for ever."""
    data = io.BytesIO()
    images[0].save(
        data,
        "GIF",
        save_all=True,
        append_images=images[1:],
        duration=10 * delay,  # milliseconds
        loop=0,
        comment="\n".join(words.values()).encode(),
    )
    return data.getvalue()


def shared_palette(pixels: np.ndarray) -> np.ndarray:
    """At most 255 colours [colours, 3] that stand for all pixels [height, width, 3]."""
    image = Image.fromarray(pixels).quantize(COLOURS, dither=Image.Dither.NONE)
    return np.array(image.getpalette() or [], np.uint8).reshape(-1, 3)


def in_palette(frames: Iterable[np.ndarray], palette: np.ndarray) -> Iterator[Image.Image]:
    """Each frame [height, width, 3] in the nearest colours of the palette [colours, 3]."""
    known = np.full(1 << 24, -1, np.int16)  # the index of each colour met so far
    for frame in frames:
        packed = frame.astype(np.int32) @ np.array([1 << 16, 1 << 8, 1], np.int32)
        new = np.unique(packed[known[packed] < 0])
        known[new] = nearest(new[:, None] >> np.array([16, 8, 0]) & 255, palette)
        image = Image.fromarray(known[packed].astype(np.uint8), "P")
        image.putpalette(palette.tobytes())
        yield image


# ---------------------------------------------------------------- MP4


def find_ffmpeg() -> str:
    """The program ffmpeg: imageio-ffmpeg's, else the system's; RuntimeError where there is none."""
    if util.find_spec("imageio_ffmpeg"):
        from imageio_ffmpeg import get_ffmpeg_exe

        return get_ffmpeg_exe()
    if found := shutil.which("ffmpeg"):
        return found
    raise RuntimeError(f"an MP4 needs ffmpeg: {GET_FFMPEG}, or choose a GIF")


def small_mp4(film, words, ffmpeg) -> bytes:
    """The film as an MP4, with less detail where all would make it too large."""
    frames = list(film.frames())
    images, rate = film.loop(frames), f"100/{delay(len(frames))}"
    return small_enough(mp4(images, rate, words, ffmpeg, quality) for quality in QUALITIES)


def mp4(images, rate, words, ffmpeg, quality) -> bytes:
    """Images, so many a second, as an MP4 of H.264 that every player and slide program reads.

    Not by imageio_ffmpeg.write_frames, which needs that package and leaves ffmpeg's reason unread.
    Raises OSError with ffmpeg's reason.
    """
    height, width = (side + side % 2 for side in images[0].shape[:2])  # yuv420p halves both
    with tempfile.TemporaryDirectory() as folder:
        raw, out = Path(folder, "film.rgb"), Path(folder, "film.mp4")
        with raw.open("wb") as file:
            for image in images:
                missing = (0, height - image.shape[0]), (0, width - image.shape[1]), (0, 0)
                file.write(np.pad(image, missing, mode="edge").tobytes())
        command = [
            *(ffmpeg, "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24"),
            *("-s", f"{width}x{height}", "-framerate", rate, "-i", str(raw)),
            *("-r", f"100/{TICK}", "-c:v", "libx264", "-crf", f"{quality}", "-pix_fmt", "yuv420p"),
            *("-vf", f"scale=out_color_matrix=bt709,setparams={TAGS}", "-movflags", "+faststart"),
            *("-fflags", "+bitexact", "-flags:v", "+bitexact"),
            *(part for name, value in words.items() for part in ("-metadata", f"{name}={value}")),
            str(out),
        ]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True)
        if done.returncode or not out.exists():
            raise OSError(_why(done.returncode, done.stderr.decode(errors="replace")))
        return out.read_bytes()


def _why(status, said) -> str:
    """Why there is no film: what ffmpeg returned and said."""
    if status < 0:
        how = f"was stopped by {signal.Signals(-status).name}"
    else:
        how = f"stopped with status {status}" if status else "ended without a film"
    return f"ffmpeg {how}: {said.strip() or 'it did not say why'}"
