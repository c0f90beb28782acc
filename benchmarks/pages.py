"""Living pages: the first picture, each knob's answer, and frames a second of a drag.

python benchmarks/pages.py [05 08 …]     the lessons to measure; without them all
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from hand import EVENTS
from stage import FOLDER

from posviz_course import lessons
from tests.browser.explorer import ExplorerOnPage
from tests.browser.server import chromium

EVERY = [f"{number:02}" for number in range(14)]  # lessons
PLACES = 6  # of a slider
DRAGGED = {  # a moving marker, eight moving arrows, new images
    "SinusoidalTable": "position",
    "RotatingVectors": "together",
    "AlibiScores": "distance",
}
ALIVE = "el => el.querySelector('canvas')?.dataset.frame > 0"
# Moves a slider there and waits for the answer and the pixels; returns the milliseconds, or null.
MOVE = """async ([slider, canvas, place]) => {
  if (slider.valueAsNumber === place) return null;
  const began = performance.now();
  const due = () => slider.dataset.unanswered === "true" || "painting" in canvas.dataset;
  slider.valueAsNumber = place;
  slider.dispatchEvent(new Event("input", { bubbles: true }));
  while (due() && performance.now() < began + 5000) await new Promise((later) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = later;
    port2.postMessage(0);
  });
  return performance.now() - began;
}"""


def visit(context, url, name):
    """Open the page, and print when its first picture lives."""
    page = context.new_page()
    page.add_init_script(path=FOLDER / "in_page.js")
    page.goto(url)
    first = page.locator(".posviz-live").first
    first.scroll_into_view_if_needed()
    began = time.perf_counter()
    page.wait_for_function(ALIVE, arg=first.element_handle(), timeout=120_000)
    print(f"{name}: first picture after {time.perf_counter() - began:.1f} s", flush=True)
    return page


def measure(page, place):
    """Return the median milliseconds of each knob's answer, and frames a second of a drag."""
    place.scroll_into_view_if_needed()
    page.wait_for_function(ALIVE, arg=place.element_handle(), timeout=60_000)
    page.wait_for_timeout(500)
    name = place.get_attribute("data-picture")
    picture = lessons.load(name)(**json.loads(place.get_attribute("data-values")))
    more = place.get_by_role("button", name="More", exact=True)
    if more.count() and more.get_attribute("aria-expanded") == "false":
        more.click()
    answers, frames = {}, {}
    for knob, about in picture.knobs().items():
        handle = place.get_by_role("slider", name=about.label, exact=True)
        if about.kind == "slider" and not handle.is_disabled():
            answers[name, knob] = answer(page, handle, place)
            if DRAGGED.get(name) == knob:
                frames[name, knob] = drag(page, handle, f'[data-picture="{name}"] canvas')
            place.get_by_role("button", name="Reset", exact=True).click()
            ExplorerOnPage(page, place).stands_still()
    return answers, frames


def answer(page, handle, place):
    """Move a slider from end to end; return the median milliseconds of its answers."""
    last = int(handle.get_attribute("max"))
    both = [handle.element_handle(), place.locator("canvas").element_handle()]
    places = sorted({round(i * last / (PLACES - 1)) for i in range(PLACES)})
    took = [page.evaluate(MOVE, [*both, where]) for where in places]
    return statistics.median([ms for ms in took if ms is not None] or [0])


def drag(page, handle, canvas):
    """Drag for three seconds; return the frames a second that were seen."""
    page.evaluate("of => { bench.watch(of); bench.events = []; bench.changes = []; }", canvas)
    handle.evaluate("(handle, events) => bench.drag(handle, events)", EVENTS)
    events, changes = page.evaluate("() => [bench.events, bench.changes]")
    handle.evaluate("() => bench.letGo()")
    page.evaluate("() => { bench.watching = false; }")
    seconds = (events[-1] - events[0]) / 1000
    return sum(events[0] <= change <= events[-1] for change in changes) / seconds


def main():
    """Build the pages, serve them as any server would, and measure."""
    chosen = sys.argv[1:] or EVERY
    answers, frames = {}, {}
    with tempfile.TemporaryDirectory() as site, chromium() as browser:
        subprocess.run([sys.executable, "-m", "posviz", "site", *chosen, "--to", site], check=True)
        serve = [sys.executable, "-m", "http.server", "8975", "--bind", "127.0.0.1", "-d", site]
        server = subprocess.Popen(serve, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        time.sleep(1)
        context = browser.new_context(viewport={"width": 1280, "height": 720})
        try:
            for file in sorted(Path(site).glob("[0-9]*.html")):
                page = visit(context, f"http://127.0.0.1:8975/{file.name}", file.stem)
                for place in page.locator(".posviz-live").all():
                    found = measure(page, place)
                    answers |= found[0]
                    frames |= found[1]
                page.close()
        finally:
            server.terminate()
    report(answers, frames)


def report(answers, frames):
    """Print how many answers are in time, the slowest, and the drags."""
    took = answers.values()
    fast, fair = (sum(ms <= limit for ms in took) for limit in (16, 33))
    print(f"{len(took)} knobs: median {statistics.median(took):.1f} ms, {fast} ≤ 16, {fair} ≤ 33")
    for (name, knob), ms in sorted(answers.items(), key=lambda item: -item[1])[:12]:
        print(f"  {name}.{knob} {ms:.0f} ms")
    for (name, knob), number in frames.items():
        print(f"{name}.{knob}, dragged: {number:.0f} frames a second")


if __name__ == "__main__":
    main()
