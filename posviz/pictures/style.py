"""How pictures look: styles, light and dark, and the two colour maps."""

import contextlib
import functools
import threading
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib
import numpy as np
from cycler import cycler
from matplotlib import colormaps
from matplotlib.colors import ListedColormap, is_color_like
from matplotlib.font_manager import fontManager

from posviz.pictures.typefaces import check_letters, families
from posviz.wording import quoted, spelt_like

DPI = {"notebook": 100, "slide": 144, "paper": 300, "poster": 150}
SIZE = {"slide": (40 / 3, 7.5), "poster": (18.0, 12.0)}  # inches; else each picture has its own
STYLES = tuple(DPI)
# Parts of a slide that has a title of its own, in millimetres of a beamer frame of 160 × 90: the
# frame, what is below the title, and half of that. Drawn larger: 20 points, the least that
# pictures have on a slide, are a good 9 there.
SLIDE_PARTS = {"full": (160, 90), "body": (140, 66), "half": (68, 66)}
_LARGER, _MILLIMETRES, _PART_DPI = 2.2, 25.4, 144
SIGNED = "posviz_signed"  # symmetric around zero; colour-blind safe
PLAIN = "viridis"  # zero to one
ON_DARK = {SIGNED: "posviz_signed_dark", PLAIN: "posviz_plain_dark"}
HIDDEN_ON_DARK = "#33373D"  # a cell that is hidden, which recedes there
NEAR, RIM = 0.08, 0.25  # inches, on a slide: around axes, and around all of them
WIDE = 5.0  # inches: a slide, a notebook, a poster; narrower is a column of a paper
MOST_INCHES = 50
CELL, TEXT_WIDTH = 4.0, 7.0  # inches: one of several in a notebook, all of them in a paper
FLAT, HEADED = 0.75, 1.25  # height by width of a panel alone; the room of headings and a legend

_FOLDER = Path(__file__).parent / "styles"
# Figures must not depend on a matplotlibrc or on what an earlier cell changed. These few belong to
# the session (which window toolkit, which warnings), not to a style.
_SESSION = {"backend", "backend_fallback", "interactive", "toolbar", "timezone", "webagg.address"}


def _register(name, old, low, middle, high):
    """A part of a colour map, from `low` by `middle` to `high`, under a name of ours."""
    places = np.interp(np.linspace(0, 1, 256), [0, 0.5, 1], [low, middle, high])
    colormaps.register(ListedColormap(colormaps[old](places), name), force=True)


# The ends of a signed map differ in lightness: a sign is seen in one pixel, and in grey.
_register(SIGNED, "RdBu_r", 0.03, 0.5, 0.87)
_register(ON_DARK[SIGNED], "berlin", 0.1, 0.5, 1)
_register(ON_DARK[PLAIN], "viridis", 0.15, 0.55, 1)

# rcParams belong to the whole process, and JupyterLab lets widget messages run in a thread of their
# own while a cell is busy: hold this lock to draw.
drawing = threading.RLock()


class Appearance(NamedTuple):
    """How a figure looks: what `Picture.figure` and `save` take, and `posviz export`.

    layout: of a slide, the part that the figure fills. font: an installed one. colors: instead of
    the first ones of the palette; cmap: instead of the colour maps. width: inches, 0 for the
    style's own. caption: instead of the picture's own. labels: words of the figure and their
    replacements. panel: the one that is
    shown, from 1; 0 for all. multiples: a knob, and its values side by side; columns: as many of
    them in a row, 0 for all. transparent: without a background.
    """

    style: str = "notebook"
    dark: bool = False
    layout: str = ""
    font: str = ""
    colors: tuple[str, ...] = ()
    cmap: str = ""
    width: float = 0.0
    title: str = ""
    caption: str = ""
    labels: tuple[tuple[str, str], ...] = ()
    legend: bool = True
    panel: int = 0
    multiples: tuple = ()
    columns: int = 0
    transparent: bool = False

    @property
    def theme(self) -> tuple:
        """What `style_context` takes."""
        return self.style, self.dark, self.font, self.colors

    @property
    def is_narrow(self) -> bool:
        """Whether the picture has other proportions than it was made for."""
        return bool(self.width or self.panel or self.layout or self.multiples)

    @property
    def pad(self) -> float | None:
        """The room around axes, in inches, where it is not the style's."""
        return NEAR if self.style == "slide" else None

    @property
    def rim(self) -> float:
        """The room around all, in inches, beyond that around axes."""
        is_whole = self.style == "slide" and self.layout not in ("body", "half")
        return RIM - NEAR if is_whole else 0.0

    @property
    def dpi(self) -> int:
        """Pixels an inch."""
        return _PART_DPI if self.layout else DPI[self.style]

    @property
    def grid(self) -> tuple[int, int]:
        """Rows and columns of the several values."""
        count = len(self.multiples[1]) if self.multiples else 1
        columns = min(self.columns or count, count)
        return -(-count // columns), columns

    def inches(self, own: dict[str, tuple[float, float]]) -> tuple[float, float]:
        """Width and height; `own` has those that each picture chooses for some styles."""
        if self.layout:
            width, height = SLIDE_PARTS[self.layout]
            return width * _LARGER / _MILLIMETRES, height * _LARGER / _MILLIMETRES
        if self.style in SIZE and not self.width:
            return SIZE[self.style]
        rows, columns = self.grid
        count = rows * columns
        usual = {"notebook": CELL * columns, "paper": TEXT_WIDTH} if count > 1 else {}
        across = self.width or usual.get(self.style) or own[self.style][0]
        is_other = bool(self.width or usual)
        shape = ("notebook" if across / columns > WIDE else "paper") if is_other else self.style
        ratio = own[shape][1] / own[shape][0]
        if self.panel:
            ratio = min(ratio, FLAT)
        return across, rows * ratio * across / columns * (HEADED if count > 1 else 1)

    def arguments(self) -> dict[str, Any]:
        """What differs from the defaults, and the style, by name."""
        default = Appearance()._asdict() | {"style": ""}
        return {name: value for name, value in self._asdict().items() if value != default[name]}


def appearance(
    style: str = "notebook",
    dark: bool = False,
    *,
    labels: Mapping[str, str] | Iterable[tuple[str, str]] = (),
    multiples: Mapping[str, Iterable] | Iterable = (),
    colors: Iterable[str] = (),
    **options: Any,
) -> Appearance:
    """The appearance of these arguments; ValueError for what is unknown or does not fit."""
    pairs = labels.items() if isinstance(labels, Mapping) else labels
    if isinstance(multiples, Mapping):
        [multiples] = multiples.items()
    knob, values = multiples or ("", ())
    look = Appearance(
        style,
        dark,
        labels=tuple((str(old), str(new)) for old, new in pairs),
        multiples=(knob, tuple(values)) if knob else (),
        colors=tuple(colors),
        **options,
    )
    if style not in STYLES:
        raise ValueError(f"style = {quoted(style)} is unknown: choose one of {', '.join(STYLES)}.")
    if look.layout and (look.layout not in SLIDE_PARTS or style != "slide"):
        wanted = f"layout = {quoted(look.layout)} with style = {quoted(style)}"
        raise ValueError(f"{wanted}: style slide has one of {', '.join(SLIDE_PARTS)}.")
    if look.width and (look.layout or not 1 <= look.width <= MOST_INCHES):
        what = "a layout has its own" if look.layout else f"choose 1 to {MOST_INCHES} inches"
        raise ValueError(f"width = {look.width:g} in: {what}.")
    for color in filter(lambda color: not is_color_like(color), look.colors):
        raise ValueError(f"color {quoted(color)} is unknown: write one as #0072B2 or navy.")
    _check_known("cmap", look.cmap, colormaps, "cividis, PuOr, viridis", "colormaps")
    installed = {known.name for known in fontManager.ttflist}
    some = "DejaVu Sans, DejaVu Serif, STIXGeneral"
    _check_known("font", look.font, installed, some, "font_manager.get_font_names()")
    check_letters(" ".join([look.title, *(new for _, new in look.labels)]), look.font)
    return look


def _check_known(what, name, known, some, listed):
    """Raise ValueError for an unknown name: with a similar one, or with some and who lists all."""
    if name and name not in known:
        near = "".join(f"did you mean {each}?" for each in spelt_like(name, known))
        there = f"there are {some} and others: matplotlib.{listed} lists all."
        raise ValueError(f"{what} = {quoted(name)} is not installed: {near or there}")


@functools.cache
def parameters(style: str, dark: bool, font: str = "", colors: tuple[str, ...] = ()) -> dict:
    """Every rcParam of a style: matplotlib's defaults, ours, the style's own, the dark colours.

    font and colors as in `Appearance`. Raises ValueError for an unknown style.
    """
    appearance(style)
    rc = {k: v for k, v in matplotlib.rcParamsDefault.items() if k not in _SESSION}
    for name in ("base", style, *(["dark"] if dark else [])):
        file = _FOLDER / f"{name}.mplstyle"
        rc |= matplotlib.rc_params_from_file(file, use_default_template=False)
    rc["font.family"] = families(font)
    palette = rc["axes.prop_cycle"].by_key()["color"]
    rc["axes.prop_cycle"] = cycler("color", [*colors, *palette[len(colors) :]])
    return rc


@contextlib.contextmanager
def style_context(
    style: str = "notebook", dark: bool = False, font: str = "", colors: tuple[str, ...] = ()
) -> Iterator[None]:
    """Draw in a style, one thread at a time; what was set before comes back afterwards.

    matplotlib's rc_context checks every value again, which takes longer than drawing many a frame.
    """
    with drawing:
        rc, ours = matplotlib.rcParams, parameters(style, dark, font, colors)
        # As a dict: RcParams' own way to read 300 values takes longer than drawing some frames.
        now = dict.items(rc)
        before = {name: old for name, old in now if name in ours and old is not ours[name]}
        try:
            for name in before:
                rc._set(name, ours[name])
            yield
        finally:
            for name, value in before.items():
                rc._set(name, value)
