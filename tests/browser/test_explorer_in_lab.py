"""An explorer as a reader uses it: code and sliders, Play, Export, errors, a kernel that stops."""

import base64
import io
import os
import re
import signal

import pytest
from PIL import Image
from playwright.sync_api import expect

from posviz.pictures.live_figure import LiveFigure
from posviz_course.lessons.content.one_matrix import OneMatrix
from tests.browser.lab import SECOND
from tests.pictures.sample import place_of

TABLE = "from posviz import SinusoidalTable\npicture = SinusoidalTable()"

FRAGILE = """
from types import SimpleNamespace
from posviz.pictures.knobs import Integer
from posviz.pictures.picture import Picture

class Fragile(Picture):
    \"\"\"A point that cannot stand on 7.\"\"\"
    place = Integer(3, low=0, high=7, play=True)
    def compute(self):
        if self.place == 7:
            raise ValueError("place = 7 is <provoked>")
        return SimpleNamespace(place=self.place)
    def draw(self, figure):
        axes = figure.subplots()
        axes.set(xlim=(0, 7), ylim=(0, 1))
        return axes.plot([0], [0.5], "o", markersize=20, animated=True)[0]
    def update(self, point, arrays):
        point.set_xdata([arrays.place])
    def caption(self, arrays):
        return f"It stands on {arrays.place}."

picture = Fragile()
"""
SHORT = FRAGILE.replace("high=7", "high=3")  # soon played, and it stands at its end


def printed(lab, cell):
    """What the cell with this number printed."""
    return lab.page.locator(".jp-CodeCell").nth(cell).locator(".jp-OutputArea pre").inner_text()


def test_drag_in_the_picture_takes_the_sliders_along(lab):
    explorer = lab.explore("dragged", "from posviz import OneMatrix\nOneMatrix().explore()")
    live, mouse = LiveFigure(OneMatrix()), lab.page.mouse
    live.follow()
    live.paint()  # square panels find their places when they are painted

    def point(x, y):
        box = explorer.canvas.bounding_box()
        across, down = place_of(live, x, y)
        return box["x"] + across * box["width"], box["y"] + down * box["height"]

    explorer.canvas.scroll_into_view_if_needed()
    with explorer.changes():
        mouse.move(*point(-0.02, 0.3))
        mouse.down()
        mouse.move(*point(-0.0602, 0.703), steps=30)
        explorer.stands_at("a (shrinks)", "-0.06")
        explorer.stands_at("ω (rotates)", "0.7")
    mouse.up()
    mouse.move(*point(0, 0), steps=5)  # no button is pressed
    explorer.settled()
    explorer.stands_at("a (shrinks)", "-0.06")


SLOWLY = """
import time

class Slowly(type(picture)):
    def compute(self):
        time.sleep(1)
        return super().compute()
"""


@pytest.mark.release("ten seconds")
def test_reset_overtakes_the_last_word_of_a_drag(lab):
    """The picture is slow, so that the drag's last word still waits when Reset is clicked."""
    explorer = lab.explore("drag_reset", TABLE + SLOWLY, "picture = Slowly()\npicture.explore()")
    first = explorer.settled()
    frame = explorer.frame()
    explorer.drag("d_model", 200, steps=4)
    expect(explorer.handle("d_model")).to_have_css("opacity", "0.55")  # its answer is late
    explorer.button("Reset").click()
    explorer.shows_a_frame_after(frame)
    assert explorer.becomes(first)
    lab.page.wait_for_timeout(2500)  # in which a late word of the drag would be seen
    assert explorer.settled() == first
    explorer.stands_at("d_model", "64")
    assert explorer.range("d_model")[1] == 31
    expect(explorer.handle("d_model")).to_have_css("opacity", "1")


@pytest.mark.release("seven seconds")
def test_drag_leaves_the_icon_of_the_tab_alone(lab):
    """JupyterLab would swap it twice for every message, and the browser fetch it each time."""
    explorer = lab.explore("icon", TABLE, "picture.explore()")
    lab.page.evaluate(
        "() => { window.swaps = 0; new MutationObserver(() => { swaps += 1; }).observe("
        "document.head, { subtree: true, childList: true, attributes: true }); }"
    )
    with explorer.changes():
        explorer.drag("position", 200, steps=40)
    explorer.settled()
    assert lab.page.evaluate("() => swaps") == 0


@pytest.mark.release("ten seconds")
def test_play_ends_at_the_last_place_begins_anew_and_repeats(lab):
    seen = "seen = []\npicture.observe(lambda change: seen.append(change.new), 'place')\n"
    explorer = lab.explore("repeat", SHORT + seen, "picture.explore()")
    explorer.play("place").click()
    expect(explorer.play("place")).to_have_count(1, timeout=20_000)
    assert lab.ask("print(seen)").strip() == "[0, 1, 2, 3]"
    explorer.root.get_by_role("button", name="Repeat place").click()
    lab.page.wait_for_function(
        """slider => {
            const { last = 0, again = 0 } = window.seen ?? {}, now = slider.valueAsNumber;
            window.seen = { last: now, again: again + (now < last) };
            return window.seen.again > 1;
        }""",
        arg=explorer.handle("place").element_handle(),
    )
    explorer.pause("place").click()


def test_the_exact_value_can_be_typed(lab):
    explorer = lab.explore("typed", TABLE, "picture.explore()")
    with explorer.changes():
        explorer.box("base").fill("1234.5")
        lab.page.keyboard.press("Enter")
    explorer.stands_at("base", "1,234.5")
    before = explorer.canvas.bounding_box()
    explorer.box("d_model").fill("7")
    lab.page.keyboard.press("Enter")
    refusal = "d_model = 7 is refused: it must be an even whole number between 2 and 512."
    alert = explorer.root.locator("[role=alert]:not(:empty)")
    expect(alert).to_contain_text(refusal)
    expect(explorer.box("d_model")).to_have_value("7")
    assert explorer.canvas.bounding_box() == before  # it lies over what is there
    lab.page.keyboard.press("Escape")
    expect(explorer.box("d_model")).to_have_value("64")
    assert explorer.alert() == ""


def test_the_keys_do_what_lesson_00_says(lab):
    explorer = lab.explore("steps", TABLE, "picture.explore()")
    places = {
        "ArrowRight": 11,
        "ArrowLeft": 10,
        "PageUp": 23,
        "PageDown": 10,
        "End": 127,
        "Home": 0,
    }
    for key, place in places.items():
        explorer.press("position", key)
        explorer.stands_at("position", str(place))


@pytest.mark.release("ten seconds")
def test_control_offers_what_other_knobs_leave_of_it(lab):
    pictures = "from posviz import AlibiSlopes, TwoHands"
    lab.write("limits", pictures, "AlibiSlopes().explore()", "TwoHands().explore()")
    lab.run_all()
    slopes, hands = lab.explorers()
    assert slopes.range("head") == (0, 0, 7)
    slopes.press("head", "End")
    slopes.stands_at("head", "8")
    slopes.press("num_heads", "Home")
    slopes.stands_at("head", "1")
    assert slopes.range("head") == (0, 0, 0)
    slopes.button("Reset").click()
    slopes.stands_at("head", "1")
    why = hands.root.get_by_role("note").filter(visible=True)
    expect(why).to_have_text("only with kind mixed")
    expect(hands.handle("direction (°)")).to_be_disabled()
    hands.root.get_by_role("radio", name="mixed").click()
    expect(hands.handle("direction (°)")).to_be_enabled()
    expect(why).to_have_count(0)


def test_explorer_fills_the_screen_and_comes_back(lab):
    explorer = lab.explore("full", TABLE, "picture.explore()")
    explorer.settled()
    small, button = explorer.scale(), explorer.root.get_by_role("button", name="Full screen")
    with explorer.changes():
        button.click()
    assert explorer.scale() > small
    assert explorer.height() <= lab.page.viewport_size["height"]
    with explorer.changes():
        button.click()
    assert explorer.scale() == small


def test_try_stands_over_the_controls_and_notice_opens_later(lab):
    text = "**Try** this:\n\n1. Play it.\n\n**Notice** what\n\n* moved\n\nAnd so on."
    explorer = lab.explore("prompts", TABLE, "picture.explore()", below=text)
    below = lab.page.locator(".jp-MarkdownCell .jp-RenderedMarkdown")
    expect(explorer.root.locator("aside")).to_have_text(re.compile(r"Try this:\s*Play it\."))
    expect(below.get_by_text("Play it.")).to_be_hidden()
    expect(below.get_by_text("And so on.")).to_be_visible()
    expect(below.get_by_text("moved")).to_be_hidden()
    assert explorer.height() <= 960 - 121
    explorer.press("position", "ArrowRight")
    expect(below.get_by_text("moved")).to_be_visible()
    lab.page.evaluate("() => window.jupyterapp.commands.execute('notebook:clear-all-cell-outputs')")
    expect(below.get_by_text("Play it.")).to_be_visible()


@pytest.mark.release("ten seconds")
def test_reset_and_a_hand_that_types_or_drags_stop_play(lab):
    explorer = lab.explore("takes_over", TABLE, "picture.explore()")
    explorer.play("position").click()
    explorer.box("position").click()
    lab.page.keyboard.press("Control+A")
    lab.page.wait_for_timeout(300)  # a value that came now would undo the selection
    lab.page.keyboard.type("42", delay=150)
    lab.page.keyboard.press("Enter")
    expect(explorer.root.locator("figcaption")).to_contain_text("Row 42 ")
    explorer.play("position").click()
    explorer.drag("position", 0)
    expect(explorer.play("position")).to_have_count(1)
    with explorer.changes():
        explorer.play("position").click()
    explorer.button("Reset").click()
    lab.page.wait_for_timeout(1500)
    explorer.stands_at("position", "10")
    assert explorer.play("position").count() == 1


def test_error_is_shown_the_picture_stays_and_reset_works(lab):
    explorer = lab.explore("error", FRAGILE, "picture.explore()")
    first = explorer.settled()
    explorer.press("place", "End")
    alert = explorer.root.locator("[role=alert]:not(:empty)")
    expect(alert).to_contain_text("place = 7 is <provoked>")
    assert explorer.settled() == first
    explorer.button("Reset").click()
    expect(alert).to_have_count(0)
    with explorer.changes():
        explorer.press("place", "ArrowLeft")
    assert explorer.caption() == "It stands on 2."


def test_export_saves_the_picture_as_it_stands_and_copies_its_line(lab, server):
    explorer = lab.explore("export", FRAGILE, "picture.explore()")
    explorer.press("place", "ArrowRight")
    explorer.button("Export").click()
    explorer.button("Save").click()
    with lab.page.expect_download() as download:
        explorer.root.locator("a[download='Fragile_slide.png']").click()
    saved = (server.folder / "figures" / "Fragile_slide.png").read_bytes()
    assert saved.startswith(b"\x89PNG")
    assert b"It stands on 4." in saved
    assert download.value.path().read_bytes() == saved
    explorer.press("place", "ArrowRight")
    line = "Fragile(place=5).save('figures/Fragile_slide.png', style='slide')"
    expect(explorer.root.locator(".posviz-export pre")).to_have_text(line)
    lab.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    explorer.button("Copy the Python line").click()
    expect(explorer.root.get_by_text("Copied.")).to_be_visible()
    assert lab.page.evaluate("navigator.clipboard.readText()") == line


@pytest.mark.release("six seconds")
def test_many_runs_of_a_cell_leave_one_explorer_alive(lab):
    lab.write("fifty", FRAGILE, "picture.explore()")
    lab.run_all()
    count = "from ipywidgets.widgets.widget import _instances\nprint(len(_instances))"
    before = int(lab.ask(count))
    lab.run_cell(1, times=4)
    assert len(lab.explorers()) == 1
    assert int(lab.ask(count)) == before


@pytest.mark.release("twenty seconds of silence")
def test_kernel_that_falls_silent_is_told_until_it_answers(lab):
    explorer = lab.explore("silent", FRAGILE + "import os\nprint(os.getpid())", "picture.explore()")
    kernel = int(printed(lab, 0))
    notice = explorer.root.locator(".posviz-screen [role=status]")
    os.kill(kernel, signal.SIGSTOP)
    expect(notice).to_contain_text("Python does not answer", timeout=20_000)
    os.kill(kernel, signal.SIGCONT)
    expect(notice).to_be_empty(timeout=10_000)
    with explorer.changes():
        explorer.press("place", "ArrowRight")
    lab.shut_down_kernels()
    expect(notice).to_contain_text("Python does not answer", timeout=20_000)


def test_keys_stay_with_the_control_that_has_the_focus(lab):
    explorer = lab.explore("keys", TABLE, "picture.explore()")
    cells = lab.page.locator(".jp-CodeCell").count()
    explorer.press("position", "x")
    explorer.button("Export").click()
    style = explorer.root.get_by_label("style")
    expect(style).to_be_visible()
    style.focus()
    lab.page.keyboard.press("ArrowDown")
    expect(style.locator("option:checked")).to_have_text("paper")
    assert lab.page.locator(".jp-CodeCell").count() == cells


CORNER = """([canvas, colour]) =>
    canvas.getContext('2d').getImageData(0, 0, 1, 1).data.slice(0, 3).join() === colour.join()"""
WHITE, DARK = [255, 255, 255], [0x1B, 0x1E, 0x23]


def paper_becomes(explorer, colour):
    """Wait for it: a theme that changes the room brings a frame of another size before."""
    looked_at = [explorer.canvas.element_handle(), colour]
    explorer.page.wait_for_function(CORNER, arg=looked_at, timeout=5 * SECOND)


@pytest.mark.release("ten seconds")
def test_picture_follows_the_theme_and_exports_keep_their_style(lab, server):
    explorer = lab.explore("dark", TABLE, "picture.explore()")
    light = explorer.settled()
    paper_becomes(explorer, WHITE)
    lab.theme("Dark")
    paper_becomes(explorer, DARK)
    explorer.press("position", "ArrowRight")
    explorer.button("Export").click()
    explorer.settled()
    explorer.press("position", "ArrowLeft")
    explorer.button("Save").click()
    expect(explorer.root.locator("a[download]")).to_be_visible()
    saved = Image.open(server.folder / "figures" / "SinusoidalTable_slide.png").convert("RGB")
    assert list(saved.getpixel((0, 0))) == WHITE
    lab.theme("Light")
    assert explorer.becomes(light)
    lab.theme("Dark")
    lab.run_cell(1)
    [explorer] = lab.explorers()
    paper_becomes(explorer, DARK)
    png = lab.notebook().cells[1].outputs[0].data["image/png"]
    stored = Image.open(io.BytesIO(base64.b64decode(png))).convert("RGB")
    assert list(stored.getpixel((0, 0))) == WHITE
    lab.theme("Light")
