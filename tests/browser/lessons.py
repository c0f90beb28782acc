"""Which lessons are looked at in a browser, and their pages and slides."""

import copy
import functools
from concurrent.futures import ThreadPoolExecutor

import pytest

import run
from posviz.publish import lesson, page

ALL = sorted(path.stem for path in run.NOTEBOOKS.glob(f"{page.LESSONS}.ipynb"))
LESSON = "00_start_here"  # the shortest: its page and its slides are those of the default run
# Between them these have every kind of control, and they are quick.
SHORT = (LESSON, "01_why_order_matters", "11_position_from_content")

# In the kernel that fills a page: a slider has few places, which take a third of the time.
FEW_PLACES = "from posviz.pictures import filmstrip; filmstrip.GAPS = (1,)"


def lessons(default):
    """Every lesson for parametrize; all but the default ones are left to a release."""
    release = pytest.mark.release("every lesson")
    return [pytest.param(name, marks=() if name in default else release) for name in ALL]


@functools.cache
def executed(name):
    """The lesson as its kernel fills it for pages and slides."""
    path, extension = run.NOTEBOOKS / f"{name}.ipynb", lesson.__name__
    options = [f"extra_extensions={extension}", f"exec_lines={FEW_PLACES}"]
    with ThreadPoolExecutor(1) as other:  # Playwright's event loop runs in this thread
        given = [f"--IPKernelApp.{option}" for option in options]
        return other.submit(lesson.executed, path, *given).result()


def writer(module, write, to):
    """Return a function that writes a lesson, by its name, into a folder, each only once."""

    @functools.cache
    def written(name):
        filled = copy.deepcopy(executed(name))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, "executed_with_filmstrips", lambda _: filled)
            return write(run.NOTEBOOKS / f"{name}.ipynb", to)

    return written
