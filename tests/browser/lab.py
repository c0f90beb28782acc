"""What a reader does in JupyterLab, as short methods: open, run, move a slider, look."""

import contextlib
import functools
import json
import re
import time
import urllib.error
import urllib.request
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from playwright.sync_api import expect

ARTEFACTS = Path(__file__).parent.parent.parent / "test-artefacts"
SECOND = 1000  # Playwright counts in milliseconds
KERNELS = "/api/kernels"

READY = """async () => {
    const app = window.jupyterapp;
    await app.restored;
    const panel = app.shell.currentWidget;
    await panel.revealed;
    await panel.context.ready;
    await panel.sessionContext.ready;
    await panel.sessionContext.session.kernel.info;
}"""

# A promise of a panel that JupyterLab replaces while it restores what was open is never kept.
THERE = "() => window.jupyterapp?.shell.currentWidget?.context?.isReady"

OPEN = """([path, kernel]) => {
    const place = { path, ...(kernel && { kernel: { id: kernel } }) };
    return window.jupyterapp.commands.execute('docmanager:open', place).then(() => {});
}"""
THEME = "name => window.jupyterapp.commands.execute('apputils:change-theme', { theme: name })"
CLOSE = "() => [...window.jupyterapp.shell.widgets('main')].forEach(widget => widget.dispose())"

# Through the application: a click on Run > Run All Cells soon after loading is sometimes lost.
RUN_ALL = "() => window.jupyterapp.commands.execute('notebook:run-all-cells')"

SAVE = "() => window.jupyterapp.shell.currentWidget.context.save()"
# As text: Playwright would make None of what is undefined, and JSON leaves it out.
NOTEBOOK = "() => JSON.stringify(window.jupyterapp.shell.currentWidget.context.model.toJSON())"

ASK = """async code => {
    const { kernel } = window.jupyterapp.shell.currentWidget.sessionContext.session;
    const asked = kernel.requestExecute({ code, store_history: false });
    let printed = '';
    asked.onIOPub = ({ content }) => { if (content.name === 'stdout') printed += content.text; };
    const { content } = await asked.done;
    if (content.status !== 'ok') throw new Error(`${content.ename}: ${content.evalue}`);
    return printed;
}"""

KERNEL = "() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.id"

RUN_CELL = """index => {
    window.jupyterapp.shell.currentWidget.content.activeCellIndex = index;
    return window.jupyterapp.commands.execute('notebook:run-cell');
}"""

UNFINISHED_AND_FAILED = """() => {
    const cells = window.jupyterapp.shell.currentWidget.content.model.sharedModel.toJSON().cells
        .filter(cell => cell.cell_type === 'code' && [cell.source].flat().join('').trim());
    const errors = cell => cell.outputs.filter(output => output.output_type === 'error');
    return {
        unfinished: cells.filter(cell => cell.execution_count === null).length,
        failed: cells.flatMap(errors).map(error => error.ename + ': ' + error.evalue),
    };
}"""

# Where an answer, a frame or its pixels are still to come.
DUE = "[data-unanswered=true], [data-asked], [data-painting]"

STANDS_STILL = """async (root, [due, seconds]) => {
    const frame = () => root.querySelector('canvas').dataset.frame;
    const end = performance.now() + 1000 * seconds;
    for (let last = null; last !== frame() || root.querySelector(due);) {
        if (performance.now() > end) return false;
        last = frame();
        await new Promise(later => setTimeout(later, 40));
    }
    return true;
}"""

FINGERPRINT = """async canvas => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-1', data));
    return Array.from(digest, byte => byte.toString(16).padStart(2, '0')).join('');
}"""


def exactly(text):
    """Return a pattern for an element that holds this text and nothing else."""
    return re.compile(rf"^\s*{re.escape(text)}\s*$")


class Lab:
    """One page of JupyterLab.

    lab.open("02_sinusoidal_tables")     show a notebook and wait for its kernel
    lab.run_all()                        run every cell; an error output fails the test
    lab.explorers()                      the explorers on the page, as `Explorer`
    lab.screenshot("name")               keep test-artefacts/name.png
    lab.write("scratch", "1 + 1", …)     make a notebook of these code cells, and open it
    lab.page                             Playwright's page, for everything else
    """

    def __init__(self, page, server):
        self.page, self.server = page, server
        self.spoilt = False  # whether the next test needs another page
        self.kernel = None  # the kernel that written notebooks share, for a start takes seconds
        self.page_errors, self.requests_elsewhere = [], []
        page.set_default_timeout(60 * SECOND)
        page.on("pageerror", lambda error: self.page_errors.append(str(error)))
        page.on("request", self._note_request)

    def _note_request(self, request):
        if request.url.startswith(("http", "ws")) and not request.url.startswith(self.server.base):
            self.requests_elsewhere.append(request.url)

    def open(self, name, kernel=None):
        """Show the notebook `name` (without .ipynb) alone, and wait until its kernel is ready."""
        if self.page.url.startswith(self.server.base):
            self.close()
            self.page.evaluate(OPEN, [f"{name}.ipynb", kernel])
        else:
            path = f"/lab/tree/{name}.ipynb?reset&token={self.server.token}"
            self.page.goto(self.server.base + path)
        self.page.locator(".jp-Notebook .jp-Cell").first.wait_for(timeout=60 * SECOND)
        self.wait_until_ready()

    def close(self):
        """Close what is open, saved or not."""
        self.page.evaluate(CLOSE)

    def theme(self, name):
        """Change the theme, which is kept for the next page, too: Light or Dark."""
        self.spoilt = True
        self.page.evaluate(THEME, f"JupyterLab {name}")

    def wait_until_ready(self):
        """Wait until the notebook in front is loaded and its kernel answers."""
        self.page.wait_for_function(THERE, timeout=60 * SECOND)
        self.page.evaluate(READY)

    def write(self, name, *sources, below=""):
        """Make a notebook with these code cells, and a text below them if there is one; open it."""
        kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
        cells = [new_code_cell(source) for source in sources]
        cells += [new_markdown_cell(below)] * bool(below)
        notebook = new_notebook(cells=cells, metadata={"kernelspec": kernel})
        nbformat.write(notebook, self.server.folder / f"{name}.ipynb")
        self.open(name, self.kernel)
        self.kernel = self.page.evaluate(KERNEL)

    def run_all(self, timeout=300):
        """Run every cell, wait for the last (at most `timeout` seconds), and fail on any error."""
        self.page.evaluate(RUN_ALL)
        self._wait_for_cells(timeout)

    def _wait_for_cells(self, timeout):
        self.page.wait_for_function(
            f"() => ({UNFINISHED_AND_FAILED})().unfinished === 0", timeout=timeout * SECOND
        )
        self.page.wait_for_selector(
            ".jp-Notebook-ExecutionIndicator[data-status=idle]", timeout=timeout * SECOND
        )
        assert self.page.evaluate(UNFINISHED_AND_FAILED)["failed"] == []

    def ask(self, source):
        """Run this code in the kernel of the notebook in front, which does not show it.

        Returns what it printed.
        """
        return self.page.evaluate(ASK, source)

    def notebook(self):
        """Return the notebook in front as the page has it; a saved one has no widgets."""
        return nbformat.from_dict(json.loads(self.page.evaluate(NOTEBOOK)))

    def save(self):
        """Save the notebook in front."""
        self.page.evaluate(SAVE)

    def run_cell(self, index, times=1):
        """Run one cell again and again, each time to its end."""
        for _ in range(times):
            self.page.evaluate(RUN_CELL, index)

    def explorers(self):
        """Return the explorers on the page, in order, each once it shows its first frame."""
        roots = self.page.locator(".posviz-explorer")
        return [Explorer(self.page, roots.nth(index)) for index in range(roots.count())]

    def screenshot(self, name):
        """Keep what the page shows as test-artefacts/<name>.png."""
        ARTEFACTS.mkdir(exist_ok=True)
        safe = re.sub(r"[^\w-]+", "_", name)
        self.page.screenshot(path=ARTEFACTS / f"{safe}.png")

    def shut_down_kernels(self, but=None):
        """End every kernel of the server but one, so that the next test has the machine.

        The server refuses to end one that it is just restarting, since it died: it is asked again.
        """
        deadline = time.monotonic() + 30
        while kernels := {kernel["id"] for kernel in json.loads(self._ask("GET", KERNELS))} - {but}:
            assert time.monotonic() < deadline, f"{kernels} still run"
            for kernel in kernels:
                try:
                    self._ask("DELETE", f"{KERNELS}/{kernel}")
                except urllib.error.HTTPError:
                    time.sleep(0.1)
        self.kernel = but

    def _ask(self, method, path):
        header = {"Authorization": f"token {self.server.token}"}
        request = urllib.request.Request(self.server.base + path, method=method, headers=header)
        with urllib.request.urlopen(request) as answer:
            return answer.read()


class Explorer:
    """One explorer on the page: its sliders, buttons, canvas and texts.

    with explorer.changes():
        explorer.press("d_model", "ArrowRight", times=3)
    """

    def __init__(self, page, root):
        self.page, self.root = page, root
        self.canvas = root.locator("canvas")
        self.canvas.scroll_into_view_if_needed()
        page.wait_for_function(
            "canvas => canvas.dataset.frame > 0", arg=self.canvas.element_handle()
        )

    def labels(self):
        """Return the labels of the sliders."""
        return self.root.locator(".posviz-slider label").all_inner_texts()

    def press(self, label, key, times=1):
        """Press a key on the slider with this label: ArrowRight, Home, End …"""
        self.handle(label).focus()
        for _ in range(times):
            self.page.keyboard.press(key)

    def drag(self, label, pixels, steps=8):
        """Drag the slider with this label by so many pixels to the right."""
        slider = self.handle(label)
        slider.scroll_into_view_if_needed()
        box, (low, place, high) = slider.bounding_box(), self.range(label)
        thumb = 16  # pixels wide: its middle stays within half of that from either end
        x = box["x"] + thumb / 2 + (box["width"] - thumb) * (place - low) / (high - low)
        y = box["y"] + box["height"] / 2
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        self.page.mouse.move(x + pixels, y, steps=steps)
        self.page.mouse.up()

    def handle(self, label):
        """Return the slider with this label, which is also what takes the keys."""
        return self.root.get_by_role("slider", name=label, exact=True)

    def range(self, label):
        """Return (lowest, present, highest) place of the slider with this label."""
        return tuple(self.handle(label).evaluate("({ min, value, max }) => [+min, +value, +max]"))

    def asleep(self, label):
        """Return whether this slider is greyed, since other knobs make it idle."""
        return self.handle(label).is_disabled()

    def stands_at(self, label, value):
        """Fail unless `value` comes to stand beside the slider: its answer follows the picture."""
        expect(self.handle(label)).to_have_attribute("aria-valuetext", value)

    def play(self, label):
        """Return the button that plays the knob with this label; while it plays there is none."""
        return self.root.get_by_role("button", name=f"Play {label}", exact=True)

    def pause(self, label):
        """Return the button that stops it again."""
        return self.root.get_by_role("button", name=f"Pause {label}", exact=True)

    def box(self, label):
        """Return the box with the exact value."""
        return self.root.get_by_role("textbox", name=re.compile(f"^{re.escape(label)}, from "))

    def button(self, name):
        """Return the button with this name: Reset, Export, Save."""
        return self.root.locator("button", has_text=exactly(name))

    def options(self):
        """Return what chooses among options, to be called: it may wake a slider."""
        controls = self.root.locator(".posviz-controls")
        clicked = controls.locator(".widget-toggle-buttons button, .widget-checkbox input")
        listed = controls.locator("select option")
        chosen = [clicked.nth(index).click for index in range(clicked.count())]
        for option in [listed.nth(index) for index in range(listed.count())]:
            value, menu = option.get_attribute("value"), option.locator("xpath=..")
            chosen.append(functools.partial(menu.select_option, value))
        return chosen

    def height(self):
        """Return the height of controls, caption and picture together, in CSS pixels."""
        return self.root.bounding_box()["height"]

    def scale(self):
        """Return by how much the picture is scaled."""
        return float(self.canvas.get_attribute("data-scale"))

    def frame(self):
        """Return the number of the frame that is shown."""
        return int(self.canvas.get_attribute("data-frame"))

    def shows_a_frame_after(self, frame, timeout=30):
        """Fail unless a frame with a higher number is shown within `timeout` seconds."""
        shown = self._wait_until(lambda: self.frame() > frame, timeout)
        assert shown, f"No frame came after {frame}."

    def caption(self):
        """Return the caption, which is also the picture's alternative text."""
        return self.canvas.locator("xpath=..").locator("figcaption").inner_text()

    def alert(self):
        """Return the message of the error that is shown, or an empty string."""
        alert = self.root.locator("[role=alert]:not(:empty)")
        return alert.inner_text() if alert.count() else ""

    def fingerprint(self):
        """Return the SHA-1 of the canvas's pixels, row by row as RGBA bytes."""
        return self.canvas.evaluate(FINGERPRINT)

    def changed_by(self, action):
        """Do it, and return whether the pixels have changed when every answer is there."""
        before = self.fingerprint()
        action()
        return self.settled() != before

    def becomes(self, fingerprint, timeout=30):
        """Return whether these pixels are shown within `timeout` seconds."""
        return self._shows(lambda shown: shown == fingerprint, timeout)

    @contextlib.contextmanager
    def changes(self, timeout=30):
        """Fail unless what is done inside changes the pixels within `timeout` seconds."""
        before = self.fingerprint()
        yield
        assert self._shows(lambda shown: shown != before, timeout), "The picture did not change."

    def _shows(self, wanted, timeout):
        """Wait for pixels; they are read when another frame is shown, for reading takes long."""
        looked_at = None

        def shown():
            nonlocal looked_at
            frame, last = self.frame(), looked_at
            looked_at = frame
            return frame != last and wanted(self.fingerprint())

        return self._wait_until(shown, timeout)

    def settled(self, timeout=30):
        """Wait until the picture stands still, and return its fingerprint."""
        self.stands_still(timeout)
        return self.fingerprint()

    def stands_still(self, timeout=30):
        """Wait for every answer, and until no frame comes any more."""
        assert self.root.evaluate(STANDS_STILL, [DUE, timeout]), "The picture never stood still."

    def _wait_until(self, condition, timeout):
        end = time.monotonic() + timeout
        while not condition():
            if time.monotonic() > end:
                return False
            self.page.wait_for_timeout(30)
        return True
