"""Thousands of events of a slider: the right picture at once after the last, and nothing grew."""

import json

import pytest

from tests.browser.fidelity import BY_AGG, by_agg, check, rgb

EVENTS = 2000
SOON = 250  # milliseconds after the last event

PICTURE = (
    BY_AGG
    + """
from posviz import SinusoidalTable
picture = SinusoidalTable()
"""
)

# In the kernel: what could grow.
COUNT = """
import gc, json
import psutil
from comm import get_comm_manager
from ipywidgets.widgets.widget import _instances
from matplotlib.figure import Figure

gc.collect()
print(json.dumps({
    "figures": sum(isinstance(thing, Figure) for thing in gc.get_objects()),
    "widgets": len(_instances),
    "comms": len(get_comm_manager().comms),
    "memory": psutil.Process().memory_info().rss,
    "frames": explorer.explorer.screen.frame_number,
}))
"""

# Events in bursts, one in each of the browser's frames, as fast as the page takes them, for as long
# as a slow machine needs to show some of them. Then: what the canvas shows soon after the last.
STORM = """async ([slider, canvas, events, soon]) => {
    const burst = 20, low = +slider.min, places = +slider.max - low + 1;
    const last = +canvas.dataset.frame + events / 100, end = performance.now() + 60000;
    const lasts = () => +canvas.dataset.frame <= last && performance.now() < end;
    for (let event = 1; event <= events || lasts(); event += 1) {
        slider.valueAsNumber = low + (event * 7) % places;
        slider.dispatchEvent(new Event('input', { bubbles: true }));
        if (event % burst === 0) await new Promise(requestAnimationFrame);
    }
    await new Promise((resolve) => setTimeout(resolve, soon));
    return canvas.toDataURL();
}"""


def storm(explorer, events):
    """Move the slider so often, as a hand would; return what is seen a moment afterwards."""
    slider, canvas = explorer.handle("position"), explorer.canvas
    handles = [slider.element_handle(), canvas.element_handle()]
    return rgb(explorer.page.evaluate(STORM, [*handles, events, SOON]))


@pytest.fixture
def grown(lab):
    """What has grown by how much since it was last asked for."""
    heap = lab.page.context.new_cdp_session(lab.page)
    last = {}

    def grown():
        printed = lab.ask(COUNT)
        for _ in range(2):
            heap.send("HeapProfiler.collectGarbage")
        now = json.loads(printed) | {"heap": heap.send("Runtime.getHeapUsage")["usedSize"]}
        change = {name: number - last.get(name, 0) for name, number in now.items()}
        last.update(now)
        return change

    return grown


@pytest.mark.release("a storm")
@pytest.mark.parametrize("events", [EVENTS, 5 * EVENTS])
def test_storm_of_events_ends_with_the_right_picture_and_nothing_grew(lab, grown, events):
    explorer = lab.explore("storm", PICTURE, "explorer = picture.explore(); explorer")
    storm(explorer, EVENTS // 2)  # fills the caches
    grown()
    seen = storm(explorer, events)
    change = grown()
    keep = "keep_by_agg('storm', picture, explorer.explorer.live.ratio); print(picture.position)"
    explorer.stands_at("position", lab.ask(keep).strip())
    check(seen, by_agg(lab, "storm"), "storm")
    assert (change["figures"], change["widgets"], change["comms"]) == (0, 0, 0)
    assert change["frames"] > events // 100
    pages = 2**18  # what an allocator takes at once
    assert change["memory"] < min(pages + 1024 * change["frames"], 10 * 2**20)
    assert change["heap"] < 20e6
