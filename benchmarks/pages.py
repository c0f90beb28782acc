"""A page whose pictures live: its weight, its first picture, each knob's answer, and its pixels.

python benchmarks/pages.py [05 08 …]     the lessons to measure; without them all
"""

import base64
import io
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from PIL import Image

sys.path.insert(0, str(Path(__file__).parent.parent))

from posviz import lessons
from posviz.pictures.knobs import numeric
from posviz.pictures.live_figure import LiveFigure
from posviz.pictures.picture import Picture
from tests.browser.explorer import Explorer
from tests.browser.server import chromium

EVERY = [f"{number:02}" for number in range(14)]  # lessons
PLACES = 6  # of a slider
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
PIXELS = "canvas => canvas.toDataURL().split(',')[1]"


def visit(context, url, name):
    """Open the page, and print when its first picture lives and whom it asked."""
    page, hosts = context.new_page(), set()
    page.on("request", lambda request: hosts.add(request.url.split("/")[2]))
    page.goto(url)
    first = page.locator(".posviz-live").first
    first.scroll_into_view_if_needed()
    began = time.perf_counter()
    page.wait_for_function(ALIVE, arg=first.element_handle(), timeout=120_000)
    seconds = time.perf_counter() - began
    print(f"{name}: first picture after {seconds:.1f} s, asked {', '.join(hosts)}", flush=True)
    return page


def answers(page, place, picture: Picture) -> dict[str, float]:
    """The median milliseconds of each knob's answer; the pixels of both ends are compared."""
    canvas, found = place.locator("canvas"), {}
    more = place.get_by_role("button", name="More", exact=True)
    if more.count() and more.get_attribute("aria-expanded") == "false":
        more.click()
    for name, knob in picture.knobs().items():
        handle = place.get_by_role("slider", name=knob.label, exact=True)
        if not isinstance(knob, numeric) or handle.is_disabled():
            continue
        last = int(handle.get_attribute("max"))
        both = [handle.element_handle(), canvas.element_handle()]
        took = []
        for where in sorted({round(i * last / (PLACES - 1)) for i in range(PLACES)}):
            took.append(page.evaluate(MOVE, [*both, where]))
            if where in (0, last):
                Explorer(page, place).stands_still()
                compare(page, place, picture, {name: knob.at(where)})
        place.get_by_role("button", name="Reset", exact=True).click()
        Explorer(page, place).stands_still()
        found[name] = statistics.median([ms for ms in took if ms is not None] or [0])
    return found


def compare(page, place, picture, values):
    """Print where the page's pixels are others than those of a kernel."""
    start = picture.values()
    picture.set_trait(*next(iter(values.items())))
    canvas = place.locator("canvas")
    png = base64.b64decode(page.evaluate(PIXELS, canvas.element_handle()))
    seen = np.asarray(Image.open(io.BytesIO(png)).convert("RGBA"))
    live = LiveFigure(picture)
    live.ratio = float(canvas.get_attribute("data-scale"))
    live.follow()
    live.paint()
    kernel = live.layers.pixels().astype(int)
    live.release()
    off = abs(kernel - seen).mean() if kernel.shape == seen.shape else float("inf")
    COMPARED.append(off)
    if off > 1:
        print(f"  {picture!r} is off by {off:.2f} levels")
    for name, value in start.items():
        setattr(picture, name, value)


COMPARED: list[float] = []


def main():
    """Build the pages, serve them as any server would, and measure."""
    chosen = sys.argv[1:] or EVERY
    with tempfile.TemporaryDirectory() as site, chromium() as browser:
        subprocess.run([sys.executable, "-m", "posviz", "site", *chosen, "--to", site], check=True)
        serve = [sys.executable, "-m", "http.server", "8975", "--bind", "127.0.0.1", "-d", site]
        server = subprocess.Popen(serve, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        time.sleep(1)
        context = browser.new_context(viewport={"width": 1280, "height": 720})
        every = {}
        try:
            for file in sorted(Path(site).glob("[0-9]*.html")):
                page = visit(context, f"http://127.0.0.1:8975/{file.name}", file.stem)
                for place in page.locator(".posviz-live").all():
                    place.scroll_into_view_if_needed()
                    page.wait_for_function(ALIVE, arg=place.element_handle(), timeout=60_000)
                    page.wait_for_timeout(500)
                    name, values = (
                        place.get_attribute("data-picture"),
                        place.get_attribute("data-values"),
                    )
                    picture = lessons.load(name)(**json.loads(values))
                    every |= {
                        (name, knob): ms for knob, ms in answers(page, place, picture).items()
                    }
                page.close()
        finally:
            server.terminate()
    report(every)


def report(every):
    """Print how many answers are in time, and the slowest."""
    took = sorted(every.values())
    fast, fair = (sum(ms <= limit for ms in took) for limit in (16, 33))
    print(f"{len(took)} knobs: median {statistics.median(took):.1f} ms, {fast} ≤ 16, {fair} ≤ 33")
    for (name, knob), ms in sorted(every.items(), key=lambda item: -item[1])[:12]:
        print(f"  {name}.{knob} {ms:.0f} ms")
    print(f"{len(COMPARED)} settings compared with a kernel, off by {max(COMPARED):.2f} at most")


if __name__ == "__main__":
    main()
