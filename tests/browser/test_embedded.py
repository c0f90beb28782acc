"""One picture in a frame of somebody else's page: it moves there, light or dark as that page is."""

import pytest
from playwright.sync_api import expect

from posviz import RotatingVectors
from posviz.publish.embedded import write_picture
from tests.browser.explorer import ExplorerOnPage
from tests.browser.server import served

pytestmark = pytest.mark.release("starts Python in a browser")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_picture_in_a_frame_moves_in_the_theme_of_its_address(browser, tmp_path, theme):
    write_picture(RotatingVectors(query=9), tmp_path / "live" / "rope.html")
    frame = f'<iframe src="live/rope.html?theme={theme}" width="900" height="600"></iframe>'
    (tmp_path / "index.html").write_text(f"<!doctype html><title>Mine</title>{frame}")
    with served(tmp_path) as address:
        page = browser.new_page()
        page.goto(f"{address}/index.html")
        inner = page.frames[1]
        root = inner.locator(".posviz-live")
        expect(root).to_have_attribute("data-alive", "true", timeout=60_000)
        explorer = ExplorerOnPage(page, root)
        explorer.press("query starts at", "End")
        explorer.stands_at("query starts at", "30")
        ink = root.locator("figcaption, .posviz-caption").first
        dark = ink.evaluate("el => getComputedStyle(el).color") != "rgb(31, 35, 40)"
        assert dark == (theme == "dark")
        page.close()
