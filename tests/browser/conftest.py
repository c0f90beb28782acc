"""Fixtures for tests in a real browser: JupyterLab as run.py starts it, Chromium, a fresh page."""

import os
import shutil
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import run
from posviz.engine.export import png_bytes
from posviz.publish import page
from posviz.publish.assets import write
from posviz.publish.site import pages
from tests.browser.lab import Lab
from tests.browser.lessons import lesson, writer
from tests.browser.server import chromium, jupyterlab

WHITE = png_bytes(np.full((270, 480, 4), 255, np.uint8))


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """JupyterLab on a copy of the notebooks."""
    home = tmp_path_factory.mktemp("lab")
    folder = home / "notebooks"
    shutil.copytree(run.NOTEBOOKS, folder, ignore=shutil.ignore_patterns("figures", ".*"))
    with jupyterlab(folder, home) as server:
        yield server


@pytest.fixture(scope="package")  # not longer: Playwright's loop would be in the way of others
def browser():
    """Chromium, without a window."""
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="session")
def executed(tmp_path_factory):
    """A folder, for all workers, of the lessons that have been executed, with filmstrips."""
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "executed"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def page_of(tmp_path_factory, executed):
    """The page of a lesson, by the lesson's name, in the folder of the website."""
    return writer(page, page.write_page, executed, tmp_path_factory.mktemp("site"))


@pytest.fixture(scope="session")
def site(page_of, executed, everything):
    """The website; but for a release, its thumbnails are white."""
    notebooks = sorted(run.NOTEBOOKS.glob(f"{page.LESSONS}.ipynb"))
    with ThreadPoolExecutor(2) as workers:
        list(workers.map(lambda path: lesson(path, executed), notebooks))
    to, *_ = {page_of(path.stem).parent for path in notebooks}
    for names, draw in pages.jobs([], to, "").items():
        if everything:
            draw()
        for name in names.split(", ") * (not everything):
            write(to / "assets" / "pictures" / name, WHITE)
    pages.write_site(notebooks, "", to)
    return to


@pytest.fixture
def density(request):
    """How many pixels of the screen make one pixel of the page."""
    return getattr(request, "param", 1)


@pytest.fixture(scope="package")
def labs(browser, server):
    """JupyterLab in the browser, by density: a test shows its notebook where the last one did."""
    open_labs = {}
    yield open_labs
    for lab in open_labs.values():
        lab.page.context.close()


@pytest.fixture
def lab(browser, server, labs, density, request):
    """A page with the helpers of `Lab` and no notebook; afterwards lessons' kernels are ended.

    A failed test leaves a screenshot, and no test may have asked another machine for anything.
    """
    if density not in labs:
        context = browser.new_context(
            viewport={"width": 1280, "height": 960},
            device_scale_factor=density,
            accept_downloads=True,
            reduced_motion="reduce",  # animations of JupyterLab take a tenth of a lesson
        )
        labs[density] = Lab(context.new_page(), server)
    lab = labs[density]
    lab.page_errors.clear()
    lab.requests_elsewhere.clear()
    failed_before = request.session.testsfailed
    yield lab
    failed = request.session.testsfailed > failed_before
    if failed:
        lab.screenshot(f"failed_{request.node.name}")
    if failed or lab.spoilt:
        labs.pop(density).page.context.close()
        lab.kernel = None
    else:
        lab.close()
    lab.shut_down_kernels(but=lab.kernel)
    assert lab.requests_elsewhere == []
