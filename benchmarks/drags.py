"""Frames a second while three sliders are dragged: on a page, and in JupyterLab, in turn.

python benchmarks/drags.py
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from hand import EVENTS
from pages import ALIVE
from slider import ONE_THREAD
from stage import FOLDER, Stage

from posviz import lessons
from tests.browser.server import chromium, jupyterlab

DRAGS = {
    "02": "SinusoidalTable.position",
    "05": "RotatingVectors.together",
    "08": "AlibiScores.distance",
}
ROUNDS = 3


class OnPage:
    """One picture of a served page, moved by the control with this label."""

    def __init__(self, browser, url, picture, label):
        self.page = browser.new_page(viewport={"width": 1280, "height": 960})
        self.page.add_init_script(path=FOLDER / "in_page.js")
        self.page.goto(url)
        place = self.page.locator(f'[data-picture="{picture}"]').first
        place.scroll_into_view_if_needed()
        self.page.wait_for_function(ALIVE, arg=place.element_handle(), timeout=120_000)
        self.page.wait_for_timeout(3000)
        self.slider = place.get_by_role("slider", name=label, exact=True)
        self.page.evaluate("of => bench.watch(of)", f'[data-picture="{picture}"] canvas')

    def frames(self):
        """Drag for three seconds; return the frames a second that were seen."""
        self.page.evaluate("() => { bench.events = []; bench.changes = []; }")
        self.slider.evaluate("(handle, events) => bench.drag(handle, events)", EVENTS)
        events, changes = self.page.evaluate("() => [bench.events, bench.changes]")
        self.slider.evaluate("() => bench.letGo()")
        self.page.wait_for_timeout(1000)
        seconds = (events[-1] - events[0]) / 1000
        return sum(events[0] <= change <= events[-1] for change in changes) / seconds


def main():
    """Print a row for each drag."""
    os.environ.update(ONE_THREAD)
    with tempfile.TemporaryDirectory() as home, chromium() as browser:
        site, notebooks = Path(home) / "site", Path(home) / "notebooks"
        notebooks.mkdir()
        subprocess.run([sys.executable, "-m", "posviz", "site", *DRAGS, "--to", site], check=True)
        serve = [sys.executable, "-m", "http.server", "8976", "--bind", "127.0.0.1", "-d", site]
        server = subprocess.Popen(serve, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        time.sleep(1)
        try:
            with jupyterlab(notebooks, Path(home)) as lab:
                print("| drag | page | JupyterLab |\n|---|---|---|")
                for lesson, drag in DRAGS.items():
                    compare(browser, lab, next(site.glob(f"{lesson}_*.html")).name, drag)
        finally:
            server.terminate()


def compare(browser, lab, file, drag):
    """Drag on the page and in JupyterLab, in turn."""
    picture, knob = drag.split(".")
    label = lessons.load(picture).knobs()[knob].label
    page = OnPage(browser, f"http://127.0.0.1:8976/{file}", picture, label)
    source = f"import posviz\nposviz.{picture}().explore()"
    stage = Stage(browser, lab, picture, source, label)
    stage.page.evaluate("of => bench.watch(of)", ".posviz-screen canvas")
    seen = [(page.frames(), stage._drag()[0]) for _ in range(ROUNDS)]
    here, there = map(statistics.median, zip(*seen, strict=True))
    print(f"| {drag} | {here:.0f} | {there:.0f} |", flush=True)
    page.page.close()
    stage.close()


if __name__ == "__main__":
    main()
