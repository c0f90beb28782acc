"""An explorer as a reader uses it: code and sliders, Play, Export, errors, a kernel that stops."""

import base64
import io
import os
import re
import signal

import pytest
from PIL import Image
from playwright.sync_api import expect

from posviz.engine.live_figure import LiveFigure
from posviz.pictures.content.one_matrix import OneMatrix
from tests.browser.lab import SECOND
from tests.engine.sample import place_of

TABLE = "from posviz import SinusoidalTable\npicture = SinusoidalTable()"

FRAGILE = """
from types import SimpleNamespace
from posviz.engine.knobs import integer
from posviz.engine.picture import Picture

class Fragile(Picture):
    \"\"\"A point that cannot stand on 7.\"\"\"
    place = integer(3, low=0, high=7, play=True)
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
SIDES = ("width", "height")
SHORT = FRAGILE.replace("high=7", "high=3")  # soon played, and it stands at its end


def printed(lab, cell):
    """What the cell with this number printed."""
    return lab.page.locator(".jp-CodeCell").nth(cell).locator(".jp-OutputArea pre").inner_text()


def test_a_reader_drags_in_the_picture_and_the_sliders_go_along(lab):
    lab.write("dragged", "from posviz import OneMatrix\nOneMatrix().explore()")
    lab.run_all()
    [explorer] = lab.explorers()
    live, mouse = LiveFigure(OneMatrix()), lab.page.mouse
    live.follow()

    def point(x, y):
        box = explorer.canvas.bounding_box()
        across, down = place_of(live, x, y)
        return box["x"] + across * box["width"], box["y"] + down * box["height"]

    explorer.canvas.scroll_into_view_if_needed()
    with explorer.changes():
        mouse.move(*point(-0.02, 0.3))
        mouse.down()
        mouse.move(*point(-0.0602, -0.703), steps=30)
        explorer.stands_at("real part a", "-0.06")
        explorer.stands_at("imaginary part ω", "0.7")
    mouse.up()
    mouse.move(*point(0, 0), steps=5)  # no button is pressed
    explorer.settled()
    explorer.stands_at("real part a", "-0.06")


def test_code_moves_the_slider_and_knobs_changed_together_give_one_frame(lab):
    lab.write("by_code", TABLE, "picture.explore()")
    lab.run_all()
    [explorer] = lab.explorers()
    with explorer.changes():
        lab.ask("picture.d_model = 128")
    explorer.stands_at("d_model", "128")
    frame = explorer.frame()
    with explorer.changes():
        lab.ask(
            "with picture.hold_trait_notifications():\n"
            "    picture.d_model, picture.base, picture.position = 32, 500, 3"
        )
    explorer.settled()
    assert explorer.frame() == frame + 1


def test_reset_stops_play_and_holds(lab):
    lab.write("play_reset", TABLE, "picture.explore()")
    lab.run_all()
    [explorer] = lab.explorers()
    with explorer.changes():
        explorer.play("position").click()
    lab.page.wait_for_timeout(1000)
    explorer.button("Reset").click()
    lab.page.wait_for_timeout(1500)
    explorer.stands_at("position", "10")
    assert explorer.caption().startswith("Row 10")
    assert explorer.play("position").count() == 1


SLOWLY = """
import time

class Slowly(type(picture)):
    def compute(self):
        time.sleep(1)
        return super().compute()
"""


def test_reset_overtakes_the_last_word_of_a_drag(lab, everything):
    """The picture is slow, so that the drag's last word still waits when Reset is clicked."""
    lab.write("drag_reset", TABLE + SLOWLY, "picture = Slowly()\npicture.explore()")
    lab.run_all()
    [explorer] = lab.explorers()
    first = explorer.settled()
    for _ in range(3 if everything else 1):
        frame = explorer.frame()
        explorer.drag("d_model", 200, steps=4)
        explorer.button("Reset").click()
        explorer.shows_a_frame_after(frame)
        assert explorer.becomes(first)
        lab.page.wait_for_timeout(2500)  # in which a late word of the drag would be seen
        assert explorer.settled() == first
        explorer.stands_at("d_model", "64")
        assert explorer.range("d_model")[1] == 31


def test_a_slider_shows_that_its_answer_is_late(lab):
    lab.write("late", TABLE + SLOWLY, "picture = Slowly()\npicture.explore()")
    lab.run_all()
    [explorer] = lab.explorers()
    handle = explorer.handle("position")
    explorer.settled()
    expect(handle).not_to_have_css("opacity", "0.55")
    handle.press("ArrowRight")
    expect(handle).to_have_css("opacity", "0.55")
    explorer.settled()
    expect(handle).to_have_css("opacity", "1")


def test_a_drag_leaves_the_tabs_icon_alone(lab):
    """JupyterLab would swap it twice for every message, and the browser fetch it each time."""
    lab.write("icon", TABLE, "picture.explore()")
    lab.run_all()
    [explorer] = lab.explorers()
    lab.page.evaluate(
        "() => { window.swaps = 0; new MutationObserver(() => { swaps += 1; }).observe("
        "document.head, { subtree: true, childList: true, attributes: true }); }"
    )
    with explorer.changes():
        explorer.drag("position", 200, steps=40)
    explorer.settled()
    assert lab.page.evaluate("() => swaps") == 0


def test_play_repeats_when_it_is_told_to(lab, everything):
    lab.write("repeat", SHORT, "picture.explore()")
    lab.run_all()
    [explorer] = lab.explorers()
    explorer.root.get_by_role("button", name="Repeat place").click()
    explorer.play("place").click()
    lab.page.wait_for_function(
        """([slider, times]) => {
            const { last = 0, starts = 0 } = window.seen ?? {}, now = slider.valueAsNumber;
            window.seen = { last: now, starts: starts + (now < last) };
            return window.seen.starts >= times;
        }""",
        arg=[explorer.handle("place").element_handle(), 3 if everything else 1],
    )
    explorer.pause("place").click()


def test_play_from_the_end_begins_with_the_first_place(lab):
    seen = "seen = []\npicture.observe(lambda change: seen.append(change.new), 'place')\n"
    lab.write("from_the_end", SHORT + seen, "picture.explore()")
    lab.run_all()
    [explorer] = lab.explorers()
    explorer.play("place").click()
    expect(explorer.play("place")).to_have_count(1, timeout=20_000)
    assert "[0, 1, 2, 3]" in lab.ask("print(seen)")


def test_the_exact_value_can_be_typed(lab):
    lab.write("typed", TABLE, "picture.explore()")
    lab.run_all()
    [explorer] = lab.explorers()
    with explorer.changes():
        explorer.box("base").fill("1234.5")
        lab.page.keyboard.press("Enter")
    explorer.stands_at("base", "1234.5")
    explorer.box("d_model").fill("7")
    lab.page.keyboard.press("Enter")
    refusal = "d_model = 7 is refused: it must be an even whole number between 2 and 512."
    expect(explorer.root.locator("[role=alert]:not(:empty)")).to_contain_text(refusal)
    expect(explorer.box("d_model")).to_have_value("7")
    lab.screenshot("refused")
    lab.page.keyboard.press("Escape")
    expect(explorer.box("d_model")).to_have_value("64")
    assert explorer.alert() == ""


def test_the_keys_do_what_lesson_00_says(lab):
    lab.write("steps", TABLE, "picture.explore()")
    lab.run_all()
    [explorer] = lab.explorers()
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
    explorer.box("position").click()
    lab.page.keyboard.type("42")  # in the place of what stood there
    lab.page.keyboard.press("Enter")
    explorer.stands_at("position", "42")


def test_nothing_moves_from_under_the_pointer_when_a_value_is_refused(lab):
    lab.write("one_click", TABLE, "picture.explore()")
    lab.run_all()
    [explorer] = lab.explorers()
    explorer.press("d_model", "End")
    explorer.stands_at("d_model", "512")
    reset = explorer.button("Reset").bounding_box()
    explorer.box("d_model").fill("7")
    lab.page.keyboard.press("Enter")
    expect(explorer.root.locator("[role=alert]:not(:empty)")).to_contain_text("refused")
    assert explorer.button("Reset").bounding_box() == reset
    lab.page.mouse.click(reset["x"] + 5, reset["y"] + 5)
    explorer.stands_at("d_model", "64")
    assert explorer.alert() == ""


def test_a_control_offers_what_other_knobs_leave_of_it(lab):
    pictures = "from posviz import AlibiSlopes, MaskedAttention"
    lab.write("limits", pictures, "AlibiSlopes().explore()", "MaskedAttention().explore()")
    lab.run_all()
    slopes, masks = lab.explorers()
    assert slopes.range("head") == (0, 0, 7)
    slopes.press("head", "End")
    slopes.stands_at("head", "8")
    slopes.press("num_heads", "Home")
    slopes.stands_at("head", "1")
    assert slopes.range("head") == (0, 0, 0)
    slopes.button("Reset").click()
    slopes.stands_at("head", "1")
    why = masks.root.get_by_role("note").filter(visible=True)
    expect(why).to_have_text("only with mask blockwise")
    expect(masks.handle("block (tokens)")).to_be_disabled()
    masks.root.get_by_role("button", name="blockwise").click()
    expect(masks.handle("block (tokens)")).to_be_enabled()
    expect(why).to_have_count(0)


def test_an_explorer_fills_the_screen_and_comes_back(lab):
    lab.write("full", TABLE, "picture.explore()")
    lab.run_all()
    [explorer] = lab.explorers()
    explorer.settled()
    small, button = explorer.scale(), explorer.root.get_by_role("button", name="Full screen")
    with explorer.changes():
        button.click()
    assert explorer.scale() > small
    assert explorer.height() <= lab.page.viewport_size["height"]
    with explorer.changes():
        button.click()
    assert explorer.scale() == small


def test_try_stands_over_the_controls_and_notice_opens_once_something_moved(lab):
    text = "**Try** this:\n\n1. Play it.\n\n**Notice** what\n\n* moved\n\nAnd so on."
    lab.write("prompts", TABLE, "picture.explore()", below=text)
    lab.run_all()
    [explorer] = lab.explorers()
    below = lab.page.locator(".jp-MarkdownCell .jp-RenderedMarkdown")
    expect(explorer.root.locator("aside")).to_have_text(re.compile(r"Try this:\s*Play it\."))
    expect(below.get_by_text("Play it.")).to_be_hidden()
    expect(below.get_by_text("And so on.")).to_be_visible()
    expect(below.get_by_text("moved")).to_be_hidden()
    assert explorer.height() <= 960 - 121
    lab.screenshot("prompts")
    explorer.press("position", "ArrowRight")
    expect(below.get_by_text("moved")).to_be_visible()
    lab.page.evaluate("() => window.jupyterapp.commands.execute('notebook:clear-all-cell-outputs')")
    expect(below.get_by_text("Play it.")).to_be_visible()


def test_a_hand_that_types_or_drags_stops_play(lab):
    lab.write("takes_over", TABLE, "picture.explore()")
    lab.run_all()
    [explorer] = lab.explorers()
    explorer.play("position").click()
    explorer.box("position").click()
    lab.page.keyboard.press("Control+A")
    lab.page.wait_for_timeout(300)  # a value that came now would undo the selection
    lab.page.keyboard.type("42", delay=150)
    lab.page.keyboard.press("Enter")
    expect(explorer.root.locator("figcaption")).to_contain_text("Row 42: ")
    explorer.play("position").click()
    explorer.drag("position", 0)
    expect(explorer.play("position")).to_have_count(1)


def test_play_plays_to_the_end(lab):
    lab.write("play", FRAGILE, "picture.explore()")
    lab.run_all()
    [explorer] = lab.explorers()
    with explorer.changes():
        explorer.play("place").click()
    expect(explorer.root.locator("[role=alert]:not(:empty)")).to_contain_text(
        "place = 7 is <provoked>"
    )
    explorer.stands_at("place", "7")


def test_an_error_is_shown_the_picture_stays_and_reset_works(lab):
    lab.write("error", FRAGILE, "picture.explore()")
    lab.run_all()
    [explorer] = lab.explorers()
    first = explorer.settled()
    explorer.press("place", "End")
    expect(explorer.root.locator("[role=alert]:not(:empty)")).to_contain_text(
        "place = 7 is <provoked>"
    )
    assert explorer.settled() == first
    lab.screenshot("provoked_error")
    explorer.button("Reset").click()
    expect(explorer.root.locator("[role=alert]:not(:empty)")).to_have_count(0)
    with explorer.changes():
        explorer.press("place", "ArrowLeft")
    assert explorer.caption() == "It stands on 2."


def test_export_saves_the_picture_as_it_stands_and_links_to_it(lab, server):
    lab.write("export", FRAGILE, "picture.explore()")
    lab.run_all()
    [explorer] = lab.explorers()
    explorer.press("place", "ArrowRight")
    explorer.button("Export").click()
    explorer.button("Save").click()
    link = explorer.root.locator("a[download='Fragile.png']")
    with lab.page.expect_download() as download:
        link.click()
    lab.screenshot("exported")
    saved = server.folder / "figures" / "Fragile.png"
    assert saved.read_bytes().startswith(b"\x89PNG")
    assert b"It stands on 4." in saved.read_bytes()
    assert download.value.path().read_bytes() == saved.read_bytes()


def test_the_python_line_is_copied(lab):
    lab.write("copied", FRAGILE, "picture.explore()")
    lab.run_all()
    [explorer] = lab.explorers()
    explorer.button("Export").click()
    explorer.press("place", "ArrowRight")
    line = "Fragile(place=4).save('figures/Fragile.png', style='slide')"
    expect(explorer.root.locator(".posviz-copy pre")).to_have_text(line)
    lab.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    explorer.button("Copy the Python line").click()
    expect(explorer.root.locator(".posviz-copy [role=status]")).to_have_text("Copied.")
    lab.screenshot("copied")
    assert lab.page.evaluate("navigator.clipboard.readText()") == line


def test_a_page_without_a_clipboard_selects_the_line(lab):
    lab.write("selected", FRAGILE, "picture.explore()")
    lab.run_all()
    [explorer] = lab.explorers()
    explorer.button("Export").click()
    lab.spoilt = True
    lab.page.evaluate(
        "document.execCommand = () => false; navigator.clipboard.writeText = undefined"
    )
    explorer.button("Copy the Python line").click()
    expect(explorer.root.locator(".posviz-copy [role=status]")).to_contain_text("Ctrl-C")
    assert lab.page.evaluate("String(getSelection())").startswith("Fragile(place=3).save(")


@pytest.mark.parametrize("density", [2], indirect=True)
def test_a_dense_screen_gets_dense_pixels(lab, density):
    lab.write("dense", FRAGILE, "picture.explore()")
    lab.run_all()
    [explorer] = lab.explorers()
    width, height = (explorer.canvas.evaluate(f"canvas => canvas.{side}") for side in SIDES)
    assert width == pytest.approx(800 * density * explorer.scale(), abs=1)
    assert width / height == pytest.approx(8 / 4.5, abs=0.01)
    assert explorer.canvas.bounding_box()["width"] == pytest.approx(width / density, abs=1)


def test_many_runs_of_a_cell_leave_one_explorer_alive(lab, everything):
    lab.write("fifty", FRAGILE, "picture.explore()")
    lab.run_all()
    count = "from ipywidgets.widgets.widget import _instances\nprint(len(_instances))"
    before = int(lab.ask(count))
    lab.run_cell(1, times=49 if everything else 4)
    assert len(lab.explorers()) == 1
    assert int(lab.ask(count)) == before


def test_an_explorer_says_so_when_its_kernel_falls_silent_and_wakes_when_it_answers(lab):
    lab.write("silent", FRAGILE + "import os\nprint(os.getpid())", "picture.explore()")
    lab.run_all()
    [explorer] = lab.explorers()
    kernel = int(printed(lab, 0))
    notice = explorer.root.locator(".posviz-screen [role=status]")
    os.kill(kernel, signal.SIGSTOP)
    expect(notice).to_contain_text("The kernel does not answer", timeout=20_000)
    os.kill(kernel, signal.SIGCONT)
    expect(notice).to_be_empty(timeout=10_000)
    with explorer.changes():
        explorer.press("place", "ArrowRight")
    lab.shut_down_kernels()
    expect(notice).to_contain_text("The kernel does not answer", timeout=20_000)


def test_keys_stay_with_the_control_that_has_the_focus(lab):
    lab.write("keys", TABLE, "picture.explore()")
    lab.run_all()
    [explorer] = lab.explorers()
    cells = lab.page.locator(".jp-CodeCell").count()
    explorer.press("position", "x")
    explorer.button("Export").click()
    style = explorer.root.locator(".widget-dropdown", has_text="style").locator("select")
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


def test_the_picture_follows_the_theme_at_once_and_exports_keep_their_style(lab, server):
    lab.write("dark", TABLE, "picture.explore()")
    lab.run_all()
    [explorer] = lab.explorers()
    light = explorer.settled()
    paper_becomes(explorer, WHITE)
    lab.theme("Dark")
    paper_becomes(explorer, DARK)
    explorer.press("position", "ArrowRight")
    explorer.button("Export").click()
    explorer.settled()
    lab.screenshot("dark")
    explorer.press("position", "ArrowLeft")
    explorer.button("Save").click()
    expect(explorer.root.locator("a[download]")).to_be_visible()
    saved = Image.open(server.folder / "figures" / "SinusoidalTable.png").convert("RGB")
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
