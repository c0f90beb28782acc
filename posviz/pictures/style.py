"""How pictures look: styles, light and dark, and the two colour maps."""

import contextlib
import functools
import threading
from collections.abc import Iterator
from pathlib import Path

import matplotlib
from matplotlib.font_manager import fontManager

from posviz.wording import quoted, spelt_like

DPI = {"notebook": 100, "slide": 144, "paper": 300, "poster": 150}
SIZE = {"slide": (40 / 3, 7.5), "poster": (18.0, 12.0)}  # inches; else each picture has its own
STYLES = tuple(DPI)
# Parts of a slide that has a title of its own, in millimetres of a beamer frame of 160 × 90: the
# frame, what is below the title, and half of that. Drawn larger: 15 points, the least that
# pictures have on a slide, are a good 9 there.
LAYOUTS = {"full": (160, 90), "body": (140, 66), "half": (68, 66)}
_LARGER, _MILLIMETRES, _LAYOUT_DPI = 1.65, 25.4, 192
SIGNED = "RdBu_r"  # symmetric around zero; colour-blind safe
PLAIN = "viridis"  # zero to one

# Behind DejaVu Sans, for sentences that readers type; those that are installed are used.
_OTHER_SCRIPTS = (
    "Noto Sans CJK SC",
    "Source Han Sans SC",
    "PingFang SC",
    "Hiragino Sans GB",
    "Microsoft YaHei",
    "WenQuanYi Micro Hei",
)

_FOLDER = Path(__file__).parent / "styles"
# Figures must not depend on a matplotlibrc or on what an earlier cell changed. These few belong to
# the session (which window toolkit, which warnings), not to a style.
_SESSION = {"backend", "backend_fallback", "interactive", "toolbar", "timezone", "webagg.address"}


# rcParams belong to the whole process, and JupyterLab lets widget messages run in a thread of their
# own while a cell is busy: hold this lock to draw.
drawing = threading.RLock()


def styled(style: str, layout: str = "", font: str = "") -> str:
    """A style for a part of a slide or in another font, as one name: "slide/half/STIXGeneral".

    Raises ValueError for an unknown style, layout or font, and for a layout of no slide.
    """
    if style not in STYLES:
        raise ValueError(f"style = {quoted(style)} is unknown: choose one of {', '.join(STYLES)}.")
    if layout and (layout not in LAYOUTS or style != "slide"):
        said = f"layout = {quoted(layout)} with style = {quoted(style)}"
        raise ValueError(f"{said}: style slide has one of {', '.join(LAYOUTS)}.")
    installed = sorted({known.name for known in fontManager.ttflist})
    if font and font not in installed:
        near = spelt_like(font, installed) or ["DejaVu Sans", "DejaVu Serif", "STIXGeneral"]
        raise ValueError(f"font = {quoted(font)} is not installed: there are {', '.join(near)}.")
    return "/".join((style, layout, font)).rstrip("/")


def dpi(style: str) -> int:
    """Pixels an inch of a style's figures."""
    base, layout, _ = parts(style)
    return _LAYOUT_DPI if layout else DPI[base]


def inches(style: str, own: dict[str, tuple[float, float]]) -> tuple[float, float]:
    """Width and height of a style's figures; `own` has those that each picture chooses."""
    base, layout, _ = parts(style)
    if layout:
        width, height = LAYOUTS[layout]
        return width * _LARGER / _MILLIMETRES, height * _LARGER / _MILLIMETRES
    return (own | SIZE)[base]


def parts(style: str) -> list[str]:
    """Style, layout and font of what `styled` has named."""
    return [*style.split("/"), "", ""][:3]


@functools.cache
def parameters(style: str, dark: bool) -> dict:
    """Every rcParam of a style: matplotlib's defaults, ours, the style's own, the dark colours.

    Raises ValueError for an unknown style.
    """
    base, layout, font = parts(style)
    styled(base, layout, font)
    rc = {k: v for k, v in matplotlib.rcParamsDefault.items() if k not in _SESSION}
    for name in ["base", base] + ["dark"] * dark:
        file = _FOLDER / f"{name}.mplstyle"
        rc |= matplotlib.rc_params_from_file(file, use_default_template=False)
    installed = {font.name for font in fontManager.ttflist}
    rc["font.family"] = [
        *filter(None, [font]),
        "DejaVu Sans",
        *(f for f in _OTHER_SCRIPTS if f in installed),
    ]
    return rc


@contextlib.contextmanager
def style_context(style: str = "notebook", dark: bool = False) -> Iterator[None]:
    """Draw in a style, one thread at a time; what was set before comes back afterwards.

    matplotlib's rc_context checks every value again, which takes longer than drawing many a frame.
    """
    with drawing:
        rc, ours = matplotlib.rcParams, parameters(style, dark)
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
