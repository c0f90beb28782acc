"""The connection to the server is cut and mended, or the kernel dies: what a reader is told."""

import os
import signal
from types import SimpleNamespace
from urllib.parse import urlparse

import pytest
from playwright.sync_api import expect

from tests.browser.cable import Cable
from tests.browser.lab import SECOND, Lab
from tests.browser.test_explorer_in_lab import TABLE, printed

STATUS = "() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.status"
MOVE = """slider => {
    slider.valueAsNumber += 1;
    slider.dispatchEvent(new Event('input', { bubbles: true }));
}"""


@pytest.fixture(scope="module")
def cable(server):
    """What the page's connections go through."""
    return Cable(urlparse(server.base).port)


@pytest.fixture
def explorer(browser, server, cable):
    """An explorer in a page whose connection can be cut."""
    base = f"http://127.0.0.1:{cable.port}"
    lab = Lab(browser.new_page(), SimpleNamespace(**vars(server) | {"base": base}))
    explorer = lab.explore("cut", TABLE, "import os\nprint(os.getpid())", "picture.explore()")
    explorer.kernel = int(printed(lab, 1))
    yield explorer
    lab.page.close()
    lab.shut_down_kernels()


def notice(explorer):
    return explorer.root.locator(".posviz-screen [role=status]")


@pytest.mark.release("half a minute")
@pytest.mark.parametrize("seconds", [2, 40])
def test_explorer_after_a_cut_agrees_with_its_slider(explorer, cable, seconds):
    """A hand that drags on meanwhile is followed to where it stands."""
    slider = explorer.handle("position")
    slider.evaluate(MOVE)
    cable.cut()
    expect(notice(explorer)).to_contain_text("the connection is cut")
    for _ in range(10 * seconds):
        slider.evaluate(MOVE)
        explorer.page.wait_for_timeout(100)
    cable.mend()
    expect(notice(explorer)).to_be_empty(timeout=5 * SECOND)
    _, place, _ = explorer.range("position")
    assert place > 10 + 5 * seconds or place == 127
    explorer.stands_at("position", str(place))
    expect(explorer.root.locator("figcaption")).to_contain_text(f"Row {place} ")
    assert slider.get_attribute("data-unanswered") == "false"


@pytest.mark.release("a server of its own")
def test_killed_kernel_is_told_as_soon_as_jupyterlab_knows(explorer):
    page = explorer.page
    os.kill(explorer.kernel, signal.SIGKILL)
    page.wait_for_function(f"({STATUS})() !== 'idle'", polling=50, timeout=30 * SECOND)
    expect(notice(explorer)).to_contain_text("it has stopped. Run this cell again", timeout=2000)
