"""A page is left while its Python starts, again and again: no tab dies, and the last page lives."""

import random

import pytest

from tests.browser.server import served
from tests.browser.test_live import START

VISITS, OF_ONE = 200, 10  # visits in all; of one reader, whose browser keeps what it has fetched
SECONDS = 0.1, 0.3, 0.6, 1, 1.5, 2.5  # until a page is left
FOLLOW = """href => {
    document.body.prepend(Object.assign(document.createElement("a"), { href }));
    document.links[0].click();
}"""


@pytest.mark.release("minutes")
def test_no_tab_dies_when_a_page_is_left_early(browser, site):
    rng, died = random.Random(0), []

    def follow(page):
        with page.expect_navigation(wait_until="commit"):
            page.evaluate(FOLLOW, url)

    with served(site) as address:
        url = f"{address}/{next(site.glob('00_*.html')).name}"
        ways = (
            follow,
            lambda page: page.go_back(wait_until="commit"),
            lambda page: page.go_forward(wait_until="commit"),
            lambda page: page.reload(wait_until="commit"),
        )
        for _ in range(VISITS // OF_ONE):
            with browser.new_context() as context:
                page = context.new_page()
                page.on("crash", lambda _: died.append(True))
                page.goto(url, wait_until="commit")
                for _ in range(OF_ONE):
                    page.wait_for_timeout(1000 * rng.choice(SECONDS))
                    rng.choice(ways)(page)
                page.goto(url)
                page.wait_for_selector("[data-alive=true]", timeout=START)
    assert died == []
