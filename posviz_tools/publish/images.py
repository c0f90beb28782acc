"""The site's images, light and dark: a card for each lesson, and each picture in small."""

import functools
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

from posviz.pictures.bitmaps import drop_bitmaps, png_bytes
from posviz.pictures.picture import Picture
from posviz_course.lessons import load
from posviz_tools.publish.assets import hashed, write_file
from posviz_tools.publish.place import Narrow, narrow_size, picture_of

CARD, DPI = (1200, 630), 200  # pixels, as previews of links want them, and an inch
WIDTH, STYLE = 600, "paper"  # pixels; the gallery shows them half as wide, where letters have ten
PICTURES = "assets/pictures"
_RIM = Bbox.from_extents(0.05, 0.08, 0.95, 0.86)

# A lesson's picture, and which of its axes are on the card.
CARDS: dict[str, tuple[str, tuple[int, ...]]] = {
    "00_start_here": ("SameWords", (0,)),
    "01_why_order_matters": ("WordOrders", (0,)),
    "02_sinusoidal_tables": ("SinusoidalTable", (0,)),
    "03_learned_embeddings": ("LearnedTable", (0, 1)),
    "04_relative_positions": ("T5Buckets", (2,)),
    "05_rope": ("RotatingVectors", (0, 1)),
    "06_rope_in_code": ("LayoutArcs", (0,)),
    "07_rope_in_two_dimensions": ("PatchGrid", (0, 1)),
    "08_alibi": ("ReadingLamp", (0,)),
    "09_xpos": ("XposDecay", (0, 1)),
    "10_stretching_the_context": ("PhasesSeen", (0,)),
    "11_position_from_content": ("ForgetGates", (0,)),
    "12_train_short_test_long": ("ExtrapolationCurves", (0,)),
    "13_choosing": ("SameX", ()),
    "examination": ("OneMatrix", (1, 2)),
}
# Whose letters fill their places already.
LOOKS: dict[str, dict] = {"ReadingLamp": {"style": "notebook", "width": 5.6}}


def write_card(stem: str, to: Path) -> None:
    """Write a lesson's card as `to`/assets/cards/`stem`.png and `stem`_dark.png."""
    _write(to / "assets" / "cards", stem, lambda dark: _png(_card(*CARDS[stem], dark)))


def write_narrow(picture: Picture, to: Path) -> Narrow:
    """Write a picture as telephones and the gallery show it, in `to`/assets/pictures."""
    made, name = repr(picture), type(picture).__name__
    if made != repr(type(picture)()):
        name += f"-{hashed(made.encode())}"
    _write(to / PICTURES, name, partial(_narrow, made))
    return Narrow(f"{PICTURES}/{name}", *narrow_size(picture))


@functools.cache  # the gallery shows many a picture of a lesson
def _narrow(made, dark) -> bytes:
    picture: Any = picture_of(made)
    figure = picture.figure(STYLE, dark)
    figure.set_dpi(WIDTH / figure.get_figwidth())
    return _png(figure)


def _write(folder, name, drawn: Callable[[bool], bytes]) -> None:
    for dark, ending in ((False, ""), (True, "_dark")):
        write_file(folder / f"{name}{ending}.png", drawn(dark))


def _png(figure) -> bytes:
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    data = png_bytes(np.asarray(canvas.buffer_rgba()))
    drop_bitmaps(figure)
    return data


def _card(name, shown, dark) -> Figure:
    """A poster of a picture, as small as a card: its lines and words are bold there."""
    figure = load(name)().figure(dark=dark, **LOOKS.get(name, {"style": "poster"}))
    figure.set(size_inches=np.divide(CARD, DPI), dpi=DPI)
    for legend in figure.legends:
        legend.remove()
    kept = [figure.axes[number] for number in shown] or figure.axes[:]
    for axes in set(figure.axes) - set(kept):
        axes.remove()
    around = Bbox.union([axes.get_position() for axes in kept])
    for axes in kept:
        points = (axes.get_position().get_points() - around.min) / around.size
        axes.set_position(Bbox(_RIM.min + points * _RIM.size))
        axes.set_anchor("C")
        for bar in axes.child_axes:
            bar.remove()
        if axes.images:
            axes.set_aspect("auto")
        for place in ("left", "center", "right"):
            axes.set_title("", loc=place)
        axes.set(xlabel="", ylabel="", xticks=[], yticks=[])
        axes.spines[:].set_visible(False)
    return figure
