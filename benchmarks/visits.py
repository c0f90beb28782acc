"""Two builds of the site beside each other: what a visit loads, and when its first picture lives.

python benchmarks/visits.py BEFORE AFTER [REPETITIONS]     folders that `posviz site 05` wrote

First, second and third visits, the builds in turn, in Chromium, and in Firefox where it is.
"""

import contextlib
import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.browser.firefox import PATH, firefox
from tests.browser.server import chromium, served

PAGE = "05_rope.html"
VISITS = 3
KEPT = 9000  # milliseconds after which Python's memory is kept for the next visit
LIVES = """
const first = document.querySelector(".posviz-live");
first.scrollIntoView();
if (first.dataset.alive === "true") globalThis.lives ??= performance.now();
return globalThis.lives ?? 0;
"""


@contextlib.contextmanager
def in_chromium():
    """What opens an address, and what runs the body of a function, in a browser that is new."""
    with chromium() as browser, browser.new_context() as context:
        page = context.new_page()
        yield page.goto, lambda script: page.evaluate(f"() => {{ {script} }}")


@contextlib.contextmanager
def in_firefox():
    """The same in Firefox."""
    folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
    with folder as profile, firefox(Path(profile)) as tab:
        yield tab.open, tab.evaluate


def visits(browser, address):
    """Return the milliseconds from a page's begin to its first living picture, by visit."""
    took = []
    with browser() as (go, run):
        for _ in range(VISITS):
            go(address)
            while not (lived := run(LIVES)):
                run("return new Promise((later) => setTimeout(later, 50))")
            took.append(lived)
            run(f"return new Promise((later) => setTimeout(later, {KEPT}))")
            go("about:blank")
    return took


def main():
    """Print each run, then medians and their ratios."""
    folders, [repetitions] = sys.argv[1:3], sys.argv[3:] or ["5"]
    loaded = [
        sum(file.stat().st_size for file in Path(folder).glob("assets/live/*.bin")) / 1e6
        for folder in folders
    ]
    print("MB {:.1f} {:.1f}, ratio {:.2f}".format(*loaded, loaded[1] / loaded[0]))
    for browser in [in_chromium, in_firefox][: 1 + bool(PATH)]:
        took = [[], []]
        for _ in range(int(repetitions)):
            for folder, runs in zip(folders, took, strict=True):
                with served(folder) as address:
                    runs.append(visits(browser, f"{address}/{PAGE}"))
                print(browser.__name__, folder, *(f"{ms:.0f}" for ms in runs[-1]), flush=True)
        for visit in range(VISITS):
            one, other = (statistics.median(run[visit] for run in runs) for runs in took)
            print(f"visit {visit + 1}: {one:.0f} {other:.0f} ms, ratio {other / one:.2f}")


if __name__ == "__main__":
    main()
