"""A page of JupyterLab on which one contender shows one picture, and what is measured there."""

import random
import statistics
from pathlib import Path
from typing import NamedTuple

from hand import hand

from tests.browser.lab import Lab

FOLDER = Path(__file__).parent
PRESSES = 15
# On a machine that others use, too, several threads wait for each other longer than they compute.
ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL")}

# What shows the picture: a canvas (posviz, ipympl) or the image that an output holds.
PICTURE = ".posviz-screen canvas, .jupyter-matplotlib canvas, .jp-OutputArea-output img"

IN_KERNEL = f"""
import sys
sys.path.insert(0, {str(FOLDER)!r})
import in_kernel
in_kernel.start_stopwatch()
%matplotlib inline
"""


class Row(NamedTuple):
    """What one repetition measures."""

    pixels: float  # milliseconds from a key press to different pixels
    frames: float  # a second, while dragging
    events: float  # a second, while dragging
    behind: float  # milliseconds from the last event of a drag to the last change
    kernel: float  # milliseconds for one key press


def open_lab(browser, server, name, source):
    """Return a page of its own that shows what `source` shows, with its stopwatch running."""
    page = browser.new_page(viewport={"width": 1280, "height": 960})
    page.add_init_script(path=FOLDER / "in_page.js")
    lab = Lab(page, server)
    lab.write(name, IN_KERNEL + source)
    lab.run_all()
    return lab


class Stage:
    """One contender with one picture, moved by the control with this label."""

    def __init__(self, browser, server, name, source, label):
        self.lab = open_lab(browser, server, name, source)
        self.page = self.lab.page
        self.page.locator(PICTURE).first.wait_for()
        self.hand = hand(self.page, label)
        self._settle(1000)

    def measure(self):
        """One repetition: key presses one at a time, then a drag."""
        self.page.evaluate("selector => bench.watch(selector)", PICTURE)
        pixels, kernel = zip(*self._presses(), strict=True)
        row = Row(statistics.median(pixels), *self._drag(), statistics.median(kernel))
        self.page.evaluate("() => { bench.watching = false; }")
        return row

    def close(self):
        """Close the page, and end every kernel of the server."""
        self.page.close()
        self.lab.shut_down_kernels()

    def _presses(self):
        """Yield (milliseconds to pixels, milliseconds in the kernel) for each press.

        A press that changes nothing (another seed, the same order) is left out.
        """
        for _ in range(PRESSES):
            self._kernel_times()
            self._forget()
            self.page.wait_for_timeout(100 + random.uniform(0, 17))  # anywhere between two frames
            self.hand.step()
            self._settle(250)
            events, changes = self._seen()
            kernel = sum(self._kernel_times())
            if changes:
                yield changes[0] - events[0], kernel

    def _drag(self):
        """Return frames a second, events a second, and milliseconds behind at the end."""
        self._forget()
        self.hand.drag()
        self._settle(1500)
        events, changes = self._seen()
        self.hand.clear_figure()
        self._settle(500)
        first, last = events[0], events[-1]
        seconds = (last - first) / 1000
        frames = sum(first <= change <= last for change in changes)
        behind = max(0, changes[-1] - last)
        return frames / seconds, (len(events) - 1) / seconds, behind

    def _kernel_times(self):
        return self.page.evaluate("() => bench.ask('in_kernel.taken()')")

    def _forget(self):
        self.page.evaluate("() => { bench.events = []; bench.changes = []; }")

    def _seen(self):
        return self.page.evaluate("() => [bench.events, bench.changes]")

    def _settle(self, milliseconds):
        """Wait until the kernel is done, and nothing has happened on the page for so long."""
        self.page.evaluate("quiet => bench.settled(quiet)", milliseconds)
