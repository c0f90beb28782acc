"""Fixtures for tests in a real browser: JupyterLab as run.py starts it, Chromium, pages, slides."""

import shutil

import pytest

import run
from posviz_course.lessons import load
from posviz_tools.publish import images, page, slides
from posviz_tools.publish.site import gallery, pages
from tests.browser import firefox, lessons
from tests.browser.lab import Lab
from tests.browser.lessons import LESSON, writer
from tests.browser.server import chromium, jupyterlab

collect_ignore = [] if firefox.PATH else ["test_firefox.py"]


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
def page_of(tmp_path_factory):
    """The page of a lesson, by the lesson's name, in the folder of the website."""
    return writer(page.write_page, tmp_path_factory.mktemp("site"))


@pytest.fixture(scope="session")
def slides_of(tmp_path_factory):
    """The slides of a lesson, by the lesson's name."""
    return writer(slides.write_slides, tmp_path_factory.mktemp("slides"))


@pytest.fixture(scope="session")
def site(page_of):
    """The website of one lesson, with its slides and its pictures in small."""
    lesson, to = lessons.lesson(LESSON), page_of(LESSON).parent
    for picture in gallery.shown([lesson]):
        images.write_narrow(load(picture.name)(), to)
    slides.write_slides(lesson, to)
    pages.write_site([lesson], to)
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
