"""From slider to pixels in a real JupyterLab: latency, frames a second, and how far behind.

    python benchmarks/browser.py

Each contender shows its picture in a notebook of its own. A key press is timed until the pixels on
the page differ; then the slider is dragged for three seconds at 60 events a second while every
animation frame of the browser looks whether the pixels differ from the last ones.
"""

import datetime
import os
import statistics
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).parent
sys.path.insert(0, str(FOLDER.parent))

from tests.browser.lab import Lab  # noqa: E402
from tests.browser.server import chromium, jupyterlab  # noqa: E402

CASES = {
    "heatmap": ("interact", "ipympl", "posviz"),
    "arrows": ("interact", "ipympl", "posviz"),
}
PRESSES, EVENTS, RATE = 20, 180, 60  # three seconds of dragging

# What shows the picture: a canvas (posviz, ipympl) or the image that an output holds.
PICTURE = ".posviz-screen canvas, .jupyter-matplotlib canvas, .jp-OutputArea-output img"

WATCH = """selector => {
    const scratch = document.createElement('canvas');
    const context = scratch.getContext('2d', { willReadFrequently: true });
    const watch = (window.watch = { changes: [], events: [] });
    let last = null;
    const look = () => {
        const shown = document.querySelector(selector);
        const ready = shown && (shown.complete ?? true) && shown.width > 0;
        if (ready) {
            // A strip through the middle, which all that moves crosses: watching must cost little.
            const width = shown.naturalWidth ?? shown.width;
            const height = shown.naturalHeight ?? shown.height;
            const strip = Math.round(width / 5);
            if (scratch.width !== strip || scratch.height !== height)
                [scratch.width, scratch.height] = [strip, height];
            context.drawImage(shown, 2 * strip, 0, strip, height, 0, 0, strip, height);
            const { data } = context.getImageData(0, 0, scratch.width, scratch.height);
            const words = new Uint32Array(data.buffer);
            let sum = 0;
            for (let i = 0; i < words.length; i += 1) sum = (sum * 31 + words[i]) | 0;
            if (last !== null && sum !== last) watch.changes.push(performance.now());
            last = sum;
        }
        requestAnimationFrame(look);
    };
    const note = () => watch.events.push(performance.now());
    document.addEventListener('keydown', note, true);
    document.addEventListener('mousemove', (event) => event.buttons && note(), true);
    look();
}"""


# Moves made in the page: sent one by one from outside, they would wait for each other.
MOVE = """([x, y, events, pause]) => new Promise((resolve) => {
    let event = 0;
    const timer = setInterval(() => {
        const there = 3 * Math.min(event, events - event); // three pixels are more than one step
        const where = { clientX: x + there, clientY: y, buttons: 1, bubbles: true };
        document.documentElement.dispatchEvent(new MouseEvent('mousemove', where));
        if (++event > events) { clearInterval(timer); resolve(); }
    }, pause);
})"""


def first_change_after(changes, moment):
    """Milliseconds until the first change after a moment."""
    return next((change - moment for change in changes if change >= moment), None)


def latency(page, handle):
    """Milliseconds from a key press to different pixels, one press at a time."""
    times = []
    handle.focus()
    for _ in range(PRESSES):
        page.evaluate("() => { watch.changes = []; watch.events = []; }")
        page.keyboard.press("ArrowRight")
        page.wait_for_function("() => watch.changes.length > 0", timeout=10_000)
        page.wait_for_timeout(400)
        seen = page.evaluate("() => watch")
        times.append(first_change_after(seen["changes"], seen["events"][0]))
    return times


def drag(page, handle):
    """Frames a second, events a second and milliseconds behind, for one drag to and fro."""
    handle.scroll_into_view_if_needed()
    box = handle.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.evaluate("() => { watch.changes = []; watch.events = []; }")
    page.evaluate(MOVE, [x, y, EVENTS, 1000 / RATE])
    page.mouse.up()
    page.wait_for_timeout(1500)
    seen = page.evaluate("() => watch")
    first, last = seen["events"][0], seen["events"][-1]
    frames = sum(first <= change <= last for change in seen["changes"])
    seconds = (last - first) / 1000
    behind = max([0, *(change - last for change in seen["changes"])])
    return frames / seconds, len(seen["events"]) / seconds, behind


def measure(lab, picture, contender):
    """One contender: (median ms to pixels, frames/s, events/s, ms behind)."""
    source = f"import sys; sys.path.insert(0, {str(FOLDER)!r})\n%matplotlib inline\n"
    show = {
        "posviz": "from pictures import {0}\n{0}().explore()".format(picture.capitalize()),
    }.get(contender, f"from contenders import CONTENDERS\nCONTENDERS['{contender}']('{picture}');")
    lab.write(f"{contender}_{picture}", source + show)
    lab.run_all()
    page = lab.page
    page.locator(PICTURE).first.wait_for()
    page.wait_for_timeout(1000)
    page.evaluate(WATCH, PICTURE)
    slider = page.locator(".widget-slider", has=page.locator("label", has_text="position"))
    handle = slider.locator(".noUi-handle")
    times = latency(page, handle)
    return statistics.median(times), *drag(page, handle)


def main():
    """Print the table."""
    print(f"{datetime.date.today()}, {os.cpu_count()} cores\n")
    print(
        "| picture | contender | slider to pixels ms | frames/s | events/s | behind at end ms | |"
    )
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as home, chromium() as browser:
        folder = Path(home) / "notebooks"
        folder.mkdir()
        with jupyterlab(folder, Path(home)) as server:
            for picture, contenders in CASES.items():
                slowest = None  # interact, which comes first
                for contender in contenders:
                    page = browser.new_page(viewport={"width": 1280, "height": 960})
                    lab = Lab(page, server)
                    pixels, frames, events, behind = measure(lab, picture, contender)
                    page.close()
                    lab.shut_down_kernels()
                    slowest = slowest or pixels
                    print(
                        f"| {picture} | {contender} | {pixels:.0f} | {frames:.1f} | {events:.0f} "
                        f"| {behind:.0f} | {slowest / pixels:.1f} times sooner |",
                        flush=True,
                    )


if __name__ == "__main__":
    main()
