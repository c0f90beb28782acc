"""What a view does by itself, and when the kernel does not answer: its clock is ours."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from posviz.pictures import scripts
from posviz.pictures.widget import ExplorerWidget

SHOW = """async (text) => {
    const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
    const { default: { render } } = await import(url);
    const limits = { last_place: 10, range: "from 0 to 10", idle: "" };
    const control = { name: "x", kind: "slider", label: "x", first: true, texts: [], absent: {},
        width: 2, play: true };
    const shown = { css: [800, 450], controls: [{ ...control, ...limits }], export: {
        formats: ["png"], films: [], styles: ["slide"], movable: {}, name: "x" } };
    window.sent = [];
    const listeners = [];
    const signal = { connect: (listener) => { listeners.push(listener); }, disconnect: () => {} };
    const kernel = {
        connectionStatus: "connected",
        isDisposed: false,
        statusChanged: { connect: (told) => { window.die = () => told(kernel, "dead"); } },
        connectionStatusChanged: signal,
        reconnect: () => { window.tried += 1; return Promise.reject(new Error("refused")); },
    };
    window.tried = 0;
    window.tell = (status) => {
        kernel.connectionStatus = status;
        for (const listener of listeners) listener(kernel, status);
    };
    const model = {
        widget_manager: { kernel },
        get: () => shown,
        on: (event, listener) => {
            if (event === "msg:custom") window.hear = (told, buffers) => listener(told, buffers);
        },
        off: () => {},
        send: (message) => { window.sent.push(message); },
    };
    window.stands = (more) => hear({ knob: "x", view: sent[0].view, number: 1, place: 2,
        text: "2", change: 0, ...limits, ...more });
    window.screen = (more) => hear({ part: "screen", ...more });
    render({ model, el: document.body });
}"""
ANSWER = "(refused) => stands({ refused })"
FRAME = """async () => {
    const canvas = new OffscreenCanvas(2, 2);
    canvas.getContext("2d");
    const png = new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer());
    const told = { frame: 1, caption: "Row 1", drags: "along", whole: true, artists: 0, moved: [] };
    hear({ part: "screen", ...told }, [png, new Uint8Array(0)]);
}"""
IN_A_NOTEBOOK = """
<div class="jp-Cell"><div id="root"><div class="posviz-controls"><div>
<label>causal<input type="checkbox"></label></div></div></div></div>
<div class="jp-Cell jp-MarkdownCell"><div class="jp-RenderedMarkdown">
<p><strong>Try</strong> <em>causal</em> <em>it</em>.</p>
<p id="noticed"><strong>Notice</strong>:</p><ul><li>A.</li></ul>
</div></div>"""
PROMPTS = """async (text) => {
    const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
    (await import(url)).showPrompts(document.getElementById("root"));
}"""
MOVE = """(place) => {
    const slider = document.querySelector("[type=range]");
    slider.value = place;
    slider.dispatchEvent(new Event("input"));
}"""


@pytest.fixture
def page(browser):
    """A page with an explorer whose Python is this test."""
    page = browser.new_context().new_page()
    page.clock.install(time=0)
    page.goto("about:blank")
    page.clock.pause_at(600)
    page.evaluate(SHOW, ExplorerWidget._esm)
    yield page
    page.context.close()


def sent(page, **to) -> list[dict]:
    """What the view has sent to a knob or a part, without its name."""
    messages = [message for message in page.evaluate("sent") if to.items() <= message.items()]
    return [{k: v for k, v in m.items() if k not in {"view", *to}} for m in messages]


def to_knob(page):
    return sent(page, knob="x")


def to_screen(page):
    """Without the ratio, which follows the size of this page."""
    messages = sent(page, part="screen")
    return [{k: v for k, v in message.items() if k != "ratio"} for message in messages]


def test_a_slider_sends_the_newest_value_five_seconds_after_what_was_lost(page):
    page.evaluate("stands()")
    for place in (5, 6, 7):
        page.evaluate(MOVE, place)
    opened, lost = {"number": 1, "change": -1}, {"number": 2, "change": 0, "place": 5}
    page.clock.run_for(4000)
    assert to_knob(page) == [opened, lost]
    page.clock.run_for(1100)
    assert to_knob(page) == [opened, lost, {"number": 3, "change": 0, "place": 7}]


def test_a_screen_goes_on_asking_and_an_answer_takes_its_notice_away(page):
    ask, pulse = ({"dark": False} | more for more in ({"ask": True}, {}))
    notice = page.locator(".posviz-screen .posviz-notice")
    page.clock.run_for(9000)
    assert (to_screen(page), notice.inner_text()) == ([ask, pulse], "")
    page.clock.run_for(4000)
    assert notice.inner_text().startswith("Python does not answer")
    assert to_screen(page) == [ask, pulse, pulse, pulse]  # after 2, 10 and 12 seconds
    page.evaluate("screen({ pong: 'another view' })")
    assert notice.inner_text() == ""
    assert to_screen(page)[-1] == ask


def test_a_screen_of_a_page_asks_once_for_the_size_that_it_is_shown_in(page):
    """The height follows the frame's own pixels, which are whole: that is no other size."""
    page.add_style_tag(content="canvas { max-width: 771.3px; height: auto; }")
    page.evaluate("document.body.classList.add('posviz-live')")
    for size in ([771, 434], [772, 434], [771, 433]):
        page.evaluate(
            "([w, h]) => Object.assign(document.querySelector('canvas'), { width: w, height: h })",
            size,
        )
        page.wait_for_timeout(50)
        page.clock.run_for(500)
    assert [message["ask"] for message in to_screen(page) if "ask" in message] == [True, True]


def test_a_kernel_that_died_and_a_page_that_is_left_are_told(page):
    page.evaluate("die()")
    assert "it has stopped" in page.locator(".posviz-screen .posviz-notice").inner_text()
    page.evaluate("dispatchEvent(new Event('pagehide'))")
    assert to_screen(page)[-1] == {"gone": True}


def test_on_a_narrow_page_letters_stay_large_enough_to_be_read(page):
    page.set_viewport_size({"width": 300, "height": 600})
    page.wait_for_timeout(50)
    page.clock.run_for(100)
    assert float(page.locator("canvas").get_attribute("data-scale")) == pytest.approx(
        0.72, abs=0.01
    )


@pytest.mark.parametrize("what", [".posviz-controls", "#noticed"])
def test_notice_opens_when_it_is_clicked_or_something_is_moved(browser, what):
    page = browser.new_context().new_page()
    page.set_content(IN_A_NOTEBOOK)
    page.evaluate(PROMPTS, scripts.as_module(Path(scripts.__file__).with_name("prompts.js")))
    later = page.locator(".posviz-later")
    assert (later.count(), page.locator(".posviz-try").inner_text()) == (2, "Try causal it.")
    page.locator(what).dispatch_event("click")
    assert later.count() == 0
    page.context.close()


def test_a_word_that_names_a_control_lights_it_and_sets_it(browser):
    page = browser.new_context().new_page()
    page.set_content(IN_A_NOTEBOOK)
    page.evaluate(PROMPTS, scripts.as_module(Path(scripts.__file__).with_name("prompts.js")))
    [word] = page.locator(".posviz-word").all()
    word.hover()
    expect(page.locator(".posviz-lit")).to_contain_text("causal")
    word.click()
    expect(page.locator("input")).to_be_checked()
    page.mouse.move(400, 400)
    expect(page.locator(".posviz-lit")).to_have_count(0)
    page.context.close()


def test_a_cut_is_told_and_the_way_tried_again_until_it_is_there(page):
    ask = {"ask": True, "dark": False}
    notice = page.locator(".posviz-screen .posviz-notice")
    page.evaluate("tell('connecting')")
    page.clock.run_for(250)
    assert "the connection is cut" in notice.inner_text()
    page.clock.run_for(7000)
    assert page.evaluate("tried") == 3
    assert to_screen(page) == [ask]
    page.evaluate("tell('connected')")
    assert to_screen(page) == [ask, ask]
    assert "the connection is cut" in notice.inner_text()
    page.evaluate("screen({ pong: 'another view' })")
    assert notice.inner_text() == ""
    page.clock.run_for(7000)
    assert page.evaluate("tried") == 3


def test_a_slider_sends_again_what_a_cut_swallowed(page):
    page.evaluate("stands()")
    page.evaluate("tell('connected')")
    assert len(to_knob(page)) == 1  # nothing was lost
    page.evaluate(MOVE, 5)
    page.clock.run_for(1000)
    page.evaluate("tell('connected')")
    assert to_knob(page)[1:] == [{"number": n, "change": 0, "place": 5} for n in (2, 3)]
    page.evaluate("tell('connecting')")
    for place in (6, 7):
        page.evaluate(MOVE, place)
        page.clock.run_for(6000)
    assert len(to_knob(page)) == 3
    page.evaluate("tell('connected')")
    assert to_knob(page)[3:] == [{"number": 4, "change": 0, "place": 7}]


def test_a_value_that_was_typed_counts_when_the_box_is_left(page):
    page.evaluate(ANSWER)
    page.get_by_role("textbox", name="x, from").fill("7")
    page.keyboard.press("Tab")
    assert to_knob(page)[-1].get("typed") == "7"


def test_a_box_that_is_given_up_is_wrong_no_longer(page):
    page.evaluate(ANSWER, "no")
    box = page.get_by_role("textbox", name="x, from")
    expect(box).to_have_attribute("aria-invalid", "true")
    box.press("Escape")
    expect(box).to_have_attribute("aria-invalid", "false")


def test_play_shows_ten_places_in_six_seconds(page):
    page.evaluate(ANSWER)
    page.get_by_role("button", name="Play x", exact=True).click()
    page.clock.run_for(500)
    assert len(to_knob(page)) == 1
    page.clock.run_for(150)
    assert to_knob(page)[1:] == [{"number": 2, "change": 0, "place": 3}]


def test_a_caption_is_said_when_the_picture_stands_still(page):
    page.evaluate(FRAME)
    expect(page.locator("figcaption")).to_have_text("Row 1")
    page.clock.run_for(800)
    expect(page.locator(".posviz-said")).to_have_text("Row 1")


def test_a_pointer_that_rests_is_told_what_lies_there_until_it_moves(page):
    tip, view = page.locator(".posviz-tip"), "sent.find(({ part }) => part === 'screen').view"
    page.locator("canvas").hover(position={"x": 80, "y": 45}, force=True)
    page.clock.run_for(90)
    assert "over" not in to_screen(page)[-1]
    page.clock.run_for(20)
    assert to_screen(page)[-1]["over"] == pytest.approx([0.1, 0.1], abs=0.01)
    page.evaluate(f"screen({{ pong: {view}, words: 'key 3: 0.25' }})")
    expect(tip).to_have_text("key 3: 0.25")
    page.mouse.move(300, 300)
    expect(tip).to_be_empty()


def test_a_drag_over_the_edge_stays_within_the_picture(page):
    page.evaluate(FRAME)
    expect(page.locator("canvas[data-drags]")).to_be_visible()
    box = page.locator("canvas").bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    page.mouse.down()
    page.evaluate("screen({ pong: sent.find(({ part }) => part === 'screen').view })")
    page.mouse.move(box["x"] + 5, box["y"] + box["height"] + 40)
    assert to_screen(page)[-1]["drag"][1] == 1


@pytest.mark.parametrize(("is_copied", "told"), [("true", "Copied."), ("false", "Ctrl-C")])
def test_line_is_selected_and_copied_until_there_is_another(page, is_copied, told):
    page.evaluate(f"document.execCommand = () => {is_copied}")
    page.get_by_role("button", name="Export").click()
    line = "hear({ part: 'export', view: sent.at(-1).view, line: 'Picture()' })"
    page.evaluate(line)
    page.get_by_role("button", name="Copy the Python line").click()
    expect(page.get_by_text(told)).to_be_visible()
    assert page.evaluate("String(getSelection())") == "Picture()"
    page.evaluate(line)
    expect(page.get_by_text(told)).to_have_count(0)
