"""Pages and slides of a notebook full of planted scripts: none runs, from disk or served."""

import base64
import contextlib
import copy
import functools
import io
import itertools
import json
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output, new_raw_cell
from PIL import Image

from posviz.publish import page, slides
from posviz.publish.lesson import executed_with_filmstrips
from tests.browser.server import chromium
from tests.robustness import planted_scripts as planted

pytestmark = pytest.mark.slow("a kernel and a browser")

STEM = "05_planted"
NEIGHBOUR = "06_\"onclick='RUN'<img src=x onerror=RUN>"
ACT = """() => {
  const events = ["click", "mouseover", "focus", "toggle", "animationstart", "load", "error"];
  for (const element of document.querySelectorAll("*")) {
    if (element.closest(".top, .bottom, .contents, .controls, .posviz-filmstrip")) continue;
    for (const event of events) {
      if (!element.href || event !== "click") element.dispatchEvent(new Event(event));
    }
    if (/^(javascript|data):/i.test(element.href?.baseVal ?? element.href ?? "")) {
      element.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
    }
    if (element.matches("form:not([target])")) element.requestSubmit();
    if (element.matches("svg a")) element.dispatchEvent(new MouseEvent("click"));
  }
}"""


class Planted:
    """A notebook with every planted script, numbered; `what` says what each number is."""

    def __init__(self):
        data = io.BytesIO()
        Image.new("RGB", (8, 4), "red").save(data, "PNG")
        self.png = base64.b64encode(data.getvalue()).decode()
        self.what = []

    def plant(self, text):
        """The text with its own number in it."""
        number = len(self.what)
        self.what.append(text)
        return (
            text.replace("RUN", f"ran({number})")
            .replace("FILE", f"evil{number}")
            .replace("PNG", self.png)
        )

    def bundle(self, data, metadata=None):
        """What a cell shows, as the notebook keeps it."""
        planted_data, about = json.loads(self.plant(json.dumps([data, metadata or {}])))
        return {"data": planted_data, "metadata": about}

    def notebook(self):
        """The notebook; each of its cells is on a slide of its own, or said beside it."""
        first = "# 05 · A <img src=x onerror=RUN>\"'><script>RUN</script>\n\n"
        first += "*A\"'><img src=x onerror=RUN>?*"
        cells = [new_markdown_cell(self.plant(first))]
        for text in (*planted.MARKDOWN, *planted.LINES):
            cells.append(new_markdown_cell(self.plant(text)))
        cells.append(new_markdown_cell(self.plant("## A <img src=x onerror=RUN>")))
        cells[-1].metadata["slideshow"] = {"slide_type": "slide"}
        cells.append(new_markdown_cell(self.plant("Said: <img src=x onerror=RUN>")))
        cells[-1].metadata["slideshow"] = {"slide_type": "notes"}
        for kind, value in planted.ATTACHMENTS:
            pair = json.loads(self.plant(json.dumps([kind, value])))
            cells.append(new_markdown_cell("![A](attachment:a.png)"))
            cells[-1].attachments = {"a.png": dict([pair])}
        shown = [self.bundle({"text/html": html}) for html in planted.HTML]
        shown += [self.bundle(*each) for each in planted.BUNDLES]
        for bundle in shown:
            source = f"from IPython.display import display\ndisplay(raw=True, **{bundle!r})"
            source = source.replace("display(raw=True, **{'data': ", "display(")
            cells.append(new_code_cell(f"bundle = {bundle!r}\n{SHOW}"))
        cells += [new_code_cell(self.plant(source)) for source in planted.CODE]
        cells += self.stale()
        kernel = {"name": "python3", "display_name": self.plant("<script>RUN</script>")}
        about = {"title": self.plant("A</title><script>RUN</script>"), "kernelspec": kernel}
        about["language_info"] = {
            "name": "python",
            "pygments_lexer": self.plant('A" onclick="RUN'),
        }
        return new_notebook(cells=cells, metadata=about)

    def stale(self):
        """Cells whose outputs no run replaces, and raw ones."""
        html = "<div class='posviz-prediction'><img src=x onerror=RUN><script>RUN</script></div>"
        cells = []
        for bundle in (
            {"text/html": html},
            {"image/png": 'A" onerror="RUN'},
            {"image/svg+xml": "<svg onload='RUN'></svg>"},
        ):
            for skipped in (new_code_cell(""), new_code_cell("1 + 1")):
                output = new_output("display_data", **self.bundle(bundle))
                skipped.outputs = [output]
                skipped.metadata["tags"] = ["skip-execution"] * bool(skipped.source)
                cells.append(skipped)
        cells.append(new_raw_cell(self.plant(html)))
        for kind in ("text/html", "text/markdown", ""):
            cells.append(new_raw_cell(self.plant(html), metadata={"raw_mimetype": kind}))
        return cells

    def files(self, folder):
        """Write what lies beside the pages."""
        for number in range(len(self.what)):
            (folder / f"evil{number}.js").write_text(
                f"(globalThis.parent ?? globalThis).ran({number})"
            )
            (folder / f"evil{number}.html").write_text(f"<script>ran({number})</script>")
        (folder / "planted/assets").mkdir(parents=True)
        (folder / "planted/assets/page.js").write_text("ran('base')")


SHOW = "from IPython.display import display\ndisplay(bundle['data'], metadata=bundle['metadata'], raw=True)"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder with page, slides and index, and all that is planted."""
    folder, to = tmp_path_factory.mktemp("notebooks"), tmp_path_factory.mktemp("site")
    full = Planted()
    notebook = folder / f"{STEM}.ipynb"
    nbformat.write(full.notebook(), notebook)
    neighbour = new_notebook(
        cells=[new_markdown_cell(full.plant("# 06 · <img src=x onerror=RUN>"))]
    )
    nbformat.write(neighbour, folder / f"{full.plant(NEIGHBOUR)}.ipynb")
    run = executed_with_filmstrips(notebook)
    with pytest.MonkeyPatch.context() as patch:
        for module in (page, slides):
            patch.setattr(module, "executed_with_filmstrips", lambda _: copy.deepcopy(run))
        page.write_page(notebook, to)
        slides.write_slides(notebook, to)
    page.write_index(to)
    full.files(to)
    return to, full.what


@contextlib.contextmanager
def served(folder):
    """The address of a folder on a web server."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    handler = functools.partial(Quiet, directory=folder)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="module")
def browser(site):
    with chromium() as browser:
        yield browser


def all_that_ran(browser, address):
    """The numbers of the scripts that ran on a page when everything on it had been touched."""
    context, found = browser.new_context(), set()
    context.expose_function("ran", lambda number: found.add(number))
    opened = context.new_page()
    opened.goto(address)
    if "slides" in address:
        opened.wait_for_selector(".reveal.ready")
        for _ in range(opened.evaluate("Reveal.getTotalSlides()")):
            opened.evaluate("Reveal.next()")
        with opened.expect_popup() as popup:
            opened.keyboard.press("s")
        popup.value.locator(".speaker-controls-notes .value").wait_for()
    opened.evaluate(ACT)
    opened.wait_for_timeout(500)
    context.close()
    return found


@pytest.mark.parametrize("name", [STEM, f"{STEM}_slides", "index"])
def test_no_planted_script_runs(browser, site, name):
    folder, what = site
    with served(folder) as host:
        for place in (folder.as_uri(), host):
            found = all_that_ran(browser, f"{place}/{name}.html")
            print(
                name,
                place[:5],
                len(what),
                len(found),
                [(n, what[n] if isinstance(n, int) else n) for n in sorted(found, key=str)],
            )
