"""How pictures look: styles, light and dark, and the two colour maps."""

import functools
from pathlib import Path

import matplotlib

STYLES = ("notebook", "slide", "paper")
SIGNED = "RdBu_r"  # symmetric around zero; colour-blind safe
PLAIN = "viridis"  # zero to one
DPI = {"notebook": 100, "slide": 144, "paper": 300}

_FOLDER = Path(__file__).parent / "styles"
# Figures must not depend on a matplotlibrc or on what an earlier cell changed. These few belong to
# the session (which window toolkit, which warnings), not to the looks.
_SESSION = {"backend", "backend_fallback", "interactive", "toolbar", "timezone", "webagg.address"}


@functools.cache
def parameters(style: str, dark: bool) -> dict:
    """Every rcParam of a style: matplotlib's defaults, ours, the style's own, the dark colours.

    Raises ValueError for an unknown style.
    """
    if style not in STYLES:
        raise ValueError(f"style = {style!r} is unknown: choose one of {', '.join(STYLES)}.")
    rc = {k: v for k, v in matplotlib.rcParamsDefault.items() if k not in _SESSION}
    for name in ["base", style] + ["dark"] * dark:
        file = _FOLDER / f"{name}.mplstyle"
        rc |= matplotlib.rc_params_from_file(file, use_default_template=False)
    return rc


def style_context(style: str = "notebook", dark: bool = False):
    """Draw in a style; what was set before comes back afterwards."""
    return matplotlib.rc_context(parameters(style, dark))
