"""What a view does by itself, and when the kernel does not answer: its clock is ours."""

import pytest
from playwright.sync_api import expect

from posviz.pictures.copy_button import CopyButton
from posviz.pictures.screen import Screen
from posviz.pictures.slider import Slider

SHOW = """async (text) => {
    const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
    const { default: { render } } = await import(url);
    const traits = { label: "x", last_place: 10, range: "from 0 to 10", play: true,
        css: [800, 450] };
    window.sent = [];
    const listeners = [];
    const signal = { connect: (listener) => { listeners.push(listener); }, disconnect: () => {} };
    const kernel = {
        connectionStatus: "connected",
        isDisposed: false,
        statusChanged: { connect: () => {}, disconnect: () => {} },
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
        get: (name) => traits[name],
        on: (event, listener) => { if (event === "msg:custom") window.hear = listener; },
        off: () => {},
        send: (message) => { window.sent.push(message); },
    };
    render({ model, el: document.body });
}"""
HEARD = "hear({ view: sent[0].view, number: 1, place: 2, text: '2', change: 0, refused })"
ANSWER = f"(refused) => {HEARD}"
FRAME = """async () => {
    const canvas = new OffscreenCanvas(2, 2);
    canvas.getContext("2d");
    const png = new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer());
    const told = { frame: 1, caption: "Row 1", whole: true, artists: 0, moved: [], buffers: 2 };
    hear(told, [png, new Uint8Array(0)]);
}"""
COPY = """async (text) => {
    const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
    const { default: { render } } = await import(url);
    const on = (_, show) => { window.show = show; };
    render({ el: document.body, model: { get: (name) => name, off() {}, on } });
    document.execCommand = () => true;
    Object.defineProperty(navigator, "clipboard", { value: { writeText: async () => {} } });
}"""
MOVE = """(place) => {
    const slider = document.querySelector("[type=range]");
    slider.value = place;
    slider.dispatchEvent(new Event("input"));
}"""


@pytest.fixture
def page(browser):
    page = browser.new_context().new_page()
    page.clock.install(time=0)
    page.goto("about:blank")
    page.clock.pause_at(600)
    yield page
    page.context.close()


def sent(page) -> list[dict]:
    """What the view has sent, without its name."""
    return [{k: v for k, v in m.items() if k != "view"} for m in page.evaluate("sent")]


def test_a_slider_sends_the_newest_value_five_seconds_after_what_was_lost(page):
    page.evaluate(SHOW, Slider._esm)
    page.evaluate("hear({ view: sent[0].view, number: 1, place: 2, text: '2', change: 0 })")
    for place in (5, 6, 7):
        page.evaluate(MOVE, place)
    opened, lost = {"number": 1, "change": -1}, {"number": 2, "change": 0, "place": 5}
    page.clock.run_for(4000)
    assert sent(page) == [opened, lost]
    page.clock.run_for(1100)
    assert sent(page) == [opened, lost, {"number": 3, "change": 0, "place": 7}]


def test_a_screen_goes_on_asking_and_an_answer_takes_its_notice_away(page):
    page.evaluate(SHOW, Screen._esm)
    ask, pulse = (
        {"ratio": 1, "plain": False, "dark": False} | more for more in ({"ask": True}, {})
    )
    notice = page.locator(".posviz-notice")
    page.clock.run_for(9000)
    assert (sent(page), notice.inner_text()) == ([ask, pulse], "")
    page.clock.run_for(4000)
    assert notice.inner_text().startswith("The kernel does not answer")
    assert sent(page) == [ask, pulse, pulse, pulse]  # after 2, 10 and 12 seconds
    page.evaluate("hear({ pong: 'another view' })")
    assert notice.inner_text() == ""
    assert sent(page)[-1] == ask


def test_a_cut_is_told_and_the_way_tried_again_until_it_is_there(page):
    page.evaluate(SHOW, Screen._esm)
    ask = {"ask": True, "ratio": 1, "plain": False, "dark": False}
    notice = page.locator(".posviz-notice")
    page.evaluate("tell('connecting')")
    page.clock.run_for(250)
    assert "the connection is cut" in notice.inner_text()
    page.clock.run_for(7000)
    assert page.evaluate("tried") == 3
    assert sent(page) == [ask]
    page.evaluate("tell('connected')")
    assert sent(page) == [ask, ask]
    assert "the connection is cut" in notice.inner_text()
    page.evaluate("hear({ pong: 'another view' })")
    assert notice.inner_text() == ""
    page.clock.run_for(7000)
    assert page.evaluate("tried") == 3


def test_a_slider_sends_again_what_a_cut_swallowed(page):
    page.evaluate(SHOW, Slider._esm)
    page.evaluate("hear({ view: sent[0].view, number: 1, place: 2, text: '2', change: 0 })")
    page.evaluate("tell('connected')")
    assert len(sent(page)) == 1  # nothing was lost
    page.evaluate(MOVE, 5)
    page.clock.run_for(1000)
    page.evaluate("tell('connected')")
    assert sent(page)[1:] == [{"number": n, "change": 0, "place": 5} for n in (2, 3)]
    page.evaluate("tell('connecting')")
    for place in (6, 7):
        page.evaluate(MOVE, place)
        page.clock.run_for(6000)
    assert len(sent(page)) == 3
    page.evaluate("tell('connected')")
    assert sent(page)[3:] == [{"number": 4, "change": 0, "place": 7}]


def test_a_value_that_was_typed_counts_when_the_box_is_left(page):
    page.evaluate(SHOW, Slider._esm)
    page.evaluate(ANSWER)
    page.locator("[type=text]").fill("7")
    page.keyboard.press("Tab")
    assert sent(page)[-1].get("typed") == "7"


def test_a_box_that_is_given_up_is_wrong_no_longer(page):
    page.evaluate(SHOW, Slider._esm)
    page.evaluate(ANSWER, "no")
    box = page.locator("[type=text]")
    expect(box).to_have_attribute("aria-invalid", "true")
    box.press("Escape")
    expect(box).to_have_attribute("aria-invalid", "false")


def test_play_shows_ten_places_in_six_seconds(page):
    page.evaluate(SHOW, Slider._esm)
    page.evaluate(ANSWER)
    page.get_by_role("button", name="Play x", exact=True).click()
    page.clock.run_for(500)
    assert len(sent(page)) == 1
    page.clock.run_for(150)
    assert sent(page)[1:] == [{"number": 2, "change": 0, "place": 3}]


def test_a_caption_is_said_when_the_picture_stands_still(page):
    page.evaluate(SHOW, Screen._esm)
    page.evaluate(FRAME)
    expect(page.locator("figcaption")).to_have_text("Row 1")
    page.clock.run_for(800)
    expect(page.locator(".posviz-said")).to_have_text("Row 1")


def test_a_drag_over_the_edge_stays_within_the_picture(page):
    page.evaluate(SHOW.replace("css:", "drags: true, css:"), Screen._esm)
    box = page.locator("canvas").bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    page.mouse.down()
    page.evaluate("hear({ pong: sent[0].view })")
    page.mouse.move(box["x"] + 5, box["y"] + box["height"] + 40)
    assert sent(page)[-1]["drag"][1] == 1


def test_line_is_copied_until_there_is_another(page):
    page.evaluate(COPY, CopyButton._esm)
    page.get_by_role("button").click()
    expect(page.get_by_role("status")).to_have_text("Copied.")
    page.evaluate("show()")
    expect(page.get_by_role("status")).to_be_empty()


def test_line_is_selected_where_there_is_no_clipboard(page):
    page.evaluate(COPY, CopyButton._esm)
    page.evaluate("document.execCommand = () => false; navigator.clipboard.writeText = undefined")
    page.get_by_role("button").click()
    expect(page.get_by_role("status")).to_contain_text("Ctrl-C")
    assert page.evaluate("String(getSelection())")
