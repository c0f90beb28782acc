"""What a reader changes in a figure: words, title, legend, one panel, colours, several values."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.legend import Legend
from matplotlib.text import Text

from posviz import FourRelativeTerms, RotatingVectors, ScoreDecay, SinusoidalTable, XposDecay
from posviz.pictures.live_figure import LiveFigure
from posviz.pictures.style import Appearance, style_context
from posviz.pictures.styled_figure import StyledFigure
from posviz_tools.cli.faults import text_faults
from tests.pictures.sample import Waves

pytestmark = pytest.mark.slow("figures")


def texts(figure) -> set[str]:
    figure.draw_without_rendering()
    return {text.get_text() for text in figure.findobj(Text)} - {""}


def shown(figure) -> list:
    return [axes for axes in figure.axes if axes.get_visible()]


def test_whole_words_are_renamed_once_in_all_texts_and_ticks():
    labels = {
        "wave": "wave of 0",
        "wave 1": "last",
        "a": "first",
        "the": "eine",
        "cat": "Katze",
        "x": "Ort",
    }
    found = texts(Waves().figure(labels=labels))
    assert {"wave of 0 0", "last", "eine Katze sat", "first", "b", "Ort"} <= found
    assert not {"wave 0", "a", "x"} & found


def test_a_moving_picture_is_renamed_in_every_frame_and_never_twice():
    picture = Waves()
    live = LiveFigure(picture, Appearance(labels=(("cat", "cat and dog"),)))
    for words, renamed in {"the cat": "the cat and dog", "a cat": "a cat and dog"}.items():
        picture.words = words
        live.follow()
        picture.position += 1
        live.follow()
        assert renamed in texts(live.layers.figure)


def test_a_label_that_no_text_has_is_refused_with_all_texts():
    with pytest.raises(ValueError, match=r"no text has 'pear'\. The texts are .*'the cat sat'"):
        Waves().figure(labels={"pear": "Birne"})


def test_a_title_stands_above_and_legends_below():
    figure = RotatingVectors().figure(title="Turns")
    assert figure.get_suptitle() == "Turns"
    assert text_faults(figure) == []
    (legend,) = figure.legends
    assert legend.get_window_extent().y1 < min(axes.bbox.y0 for axes in figure.axes)
    assert RotatingVectors().figure(legend=False).findobj(Legend) == []


@pytest.mark.parametrize(
    ("number", "names"), [(2, {"shadow of k on q"}), (3, {"both move", "q alone moves"})]
)
def test_one_panel_is_alone_with_what_the_legend_says_of_it(number, names):
    figure = RotatingVectors().figure("paper", panel=number)
    (axes,) = shown(figure)
    assert axes.bbox.width > 0.5 * figure.bbox.width or number == 2  # a circle is round
    (legend,) = figure.legends
    found = {text.get_text() for text in legend.get_texts()}
    assert names <= found
    assert ("shadow of k on q" in found) == (number == 2)


def test_a_panel_keeps_its_colour_bar_and_takes_the_labels_it_shared():
    axes, bar = shown(XposDecay().figure("paper", panel=1))
    assert (axes.get_xlabel(), bar.get_label()) == ("distance (tokens)", "<colorbar>")
    assert axes.xaxis.get_tick_params()["labelbottom"]
    with pytest.raises(ValueError, match="panel = 3: it has 1 to 2"):
        SinusoidalTable().figure(panel=3)


@pytest.mark.parametrize("cmap", ["", "PuOr"])
def test_the_words_at_a_colour_bar_stay_where_its_colours_change(cmap):
    assert {"≤ −2", "≥ 2"} <= texts(FourRelativeTerms().figure(dark=not cmap, cmap=cmap))


def test_colours_and_a_colour_map_take_the_places_of_the_usual():
    figure = Waves().figure(colors=("#ff0000",), cmap="PuOr")
    assert {image.get_cmap().name for image in figure.findobj(AxesImage)} == {"PuOr"}
    figure.canvas.draw()
    pixels = np.asarray(figure.canvas.buffer_rgba())[..., :3].reshape(-1, 3)
    assert (pixels == (255, 0, 0)).all(axis=1).any()


@pytest.mark.parametrize(
    ("look", "size"),
    [
        ({"style": "paper", "width": 3.03}, (3.03, 3.03 * 2.4 / 3.3)),
        ({"style": "paper", "width": 6}, (6, 3)),  # as wide as a notebook's, and so its shape
        ({"style": "slide", "width": 3.3}, (3.3, 2.4)),
        (
            {"style": "paper", "width": 3, "multiples": {"width": (8, 64)}, "columns": 1},
            (3, 60 / 11),
        ),
        ({"style": "notebook", "multiples": {"width": (8, 64)}}, (8, 4 * 2.4 / 3.3 * 1.25)),
        ({"style": "slide", "multiples": {"width": (8, 64)}}, (40 / 3, 7.5)),
    ],
)
def test_a_figure_is_as_wide_as_is_asked_for(look, size):
    assert Waves().figure(**look).get_size_inches() == pytest.approx(size)


def test_values_stand_side_by_side_under_one_legend_and_change_nothing():
    picture = RotatingVectors()
    figure = picture.figure("paper", panel=3, multiples={"query": (3, 9)}, labels={"query": "q"})
    assert len(figure.subfigs) == 2
    assert {"q starts at: 3", "q starts at: 9"} <= texts(figure)
    assert len(figure.findobj(Legend)) == 1
    assert text_faults(figure) == []
    assert picture.query == RotatingVectors().query
    assert figure.caption.endswith(": query starts at 3, 9.")
    look = {"panel": 1, "width": 3.3, "multiples": {"base": (100, 1000)}}
    assert text_faults(SinusoidalTable().figure("paper", **look)) == []  # with fewer ticks
    in_words = SinusoidalTable().figure(multiples={"base": (1000, 10**6)})
    assert {"base: 1,000", "base: 1,000,000"} <= texts(in_words)
    with pytest.raises(TypeError, match="has no knob 'pear'"):
        picture.figure(multiples={"pear": (1, 2)})


def test_panels_in_rows_are_as_wide_and_say_once_what_their_title_is():
    look = {"panel": 1, "width": 3.5, "multiples": {"query": (3, 9, 27)}, "columns": 2}
    figure = RotatingVectors().figure("paper", **look)
    assert text_faults(figure) == []
    first, second, below = shown(figure)
    assert first.bbox.width == pytest.approx(second.bbox.width, rel=0.01)
    assert first.bbox.x0 == pytest.approx(below.bbox.x0)
    said = [text.get_text() for text in figure.findobj(Text)]
    assert said.count("both rotate") == 1


def test_the_line_in_a_file_makes_the_same_bytes_in_any_look(tmp_path):
    from PIL import Image

    look = {"style": "paper", "title": "A", "labels": {"offset": "d"}, "colors": ["red"]}
    path = ScoreDecay().save(tmp_path / "a.png", **look, multiples={"base": (100, 1000)})
    before = path.read_bytes()
    line = Image.open(path).text["Comment"].replace("a.png", str(path))
    exec(line, {})
    assert path.read_bytes() == before


@pytest.mark.parametrize("make", [lambda **size: StyledFigure("paper", False, **size), Figure])
def test_two_pictures_share_a_figure_of_ones_own(make):
    with style_context("paper"):
        figure = make(figsize=(7, 2.6), layout="constrained")
        left, right = figure.subfigures(1, 2)
        RotatingVectors().draw_into(left, "paper", panel=2)
        ScoreDecay().draw_into(right, "paper", title="Decay")
        assert text_faults(figure) == []
        assert not [artist for artist in figure.findobj() if artist.get_animated()]
        assert right.get_suptitle() == "Decay"
