"""What a reader does in JupyterLab, as short methods: open, run, look."""

import json
import re
import time
import urllib.error
import urllib.request
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from tests.browser.explorer import ExplorerOnPage

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


class Lab:
    """One page of JupyterLab.

    lab.open("02_sinusoidal_tables")     show a notebook and wait for its kernel
    lab.run_all()                        run every cell; an error output fails the test
    lab.explorers()                      the explorers on the page, as `ExplorerOnPage`
    lab.screenshot("name")               keep test-artefacts/name.png
    lab.write("scratch", "1 + 1", …)     make a notebook of these code cells, and open it
    lab.explore("scratch", "…", …)       the same, run, and its one explorer
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
        cells += [new_markdown_cell(below)] if below else []
        notebook = new_notebook(cells=cells, metadata={"kernelspec": kernel})
        nbformat.write(notebook, self.server.folder / f"{name}.ipynb")
        self.open(name, self.kernel)
        self.kernel = self.page.evaluate(KERNEL)

    def run_all(self):
        """Run every cell, wait for the last, and fail on any error."""
        self.page.evaluate(RUN_ALL)
        finished = f"() => ({UNFINISHED_AND_FAILED})().unfinished === 0"
        self.page.wait_for_function(finished, timeout=300 * SECOND)
        idle = ".jp-Notebook-ExecutionIndicator[data-status=idle]"
        self.page.wait_for_selector(idle, timeout=300 * SECOND)
        assert self.page.evaluate(UNFINISHED_AND_FAILED)["failed"] == []

    def explore(self, name, *sources, below=""):
        """Write a notebook, run it, and return its one explorer."""
        self.write(name, *sources, below=below)
        self.run_all()
        [explorer] = self.explorers()
        return explorer

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
        return [ExplorerOnPage(self.page, roots.nth(index)) for index in range(roots.count())]

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
