"""How soon a page without a kernel shows its first picture, and how fast its sliders move.

python benchmarks/pages.py [a folder of pages; without it those of lessons 02 and 05 are made]
"""

import datetime
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.browser.server import chromium

LESSONS = ("02", "05")
# The picture nearest to the top is a still in the page itself: when is it painted?
FIRST = """() => new Promise((tell) => {
  const still = document.querySelector(".posviz-filmstrip :is(img, canvas), figure img");
  still.scrollIntoView();
  const seen = () => requestAnimationFrame(() => tell(performance.now()));
  if (still.complete ?? true) seen(); else still.addEventListener("load", seen);
})"""
# A hand that moves the slider at every frame of the screen, there and back, for 1.5 seconds.
DRAG = """(strip) => new Promise((tell) => {
  const slider = strip.querySelector("input[type=range]"), canvas = strip.querySelector("canvas");
  const most = Number(slider.max), began = performance.now();
  let place = slider.valueAsNumber, step = 1, screens = 0, frames = 0;
  const observer = new MutationObserver(() => { frames += 1; });
  observer.observe(canvas, { attributeFilter: ["data-frame"] });
  const move = (now) => {
    if (now - began > 1500) {
      observer.disconnect();
      const seconds = (now - began) / 1000;
      return tell({ frames: frames / seconds, screens: screens / seconds, places: most + 1 });
    }
    screens += 1;
    if (place + step > most || place + step < 0) step = -step;
    place += step;
    slider.value = place;
    slider.dispatchEvent(new Event("input"));
    requestAnimationFrame(move);
  };
  requestAnimationFrame(move);
})"""


def measure(context, page):
    """Print the first picture's time and each filmstrip's frames a second."""
    context.goto(page.as_uri())
    print(f"{page.name}: first picture after {context.evaluate(FIRST):.0f} ms")
    for strip in context.locator(".posviz-filmstrip").all():
        strip.scroll_into_view_if_needed()
        context.wait_for_timeout(1500)
        if strip.locator("input[type=range]").count():
            found = strip.evaluate(DRAG)
            label = strip.locator("label").first.inner_text()
            print(
                f"  {label}: {found['frames']:.0f} frames a second over {found['places']} places "
                f"(the screen itself: {found['screens']:.0f})"
            )


def main():
    """Measure pages from disk, with the network cut off."""
    print(f"{datetime.date.today()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as made, chromium() as browser:
        folder = Path(sys.argv[1] if len(sys.argv) > 1 else made).resolve()
        if folder == Path(made).resolve():
            chosen = [part for lesson in LESSONS for part in ("--lesson", lesson)]
            command = [sys.executable, "-m", "posviz", "page", *chosen, "--to", made]
            subprocess.run(command, check=True)
        page = browser.new_context(viewport={"width": 1280, "height": 900}, offline=True).new_page()
        for file in sorted(folder.glob("[0-9]*.html")):
            if not file.stem.endswith("_slides"):
                measure(page, file)


if __name__ == "__main__":
    main()
