"""Styles that depend on nothing outside posviz, legible, and safe for the colour-blind."""

import matplotlib
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb

from posviz.pictures.style import (
    DPI,
    ON_DARK,
    PLAIN,
    SIGNED,
    SLIDE_PARTS,
    STYLES,
    appearance,
    parameters,
    style_context,
)
from posviz.pictures.styled_figure import StyledFigure
from tests.colour_vision import EVERYONE, KINDS, least_distance, seen

OKABE_ITO = {"000000", "E69F00", "56B4E9", "009E73", "F0E442", "0072B2", "D55E00", "CC79A7"}
SIZES = ("font.size", "axes.labelsize", "axes.titlesize", "xtick.labelsize", "legend.fontsize")
BOTH = [(style, dark) for style in STYLES for dark in (False, True)]


def luminance(colour) -> float:
    """Relative luminance of a colour (WCAG 2.2), 0 for black and 1 for white."""
    channels = np.array(to_rgb(colour))
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def contrast(colour, other) -> float:
    """Contrast of two colours (WCAG 2.2), 1 for none and 21 for black on white."""
    low, high = sorted((luminance(colour), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def palette(dark) -> list[str]:
    return parameters("notebook", dark)["axes.prop_cycle"].by_key()["color"]


@pytest.mark.parametrize(("style", "dark"), BOTH)
def test_a_style_sets_everything_but_the_sessions_own(style, dark):
    with matplotlib.rc_context({"lines.linewidth": 99, "axes.grid": True}):
        rc = parameters(style, dark)
        with style_context(style, dark):
            assert matplotlib.rcParams["lines.linewidth"] != 99
            assert not matplotlib.rcParams["axes.grid"]
    left = set(matplotlib.rcParams) - set(rc)
    session = ("backend", "interactive", "toolbar", "timezone", "webagg")
    assert [name for name in left if not name.startswith(session)] == []


@pytest.mark.parametrize("dark", [False, True])
def test_a_slide_is_legible_from_the_last_row(dark):
    rc = parameters("slide", dark)
    assert min(rc[name] for name in SIZES if not isinstance(rc[name], str)) >= 20
    assert DPI["slide"] * np.array([40 / 3, 7.5]) == pytest.approx([1920, 1080])


@pytest.mark.parametrize("layout", SLIDE_PARTS)
def test_letters_have_nine_points_on_a_frame_of_beamer(layout):
    """Its frame of 16:9 is 160 mm wide, with text 140 mm wide; there the figure is that wide."""
    millimetres = {"full": (160, 90), "body": (140, 66), "half": (68, 66)}[layout]
    look = appearance("slide", layout=layout)
    width, height = look.inches({})
    assert width / height == pytest.approx(millimetres[0] / millimetres[1])
    rc = parameters(*look.theme)
    least = min(rc[name] for name in SIZES if not isinstance(rc[name], str))
    assert least * millimetres[0] / (25.4 * width) >= 9


@pytest.mark.parametrize(
    ("named", "told"),
    [
        ({"style": "wall"}, "style = 'wall' is unknown: choose one of notebook, slide"),
        ({"style": "paper", "layout": "half"}, "'half' with style = 'paper': style slide has one"),
        (
            {"font": "DejaVu Seriff"},
            r"Seriff' is not installed: did you mean DejaVu Serif\?",
        ),
        ({"font": "Nope"}, r"others: matplotlib.font_manager.get_font_names\(\) lists all\.$"),
        ({"cmap": "viridos"}, r"cmap = 'viridos' is not installed: did you mean viridis\?$"),
        ({"colors": ["navy", "nvy"]}, "color 'nvy' is unknown: write one as #0072B2 or navy"),
        ({"width": 51}, "width = 51 in: choose 1 to 50 inches"),
        ({"style": "slide", "layout": "half", "width": 3}, "width = 3 in: a layout has its own"),
    ],
)
def test_an_unknown_appearance_is_told_with_what_there_is(named, told):
    with pytest.raises(ValueError, match=told):
        appearance(**named)


@pytest.mark.parametrize(("style", "dark"), BOTH)
def test_text_stands_out_from_its_background(style, dark):
    rc = parameters(style, dark)
    background = rc["axes.facecolor"]
    assert to_rgb(background) == to_rgb(rc["figure.facecolor"])
    for name in ("text.color", "axes.labelcolor", "xtick.color", "ytick.color", "axes.edgecolor"):
        assert contrast(rc[name], background) >= 7, name


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dark", [False, True])
def test_no_two_colours_are_nearer_than_okabe_and_itos_are(dark, kind):
    """They chose their colours for every kind of colour vision; what is added must not spoil it."""
    published = min(least_distance([f"#{color}" for color in OKABE_ITO], k) for k in KINDS)
    assert published == pytest.approx(11.0, abs=0.1)  # pink and orange, tritanopia
    assert least_distance([*palette(dark), parameters("notebook", dark)["text.color"]], kind) >= (
        published - 1e-9
    )


@pytest.mark.parametrize("kind", EVERYONE)
@pytest.mark.parametrize("dark", [False, True])
def test_every_colour_is_far_from_its_background(dark, kind):
    background = parameters("notebook", dark)["axes.facecolor"]
    assert min(least_distance([color, background], kind) for color in palette(dark)) > 30


@pytest.mark.parametrize("dark", [False, True])
def test_a_figure_keeps_its_style_wherever_it_is_drawn(dark):
    figure = StyledFigure("notebook", dark, figsize=(2, 1), dpi=50)
    FigureCanvasAgg(figure)
    figure.add_subplot().plot([0, 1], color="C1", linewidth=9)
    figure.canvas.draw()
    drawn = np.asarray(figure.canvas.buffer_rgba())[..., :3].reshape(-1, 3)
    wanted = np.round(255 * np.array(to_rgb(palette(dark)[1])))
    assert (drawn == wanted).all(axis=1).any()


@pytest.mark.parametrize("kind", EVERYONE)
def test_signed_and_plain_maps_are_read_by_everyone(kind):
    steps = np.linspace(0, 1, 101)
    dark = [seen(matplotlib.colormaps[ON_DARK[name]](steps)[:, :3], kind) for name in ON_DARK]
    assert dark[0][:, 0].argmin() == pytest.approx(50, abs=3)  # on a dark page zero recedes
    assert np.all(np.diff(dark[1][:, 0]) > 0)
    signed, plain = (
        seen(matplotlib.colormaps[name](steps)[:, :3], kind) for name in (SIGNED, PLAIN)
    )
    lightness = signed[:, 0]
    assert np.all(np.diff(lightness[:51]) > 0)  # brightest at zero, darker to both sides
    assert np.all(np.diff(lightness[50:]) < 0)
    # A sign is seen in grey, too, but for who sees red darker.
    assert lightness[-1] - lightness[0] > (5 if kind == "protanomaly" else 15)
    halves = np.linalg.norm(signed - signed[::-1], axis=1)
    assert halves[[0, 25]].min() > 20  # minus one is not plus one, nor a half its opposite
    assert np.all(np.diff(plain[:, 0]) > 0)
