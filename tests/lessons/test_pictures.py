"""Every picture of the course, whichever there are: its knobs' ends, its pixels and its words."""

import re
from pathlib import Path

import numpy as np
import pytest
import traitlets
from allpairspy import AllPairs
from matplotlib.artist import Artist
from matplotlib.figure import Figure

import posviz_course.lessons
from posviz.pictures import knobs
from posviz.pictures.faults import LEAST_POINTS, text_faults
from posviz.pictures.picture import Picture
from posviz.pictures.style import Appearance, style_context
from tests.pictures.stream.replay import Wire, fresh_pixels

NAMES = posviz_course.lessons.names()
TEXTS = ["", "one", "$x_$ \\frac{", "<script>a\0b\tc\n", "i " * 500, "W" * 500]

pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture(params=NAMES)
def picture(request) -> Picture:
    """Each picture in turn, as it is without any setting."""
    return posviz_course.lessons.load(request.param)()


# ---------------------------------------------------------------- settings


def ends(knob) -> list:
    """The values at the ends of a knob, and more texts than `posviz proof` tries."""
    return TEXTS if isinstance(knob, knobs.TypedText) else knob.ends()


def extremes(picture) -> list[dict]:
    """The default, each knob at its ends, and all knobs at their first or last end together."""
    default, ranges = picture.values(), {name: ends(knob) for name, knob in picture.knobs().items()}
    alone = [default | {name: value} for name, values in ranges.items() for value in values]
    together = [{name: values[end] for name, values in ranges.items()} for end in (0, -1)]
    return [default, *alone, *together]


def random_value(knob, rng):
    """A value from the whole of a knob's range."""
    if isinstance(knob, knobs.Log | knobs.LogInteger):
        value = 10 ** rng.uniform(np.log10(knob.low), np.log10(knob.high))
        return round(value) if isinstance(knob, knobs.Integer) else value
    if isinstance(knob, knobs.Real):
        return rng.uniform(knob.low, knob.high)
    if isinstance(knob, knobs.Integer):
        return rng.integers(knob.low // knob.step, knob.high // knob.step + 1) * knob.step
    values = ends(knob)
    return values[rng.integers(len(values))]


def pairs(picture, rng) -> list[dict]:
    """Settings in which any two knobs meet at all their ends, defaults and a value in between.

    Those with the same artists stand together, to save time.
    """
    default = picture.values()
    values = {
        name: list(dict.fromkeys([default[name], *ends(knob), random_value(knob, rng)]))
        for name, knob in picture.knobs().items()
    }
    rows = (
        AllPairs(list(values.values())) if len(values) > 1 else zip(*values.values(), strict=True)
    )
    settings = [dict(zip(values, row, strict=True)) for row in rows]
    return sorted(settings, key=lambda setting: repr(redraw_values(picture, setting)))


def walk(picture) -> list[tuple[str, dict]]:
    """All knobs at one end, then one after the other to its other end; each with the knob's name.

    Of many options it takes three.
    """
    values = {name: spread(ends(knob)) for name, knob in picture.knobs().items()}
    setting = {name: first for name, (first, *_) in values.items()}
    steps = [("", setting)]
    for name, (_, *others) in values.items():
        for value in others:
            setting = setting | {name: value}
            steps.append((name, setting))
    return steps


def spread(values, most=2) -> list:
    """As many of the values, the first and the last among them."""
    places = np.linspace(0, len(values) - 1, min(most, len(values)))
    return [values[round(place)] for place in places]


def random_settings(picture, count, seed=0) -> list[dict]:
    """Settings in eight runs; within a run no knob that makes new artists changes, to save time."""
    rng, settings = np.random.default_rng([seed, *type(picture).__name__.encode()]), []
    for i in range(count):
        setting = {name: random_value(knob, rng) for name, knob in picture.knobs().items()}
        if i % max(count // 8, 1):
            kept = [name for name, knob in picture.knobs().items() if knob.redraw]
            setting |= {name: settings[-1][name] for name in kept}
        settings.append(setting)
    return settings


def set_knobs(picture, setting):
    """Set all knobs of a picture together."""
    with picture.hold_trait_notifications():
        for name, value in setting.items():
            setattr(picture, name, value)


def redraw_values(picture, setting) -> list:
    """The values that decide which artists there are."""
    return [value for name, value in setting.items() if picture.knobs()[name].redraw]


def moved_figures(picture, settings, style, dark):
    """Yield (setting, figure) for each setting; a figure is moved as long as its artists will do.

    That moving it gives what a fresh figure shows is another test's business.
    """
    artists, made_for = None, None
    for setting in settings:
        set_knobs(picture, setting)
        if artists is None or made_for != redraw_values(picture, picture.values()):
            figure, artists = picture.build(Appearance(style, dark))
            made_for = redraw_values(picture, picture.values())
            rest(figure)
        with style_context(style, dark):
            picture.update(artists, picture.compute())
            yield setting, figure


def rest(figure) -> list:
    """Make what moves a part of every draw; return it."""
    moving = figure.findobj(Artist.get_animated)
    for artist in moving:
        artist.set_animated(False)
    return moving


# ---------------------------------------------------------------- declarations


def test_pictures_are_found():
    files = Path(posviz_course.lessons.__file__).parent.glob("*/*.py")
    modules = {f"posviz_course.lessons.{file.parent.name}.{file.stem}" for file in files}
    named = {
        module
        for module in modules
        if (stem := module.split(".")[-1])[0] != "_" and stem not in posviz_course.lessons.OTHERS
    }
    assert set(NAMES.values()) == named
    assert NAMES


def test_a_picture_describes_itself(picture):
    title = type(picture).title()
    assert type(picture).__doc__
    assert 0 < len(title) <= 100
    assert title[0] == title[0].upper()
    assert min(*picture.size, *picture.paper_size) > 1
    assert picture.paper_size[0] == 3.3


def test_default_values_are_allowed_and_ranges_make_sense(picture):
    for name, knob in picture.knobs().items():
        default = getattr(picture, name)
        assert knob.validate(picture, default) == default, name
        if hasattr(knob, "low"):
            assert knob.low < knob.high, name
            assert 0 < knob.step <= knob.high - knob.low, name
            assert {knob.validate(picture, end) for end in ends(knob)} == {knob.low, knob.high}
            assert knob.values[-1] == knob.high, name
        else:
            assert len(set(knob.options)) == len(knob.options), name
    labels = [knob.label for knob in picture.knobs().values()]
    assert len(set(labels)) == len(labels) > 0


# ---------------------------------------------------------------- settings and pixels


@pytest.mark.slow("a second for each picture")
def test_a_figure_moved_from_end_to_end_is_right(picture):
    """As a browser sees it that got every frame, and as Agg draws it anew; each knob moves it."""
    wire, moved, kept, faults = Wire(picture), set(), 0, {}
    for name, setting in walk(picture):
        set_knobs(picture, setting)
        wire.live.follow()
        assert is_one_line(wire.live.caption), (wire.live.caption, setting)
        sent = wire.send()  # as draw calls, or it fails
        moved |= {name} if sent.whole or sent.moved else set()
        kept += 0 if sent.whole else 1
        if found := live_text_faults(wire.live.layers.figure):
            faults[str(changed(setting, picture))] = found
    assert_shows_what_a_fresh_figure_would(wire)
    assert faults == {}
    assert kept or len(picture.knobs()) == 1, "every change draws the background anew"
    for name in picture.knobs().keys() - moved:
        assert moves_elsewhere(wire, name), name
    checked = set()
    for name, setting in limited(picture):
        if name not in checked:
            checked.add(name)
            assert_changes_nothing(wire, name, setting)


@pytest.mark.release("every pair of ends, and 200 settings at random")
def test_every_setting_shows_what_a_fresh_figure_would(picture, rng):
    wire = Wire(picture)
    settings = extremes(picture) + pairs(picture, rng)
    settings += random_settings(picture, 200, rng.integers(10**6))
    compared = {len(settings) * part // 4 for part in (1, 2, 3, 4)}
    faults = {}
    for number, setting in enumerate(settings, start=1):
        set_knobs(picture, setting)
        wire.live.follow()
        assert is_one_line(wire.live.caption), (wire.live.caption, setting)
        assert blind(picture, allowed=set()).caption(picture.compute()) == wire.live.caption
        wire.send()
        if found := live_text_faults(wire.live.layers.figure):
            faults[str(changed(setting, picture))] = found
        if number in compared:
            assert_shows_what_a_fresh_figure_would(wire)
    assert faults == {}
    for name, setting in limited(picture):
        assert_changes_nothing(wire, name, setting)


def assert_shows_what_a_fresh_figure_would(wire):
    wanted, setting = fresh_pixels(wire.picture), wire.picture.values()
    assert wire.is_right(wanted), setting
    differing = np.any(wire.live.layers.pixels() != wanted, axis=-1)
    assert differing.sum() == 0, f"{differing.sum()} pixels differ at {setting}"


def live_text_faults(figure) -> list[str]:
    """What is wrong with the texts of a figure that goes on moving."""
    stale, moving = figure.stale, rest(figure)
    found = text_faults(figure)
    for artist in moving:
        artist.set_animated(True)
        artist.stale = True  # that draw was not the one that is shown
    figure.stale = stale
    return found


def changed(setting, picture) -> dict:
    """What a setting changes."""
    default = type(picture)().values()
    return {name: value for name, value in setting.items() if value != default[name]}


def is_one_line(caption) -> bool:
    return bool(caption.strip()) and caption == caption.strip() and "\n" not in caption


def moves_elsewhere(wire, name) -> bool:
    """Whether a knob changes what is shown where another one has another end, or at the default."""
    picture = wire.picture
    default, values = type(picture)().values(), ends(picture.knobs()[name])
    others = [default | {other: end} for other in default for end in ends(picture.knobs()[other])]
    looks = (
        {shown(wire, setting), *(shown(wire, setting | {name: value}) for value in values)}
        for setting in [default, *others]
    )
    return isinstance(picture.knobs()[name], knobs.Device) or any(len(look) > 1 for look in looks)


def shown(wire, setting) -> int:
    """What is seen at a setting, as one number."""
    set_knobs(wire.picture, setting)
    wire.live.follow()
    wire.live.paint()
    return hash(wire.live.layers.pixels().tobytes())


def limited(picture) -> list[tuple[str, dict]]:
    """Knobs with settings in which they are said to be idle or shortened."""
    default, found = type(picture)().values(), []
    for name, knob in picture.knobs().items():
        others = {other: ends(picture.knobs()[other]) for other in default if other != name}
        for other, values in others.items():
            for value in values:
                set_knobs(picture, default | {other: value})
                if knob.why_idle(picture) or (
                    hasattr(knob, "end") and knob.high != knob.end(picture)
                ):
                    found.append((name, picture.values()))
    set_knobs(picture, default)
    return found


def assert_changes_nothing(wire, name, setting):
    """What a control does not offer; beyond a shortened end only the caption tells of it."""
    set_knobs(wire.picture, setting)
    knob = wire.picture.knobs()[name]
    idle = knob.why_idle(wire.picture)
    low, high = (ends(knob)[0], ends(knob)[-1]) if idle else (knob.end(wire.picture), knob.high)
    looks = {shown(wire, setting | {name: value}) for value in (low, high)}
    assert len(looks) == 1, (name, setting)


# ---------------------------------------------------------------- words


@pytest.mark.release("the default is seen in tests/lessons/test_every_figure.py")
@pytest.mark.parametrize(
    ("style", "dark"),
    [("paper", False), ("slide", False), ("poster", False), ("notebook", True)],
)
def test_no_text_is_cut_off_or_overlaps(picture, style, dark):
    settings = [picture.values()] if dark else extremes(picture)  # in the dark only colours differ
    faults = {}
    for setting, figure in moved_figures(picture, settings, style, dark):
        if found := text_faults(figure, LEAST_POINTS.get(style, 0)):
            faults[str(changed(setting, picture))] = found
    assert faults == {}


def test_the_caption_is_one_sentence_of_25_plain_words(picture):
    caption = picture.caption(picture.compute())
    assert len(caption.split()) <= 25
    assert is_one_line(caption)
    assert caption.endswith(".")
    assert not re.search(r"[.!?] ", caption), caption
    assert not re.search(r"[$\\{}]", caption), caption


# ---------------------------------------------------------------- who reads and touches what


def test_only_compute_reads_knobs_that_do_not_redraw(picture):
    """And it may be called again: it gives the same, changes no knob, and keeps no artist."""
    before, (first, second) = picture.values(), (picture.compute(), picture.compute())
    assert picture.values() == before
    np.testing.assert_equal(vars(first), vars(second))
    kept = [*vars(first).values(), *vars(picture).values()]
    assert not any(isinstance(value, Artist) for value in kept)
    redrawing = {name for name, knob in picture.knobs().items() if knob.redraw}
    reader = blind(picture, allowed=set())
    assert reader.caption(first) == picture.caption(first)
    with style_context():
        artists = blind(picture, allowed=redrawing).draw(figure := Figure(figsize=picture.size))
        reader.update(artists, first)
    assert figure.axes


def blind(picture, allowed):
    """A copy of the picture that fails when a knob is read that is not among those allowed."""

    def read(self, name):
        if (name in picture.knobs() and name not in allowed) or name == "values":
            raise AssertionError(f"{name} is read")
        return object.__getattribute__(self, name)

    copy = type(picture)(**picture.values())
    copy.__class__ = type("Blind", (type(picture),), {"__getattribute__": read})
    return copy


def test_a_wrong_value_leaves_every_knob_as_it_was(picture):
    before = picture.values()
    for name in before:
        with pytest.raises(traitlets.TraitError, match=rf"^{name} = nan is refused: it must be "):
            setattr(picture, name, float("nan"))
    assert picture.values() == before
