"""An explorer where a reader may meet it outside JupyterLab: in Notebook 7 and in Voila."""

import json
import re

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import expect

from posviz_course.configs.builtin import CONFIGS
from tests.browser.hosts import notebook7, voila
from tests.browser.lab import SECOND, Lab

pytestmark = pytest.mark.release("half a minute for each front end")
CODE = "from posviz import SinusoidalTable\nSinusoidalTable().explore()"
READER = "from posviz import ConfigReader\nConfigReader(model='pasted').explore()"
KERNEL = {"name": "python3", "display_name": "Python 3", "language": "python"}
HOSTS = {"notebook7": notebook7, "voila": voila}
VOILA_ASKS_FOR = "https://cdn.jsdelivr.net/npm/@fortawesome/"  # in its template; it needs no answer

CUT_OFF = """root => {
    const right = element => element.getBoundingClientRect().right;
    const edge = Math.min(right(root), window.innerWidth) + 1;
    return [...root.querySelectorAll('*')].filter(element => right(element) > edge)
        .map(element => element.outerHTML);
}"""


@pytest.fixture(scope="module", params=list(HOSTS))
def host(request, browser, tmp_path_factory):
    """A page of this host with the notebook, after its cell has run."""
    home = tmp_path_factory.mktemp(request.param)
    path = home / "elsewhere.ipynb"
    cells = [new_code_cell(CODE), new_code_cell(READER)]
    notebook = new_notebook(cells=cells, metadata={"kernelspec": KERNEL})
    nbformat.write(notebook, path)
    failed_before = request.session.testsfailed
    with HOSTS[request.param](path, home) as server:
        context = browser.new_context(viewport={"width": 1280, "height": 960})
        host = Lab(context.new_page(), server)
        host.page.set_default_timeout(60 * SECOND)  # to load, a busy machine may need as long
        host.page.goto(server.url)
        if request.param == "notebook7":
            host.page.locator(".jp-Notebook .jp-Cell").nth(1).wait_for()
            host.wait_until_ready()
            host.page_errors.clear()  # Notebook 7.6 has one of its own while it loads
            host.run_all()
        host.page.locator(".posviz-explorer").nth(1).wait_for()
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        yield host
        failed = request.session.testsfailed > failed_before
        host.screenshot(f"failed_{request.param}" if failed else request.param)
        context.close()
    assert host.page_errors == []
    assert [url for url in host.requests_elsewhere if not url.startswith(VOILA_ASKS_FOR)] == []


@pytest.fixture
def explorer(host):
    return host.explorers()[0]


def says(explorer, text):
    """Wait until the caption begins so: the kernel has then heard the slider's last word."""
    caption = explorer.root.locator("figcaption")
    expect(caption).to_have_text(re.compile("^" + re.escape(text)), timeout=10 * SECOND)


def test_first_picture_is_there_and_nothing_is_cut_off(explorer):
    assert explorer.canvas.bounding_box()["width"] == pytest.approx(800 * explorer.scale(), abs=1)
    assert explorer.caption().startswith("Row 10 ")
    assert explorer.alert() == ""
    assert explorer.root.evaluate(CUT_OFF) == []


def test_keys_on_a_slider_change_the_picture_and_its_caption(explorer):
    with explorer.changes():
        explorer.press("position", "ArrowRight", times=3)
    says(explorer, "Row 13 ")
    explorer.stands_at("position", "13")


def test_picture_follows_a_drag_to_its_end(explorer):
    with explorer.changes():
        explorer.drag("position", 150)
    _, place, _ = explorer.range("position")
    says(explorer, f"Row {place} ")
    assert place > 13
    explorer.button("Reset").click()
    says(explorer, "Row 10 ")


def test_configuration_is_pasted(host):
    _, reader = host.explorers()
    text = json.dumps(CONFIGS["DeepSeek-V3"] | {"notes": "x" * 5000}, indent=1)
    host.page.evaluate("text => navigator.clipboard.writeText(text)", text)
    reader.root.get_by_role("textbox", name="config.json").click()
    host.page.keyboard.press("Control+V")
    host.page.keyboard.press("Enter")
    says(reader, "The pasted text: unscaled frequencies for 4,096 tokens, 163,840 promised")
