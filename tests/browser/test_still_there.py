"""A saved lesson on another day: pictures and captions without a kernel, explorers with theirs."""

import pytest
from playwright.sync_api import expect

from tests.browser.lab import Lab
from tests.browser.server import jupyterlab

CELLS = "from posviz import SinusoidalTable", "SinusoidalTable().explore()"


@pytest.fixture
def saved(lab):
    """A notebook that was run and saved, still open, with its explorer moved afterwards."""
    lab.write("tomorrow", *CELLS)
    lab.run_all()
    lab.save()
    [explorer] = lab.explorers()
    with explorer.changes():
        explorer.press("position", "ArrowRight")
    return lab


def shows_the_stored_picture(lab):
    outputs = lab.page.locator(".jp-CodeCell").nth(1).locator(".jp-OutputArea-output")
    expect(outputs).to_have_count(2)
    picture = outputs.first.locator("img")
    expect(picture).to_be_visible()
    assert picture.evaluate("image => image.naturalWidth") == 800
    expect(outputs.last).to_contain_text("Row 10 has ")
    expect(outputs.last).to_contain_text("Run this cell to move it.")
    expect(lab.page.locator(".jp-Notebook")).not_to_contain_text("Error")


def test_a_saved_explorer_is_a_picture_until_it_is_run(saved):
    saved.shut_down_kernels()
    saved.open("tomorrow")
    shows_the_stored_picture(saved)
    saved.run_all()
    [explorer] = saved.explorers()
    with explorer.changes():
        explorer.press("position", "ArrowRight")


@pytest.mark.release("six seconds each")
def test_a_page_loaded_again_has_the_explorer_as_it_was(saved):
    saved.open("tomorrow", saved.kernel)
    expect(saved.page.locator(".posviz-explorer")).to_have_count(1)
    [explorer] = saved.explorers()
    explorer.stands_at("position", "11")
    with explorer.changes():
        explorer.press("position", "ArrowRight")


@pytest.mark.release("six seconds each")
def test_a_kernel_that_was_restarted_is_another_one(saved):
    saved.page.evaluate(
        "() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()"
    )
    saved.save()
    saved.open("tomorrow", saved.kernel)
    shows_the_stored_picture(saved)


@pytest.mark.release("a server of its own")
def test_a_server_without_posviz_shows_the_stored_picture(saved, browser, tmp_path):
    off = '--ServerApp.jpserver_extensions={"posviz.pictures.server": False}'
    with jupyterlab(saved.server.folder, tmp_path, off) as server:
        elsewhere = Lab(browser.new_page(), server)
        elsewhere.open("tomorrow")
        shows_the_stored_picture(elsewhere)
        elsewhere.page.close()
