"""What a reader sees first: the first notebook, and nothing in the way."""

from playwright.sync_api import expect


def test_the_first_screen_is_the_first_notebook_and_nothing_else(lab, server):
    lab.page.goto(server.url)
    notebook = lab.page.locator(".jp-Notebook")
    expect(notebook).to_have_count(1, timeout=60_000)
    lab.wait_until_ready()
    assert lab.page.url.endswith("/lab/tree/00_start_here.ipynb")
    expect(lab.page.locator(".lm-TabBar-tab.lm-mod-current .lm-TabBar-tabLabel")).to_contain_text(
        ["00_start_here.ipynb"]
    )
    lab.page.wait_for_timeout(3000)  # the question about news came after about a second
    lab.screenshot("first_screen")
    expect(lab.page.locator(".Toastify__toast")).to_have_count(0)
    expect(lab.page.locator(".jp-Dialog")).to_have_count(0)
    assert lab.page_errors == []


def test_an_explorer_that_was_run_is_all_on_the_screen_with_what_to_try(lab):
    page, explore = lab.page, "from posviz import SinusoidalTable\nSinusoidalTable().explore()"
    before = page.viewport_size
    page.set_viewport_size({"width": 1280, "height": 720})
    lab.write("run", "1", explore, below="**Try.** Play it.\n\n**Notice.** It moves.")
    page.locator(".jp-CodeCell .cm-content").nth(1).click()
    page.keyboard.press("Shift+Enter")
    page.locator(".posviz-explorer canvas[data-frame]").wait_for()
    [explorer] = lab.explorers()
    for part in (".posviz-try", ".posviz-controls", "figcaption", "canvas"):
        expect(explorer.root.locator(part)).to_be_in_viewport(ratio=0.99)
    lab.screenshot("run_explorer")
    page.set_viewport_size(before)
