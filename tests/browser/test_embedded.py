"""One picture in a frame of somebody else's page: it moves there, light or dark as that page is."""

import pytest
from playwright.sync_api import expect

from posviz import RotatingVectors
from posviz_tools.publish.embedded import write_picture
from tests.browser.explorer import ExplorerOnPage
from tests.browser.server import served


def test_on_a_disk_a_narrow_frame_shows_all_and_tells_how_to_serve_it(browser, tmp_path):
    path = write_picture(RotatingVectors(query=9), tmp_path / "live" / "rope.html")
    page = browser.new_page()
    page.goto(path.as_uri())
    expect(page.get_by_role("status")).to_contain_text("python -m http.server in this folder")
    for width in (320, 390, 560):
        page.set_viewport_size({"width": width, "height": 600})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        edges = page.locator("main *").evaluate_all(
            "all => all.map(el => el.getBoundingClientRect()).map(box => [box.left, box.right])"
        )
        assert all(left >= 0 and right <= width for left, right in edges)
    page.close()


@pytest.mark.release("starts Python in a browser")
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
