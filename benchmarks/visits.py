"""Two builds of the site beside each other: what a visit loads, and when the first picture lives.

python benchmarks/visits.py BEFORE AFTER [PAGE [REPETITIONS]]     folders that `posviz site --to` wrote

First, second and third visits, the builds in turn, in Chromium and, where it is installed, Firefox.
"""

import contextlib
import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.browser import firefox
from tests.browser.server import chromium, served

VISITS = 3
KEPT = 9  # seconds from a living picture until the next visit: by then Python's memory is kept
WATCH = """
const first = document.querySelector(".posviz-live");
first.scrollIntoView();
if (first.dataset.alive === "true") window.lived ??= performance.now();
return window.lived ?? 0;
"""


@contextlib.contextmanager
def chromium_tab():
    """A tab of a browser that was never here: what opens an address, what evaluates a script."""
    with chromium() as browser, contextlib.closing(browser.new_context()) as context:
        page = context.new_page()
        yield page.goto, lambda script: page.evaluate(f"() => {{ {script} }}")


@contextlib.contextmanager
def firefox_tab():
    """The same in Firefox."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        with firefox.firefox(Path(profile)) as tab:
            yield tab.open, tab.evaluate


def visits(tab, address):
    """Return the milliseconds from the page's begin to its first living picture, by visit."""
    took = []
    with tab() as (go, evaluate):
        for _ in range(VISITS):
            go(address)
            wait = "return new Promise((later) => setTimeout(later, 50))"
            while not (lived := evaluate(WATCH)):
                evaluate(wait)
            took.append(lived)
            evaluate(f"return new Promise((later) => setTimeout(later, {KEPT * 1000}))")
            go("about:blank")
    return took


def main():
    """Print the medians and their ratios."""
    folders, (page, repetitions) = sys.argv[1:3], [*sys.argv[3:5], "05_rope", "5"][:2]
    if len(sys.argv) == 4:
        repetitions = "5"
    sizes = [
        sum(file.stat().st_size for file in Path(folder, "assets/live").glob("*.bin")) / 1e6
        for folder in folders
    ]
    print("megabytes {:.1f} {:.1f} ratio {:.2f}".format(*sizes, sizes[1] / sizes[0]))
    for tab in [chromium_tab, firefox_tab][: 1 + bool(firefox.PATH)]:
        rows = {folder: [] for folder in folders}
        for _ in range(int(repetitions)):
            for folder, found in rows.items():
                with served(folder) as address:
                    found.append(visits(tab, f"{address}/{page}.html"))
                print(tab.__name__, folder, *(f"{ms:.0f}" for ms in found[-1]), flush=True)
        for visit, columns in enumerate(range(VISITS), 1):
            before, after = (
                statistics.median(found[columns] for found in rows[folder]) for folder in folders
            )
            print(f"{tab.__name__}, visit {visit}: {before:.0f} {after:.0f} ms, ratio {after / before:.2f}")


if __name__ == "__main__":
    main()
