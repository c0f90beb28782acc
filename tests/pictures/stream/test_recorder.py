"""The recorder: what it writes down, replayed, is what Agg draws; what it cannot, it refuses."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Rectangle

from posviz.pictures.stream.frames import Frames
from posviz.pictures.stream.layers import FigureLayers
from posviz.pictures.stream.recorder import Recorder, Unfaithful
from posviz.pictures.style import style_context
from tests.pictures.every_kind import EveryKind
from tests.pictures.stream.artist_cases import CASES
from tests.pictures.stream.replay import Scene, replayed, white
from tests.pictures.stream.test_layers import differing, full_draw

pytestmark = pytest.mark.slow("figures")

REFUSED = {"pcolormesh": "Unfaithful: not antialiased"}


def agree(pixels, wanted, letters=0):
    """Whether no pixel differs by more than rounding; letters may lie a 64th of a pixel off."""
    levels = np.abs(pixels.astype(int) - wanted).max(axis=-1)
    return (levels > 4).sum() <= letters and levels.max() <= 8


@pytest.mark.slow("draws thirty figures six times")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.make.__name__)
def test_every_kind_of_artist_is_replayed_or_refused(case):
    """And its pixels, taken in the other way, are those of a full draw."""
    (figure, move), (twin, move_twin) = case.build(), case.build()
    name = case.make.__name__
    figure.set_dpi(133.3)
    twin.set_dpi(133.3)
    layers, frames, scene = FigureLayers(figure), Frames(), Scene()
    seen = []
    for redraws in (True, *case.redraws):
        if seen:
            move()
            move_twin()
        assert layers.paint() is redraws
        scene.take(*frames.next(layers))
        seen.append(scene.pixels())
        wanted = full_draw(twin)
        assert agree(seen[-1], wanted)
        assert differing(layers.pixels(), wanted) == 0
    assert layers.only_pixels == REFUSED.get(name, "")
    assert not np.array_equal(seen[0], seen[1])


def test_picture_of_every_kind_is_replayed():
    picture = EveryKind()
    figure, artists = picture.build()
    figure.set_dpi(110)
    layers, frames, scene = FigureLayers(figure), Frames(), Scene()
    for position in (5, 20):
        picture.position = position
        with style_context():
            picture.update(artists, picture.compute())
        layers.paint()
        scene.take(*frames.next(layers))
        wanted = picture.figure()
        wanted.set_dpi(110)
        assert agree(scene.pixels(), full_draw(wanted), letters=100)
    assert layers.only_pixels == ""


def page(size=(3, 2)):
    """A bare figure, and axes that fill it."""
    figure = Figure(figsize=size, dpi=100)
    FigureCanvasAgg(figure)
    axes = figure.add_axes([0.1, 0.1, 0.8, 0.8], xlim=(0, 1), ylim=(0, 1))
    axes.set_axis_off()
    return figure, axes


def replay_of(artist):
    """The artist alone on an empty page, replayed."""
    figure = artist.get_figure(root=True)
    return replayed(Recorder(figure.canvas.get_renderer()).record(artist), white(figure))


def drawn(figure):
    """The figure's pixels as Agg draws them."""
    figure.canvas.draw()
    return np.asarray(figure.canvas.buffer_rgba())


COLOURS = st.sampled_from(["k", "C1", (0.2, 0.4, 1, 0.3), "none"])
PLACES = st.integers(-499, 1499).map(lambda number: number / 1000)
POINTS = st.lists(
    st.tuples(PLACES, PLACES) | st.just((np.nan, 0.5)),
    min_size=2,
    max_size=12,
)
LINES = st.fixed_dictionaries(
    {
        "color": COLOURS,
        "alpha": st.sampled_from([None, 0.4]),
        "linewidth": st.sampled_from([0, 0.3, 1, 4.5]),
        "linestyle": st.sampled_from(["-", "--", ":", "-.", (3, (4, 1, 0.5, 2)), "None"]),
        "dash_capstyle": st.sampled_from(["butt", "round", "projecting"]),
        "solid_capstyle": st.sampled_from(["butt", "round", "projecting"]),
        "solid_joinstyle": st.sampled_from(["miter", "round", "bevel"]),
        "dash_joinstyle": st.sampled_from(["miter", "round", "bevel"]),
        "marker": st.sampled_from(["None", "o", "s", "x", "*", ",", ".", "$a$", "h", (3, 0, 10)]),
        "markersize": st.sampled_from([4, 6, 13]),
        "markerfacecolor": COLOURS,
        "markeredgecolor": COLOURS,
        "markeredgewidth": st.sampled_from([0, 1, 2.5]),
        "snap": st.sampled_from([None, True, False]),
        "clip_on": st.booleans(),
        "drawstyle": st.sampled_from(["default", "steps-mid"]),
    }
)


@settings(max_examples=30, deadline=None)
@given(POINTS, LINES, st.booleans())
def test_line_in_any_style_is_replayed(points, style, sketched):
    figure, axes = page()
    [line] = axes.plot(*zip(*points, strict=True), **style)
    if sketched:
        line.set_sketch_params(2, 30, 3)
    assert agree(replay_of(line), drawn(figure))


def test_what_float32_cannot_tell_is_left_to_pixels():
    _, axes = page()
    [area] = axes.fill([0, 1e40, 1], [0, 1, 1e40])
    with pytest.raises(Unfaithful):
        replay_of(area)


PATCHES = st.fixed_dictionaries(
    {
        "facecolor": COLOURS,
        "edgecolor": COLOURS,
        "alpha": st.sampled_from([None, 0.4]),
        "linewidth": st.sampled_from([0, 0.3, 1, 4.5]),
        "linestyle": st.sampled_from(["-", "--", ":"]),
        "joinstyle": st.sampled_from(["miter", "round", "bevel"]),
        "capstyle": st.sampled_from(["butt", "round", "projecting"]),
        "snap": st.sampled_from([None, True, False]),
        "clip_on": st.booleans(),
    }
)


@settings(max_examples=30, deadline=None)
@given(PLACES, PLACES, st.booleans(), PATCHES, st.booleans())
def test_shape_in_any_style_is_replayed(x, y, is_round, style, cut):
    figure, axes = page()
    shape = Circle((x, y), 0.3) if is_round else Rectangle((x, y), 0.4, 0.3)
    shape.set(**style)
    axes.add_patch(shape)
    if cut:
        shape.set_clip_path(Circle((0.5, 0.5), 0.4, transform=axes.transData))
    assert agree(replay_of(shape), drawn(figure))


WORDS = ("moving", "Äg|—θ₁\ntwo lines", r"$\frac{a_1}{b^2}$", " ", "")


@pytest.mark.parametrize("angle", [0, 30, 200])
@pytest.mark.parametrize("words", WORDS)
def test_text_at_any_angle_is_replayed(words, angle):
    figure, axes = page()
    for place in (0.3, 0.5017):
        text = axes.text(place, 0.4, words, rotation=angle, color="C1", alpha=0.7, size=11.3)
        assert agree(replay_of(text), drawn(figure), letters=60)
        text.remove()


def test_after_a_refusal_the_next_recording_begins_anew():
    _, axes = page()
    hatched = axes.add_patch(Rectangle((0, 0), 1, 1, hatch="/"))
    [line] = axes.plot([0, 1], [0, 1], marker="o")
    recorder = Recorder(axes.figure.canvas.get_renderer())
    first = recorder.record(line)
    with pytest.raises(Unfaithful, match="hatched"):
        recorder.record(hatched)
    assert recorder.record(line) == first


def test_a_recording_holds_nothing_but_numbers_from_the_upper_left():
    figure, axes = page()
    axes.set_position([0, 0, 1, 1])
    [line] = axes.plot([0.25, 0.75], [0.9, 0.4], lw=7.2, color=(0, 0.2, 1, 0.4), clip_on=False)
    line.set_solid_capstyle("butt")
    recording = Recorder(figure.canvas.get_renderer()).record(line)
    [(kind, style, first, count)] = recording.calls
    assert (kind, first, count) == ("path", 0, 2)
    stroke = {"stroke": "#0033ff66", "width": pytest.approx(10), "cap": "butt", "join": "round"}
    assert style == stroke
    rows = np.frombuffer(recording.vertices, np.float32).reshape(-1, 3)
    assert rows == pytest.approx(np.array([[1, 75, 20], [2, 225, 120]]), abs=0.5)
