"""What the browser replays is what Agg draws: every picture, every kind of artist, every detour."""

from pathlib import Path

import numpy as np
import pytest

from posviz_course import lessons
from tests.browser.fidelity import BY_AGG, DENSE, PLAIN, becomes_right, is_small, on_canvas

ROOT = Path(__file__).parents[2]
EVERY_KIND = (
    f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{BY_AGG}"
    + """
import posviz
from tests.pictures.every_kind import EveryKind
picture = EveryKind()
"""
)

# Random settings for every picture in `shown`.
RANDOM = """
import random
from posviz.pictures import knobs

def anywhere(knob, dice):
    if isinstance(knob, knobs.Choice):
        return dice.choice(knob.options)
    if isinstance(knob, knobs.Switch):
        return dice.random() < 0.5
    if isinstance(knob, knobs.TypedText):
        return "one two three two one"
    if isinstance(knob, knobs.Device):
        return "NumPy"
    if isinstance(knob, knobs.Integer):
        return dice.randrange(knob.low, knob.high + 1, knob.step)
    return dice.uniform(knob.low, knob.high)

for name, picture in shown.items():
    dice = random.Random(name)  # of its own: a new picture leaves the others' settings alone
    for _ in range(3):
        with picture.hold_trait_notifications():
            for knob_name, knob in picture.knobs().items():
                setattr(picture, knob_name, anywhere(knob, dice))
    keep_by_agg(name, picture, explorers[name].explorer.live.ratio)
print({name: explorers[name].explorer.live.layers.only_pixels for name in shown})
"""

# Before anything hears of it: lose the frames that `chosen` picks.
LOSE = """(chosen) => {
    const { kernel } = window.jupyterapp.shell.currentWidget.sessionContext.session;
    window.lost = 0;
    kernel.anyMessage.connect((_, { msg, direction }) => {
        const data = msg.content?.data;
        if (direction !== 'recv' || msg.header.msg_type !== 'comm_msg') return;
        if (data.method !== 'custom') return;
        if (!eval(chosen)(data.content)) return;
        window.lost += 1;
        data.method = 'lost';
    });
}"""


every_picture = pytest.mark.release("every picture")


@pytest.mark.release("half a minute at each density")
@pytest.mark.parametrize(
    ("density", "names"),
    [
        (2, ["SinusoidalTable", "EncodingMap", "FourTerms", "RotatingVectors"]),
        pytest.param(1, list(lessons.names()), marks=every_picture),
        pytest.param(2, list(lessons.names()), marks=every_picture),
    ],
    indirect=["density"],
    ids=["four", "every", "every_dense"],
)
def test_canvas_after_random_changes_shows_what_agg_draws(lab, density, names):
    """That frames hold what Agg draws is tested of every picture without a browser."""
    names = ["EveryKind", *names]
    found = "{name: globals().get(name) or getattr(posviz, name) for name in %s}"
    made = f"shown = {{name: make() for name, make in {found % names}.items()}}\nexplorers = {{}}"
    show = "explorers[{0!r}] = shown[{0!r}].explore(); explorers[{0!r}]"
    lab.write(f"fidelity_{density}", EVERY_KIND + made, *map(show.format, names))
    lab.run_all()
    explorers = lab.explorers()
    assert len(explorers) == len(names)
    assert lab.ask(RANDOM).strip() == str(dict.fromkeys(names, ""))  # none of them needs pixels
    wrong = []
    for name, explorer in zip(names, explorers, strict=True):
        wide = explorer.canvas.evaluate("canvas => canvas.width")
        assert wide == pytest.approx(explorer.canvas.bounding_box()["width"] * density, abs=density)
        try:
            bounds = PLAIN if name == "EveryKind" else DENSE
            becomes_right(lab, explorer, name, bounds=bounds)
        except AssertionError as error:  # the others are worth knowing, too
            wrong.append(str(error))
    assert wrong == []


@pytest.fixture
def show(lab):
    """Show EveryKind in a notebook of this name, after `before` was run in the page."""

    def show(name, chosen=None):
        lab.write(name, EVERY_KIND, "explorer = picture.explore(); explorer")
        if chosen:
            lab.page.evaluate(LOSE, chosen)
        lab.run_all()
        return lab.explorers()

    return show


def set_position(lab, position):
    """Set the knob in the kernel, and keep what Agg draws there."""
    lab.ask(
        f"picture.position = {position}\n"
        "keep_by_agg('EveryKind', picture, explorer.explorer.live.ratio)"
    )


@pytest.mark.release("twenty seconds")
def test_frame_that_was_lost_is_asked_for_again(lab, show):
    [explorer] = show("lost", "({ frame }) => frame === 2 && lost === 0")
    before = on_canvas(explorer)
    set_position(lab, 20)
    explorer.settled()
    assert np.array_equal(on_canvas(explorer), before)
    assert lab.page.evaluate("lost") == 1
    set_position(lab, 21)
    becomes_right(lab, explorer, "EveryKind")
    assert explorer.frame() == 4
    set_position(lab, 22)
    becomes_right(lab, explorer, "EveryKind")
    assert explorer.frame() == 5


@pytest.mark.release("twenty seconds")
def test_views_of_one_explorer_show_the_same(lab, show):
    show("twice")
    lab.page.evaluate(
        """() => {
            const { commands, shell } = window.jupyterapp;
            window.notebook = shell.currentWidget.id;
            shell.currentWidget.content.activeCellIndex = 1;
            return commands.execute('notebook:create-output-view');
        }"""
    )
    lab.page.locator(".posviz-explorer").nth(1).wait_for()
    first, second = lab.explorers()
    lab.page.evaluate("window.jupyterapp.shell.activateById(notebook)")
    for position in (20, 21):
        set_position(lab, position)
        becomes_right(lab, first, "EveryKind")
        becomes_right(lab, second, "EveryKind")
        assert first.fingerprint() == second.fingerprint()


def test_comparison_sees_what_a_reader_would():
    wanted = np.full((60, 80, 3), 255)
    wanted[20:40, 20:60] = (30, 60, 90)
    assert is_small(wanted, wanted)
    wanted[50, :] = 0
    softer, other_colour, dotted, marked, lineless = (wanted.copy() for _ in range(5))
    softer[20:40, 19] = 220
    softer[50, :], softer[51, :] = 20, 235
    other_colour[20:40, 20:60] = (30, 60, 130)
    dotted[5, 5] = 0
    marked[4:7, 4:7] = 0
    lineless[50, :] = 255
    assert is_small(softer, wanted)
    shifted = np.roll(wanted, 2, axis=1)
    assert not is_small(dotted, wanted)
    assert not is_small(dotted, wanted, DENSE)
    for wrong in (other_colour, marked, lineless, shifted, 255 - wanted):
        for bounds in (PLAIN, DENSE):
            assert not is_small(wrong, wanted, bounds)
