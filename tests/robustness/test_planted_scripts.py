"""Pages and slides of a notebook full of planted scripts: none runs, from disk or served."""

import base64
import io
import json

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output, new_raw_cell
from PIL import Image

from posviz_tools.publish import clean, lesson, page, slides
from posviz_tools.publish.site import pages
from tests.browser.server import chromium, served
from tests.robustness import planted_scripts as planted

pytestmark = pytest.mark.slow("a browser")

STEM = "05_planted"
TEXTS = (*planted.MARKDOWN, *planted.OUTWARD, *planted.LINES)
NAMES = (STEM, f"{STEM}_slides", "index", "search")
# Touches everything; a link that leads to a page is left alone, or nothing else would be touched.
TOUCH = """async () => {
  const events = ["click", "mouseover", "focus", "toggle", "animationstart", "load", "error"];
  for (const element of document.querySelectorAll("*")) {
    const href = element.href?.baseVal ?? element.href ?? "";
    const goes = href !== "" && !/^(javascript|data):/i.test(href);
    for (const event of goes ? events.slice(1) : events) {
      element.dispatchEvent(new MouseEvent(event, { cancelable: true }));
    }
    if (href !== "") await new Promise((done) => setTimeout(done));
  }
}"""


ELSEWHERE = "https://elsewhere.invalid/"
# The numbers of what would act, or fetch something, if the policy let it.
LEFT = """() => [...document.querySelectorAll("*")]
  .flatMap((element) => [...element.attributes].map(({ value }) => value))
  .map((value) => value.match(/^\\s*javascript:\\D*(\\d+)|elsewhere.invalid.(\\d+)/i))
  .filter((found) => found).map((found) => Number(found[1] ?? found[2]))"""


class Planted:
    """A notebook with every planted script, and what lies beside its pages.

    what: the texts, of which each script tells the number when it runs.
    """

    def __init__(self):
        red = io.BytesIO()
        Image.new("RGB", (8, 4), "red").save(red, "PNG")
        self.what, self.png = [], base64.b64encode(red.getvalue()).decode()

    def plant(self, what):
        """The text, or what JSON can say, with its own number in it."""
        number = len(self.what)
        self.what.append(what)
        planted = {"RUN": f"ran({number})", "FILE": f"evil{number}", "PNG": self.png}
        planted["FETCH"] = f"{ELSEWHERE}{number}"
        text = json.dumps(what)
        for name, value in planted.items():
            text = text.replace(name, value)
        return json.loads(text)

    def notebook(self):
        """The notebook, with what its cells have shown."""
        marked = [("slide", planted.FIRST), ("slide", planted.SECTION), ("notes", planted.NOTES)]
        marked += [("subslide", text) for text in TEXTS]
        cells = [
            new_markdown_cell(
                self.plant(text),
                metadata={
                    "slideshow": {"slide_type": mark},
                    "posviz": {"headline": self.plant(text), "picture": self.plant("RUN")},
                },
            )
            for mark, text in marked
        ]
        for kind, value in map(self.plant, planted.ATTACHMENTS):
            cells.append(new_markdown_cell("![A](attachment:a.png)"))
            cells[-1].attachments = {"a.png": {kind: value}}
        bundles = [({"text/html": html}, {}) for html in planted.HTML] + list(planted.BUNDLES)
        for data, about in map(self.plant, bundles):
            output = new_output("display_data", data, metadata=about)
            cells.append(new_code_cell("show()", execution_count=1, outputs=[output]))
        for text in map(self.plant, planted.PRINTED):
            streams = [new_output("stream", name=name, text=text) for name in ("stdout", "stderr")]
            cells.append(new_code_cell(text, execution_count=1, outputs=streams))
        for kind in planted.RAW:
            raw = self.plant("<script>RUN</script>")
            cells.append(new_raw_cell(raw, metadata={"raw_mimetype": kind}))
        return new_notebook(cells=cells, metadata=self.plant(planted.ABOUT))

    def write(self, folder):
        """Write the notebook and one beside it; return its path."""
        neighbour = new_notebook(cells=[new_markdown_cell(self.plant(planted.NEIGHBOUR))])
        nbformat.write(neighbour, folder / f"{self.plant(planted.NEIGHBOUR_FILE)}.ipynb")
        nbformat.write(self.notebook(), folder / f"{STEM}.ipynb")
        return folder / f"{STEM}.ipynb"

    def write_beside(self, to):
        """Write the files that planted scripts and pages come from."""
        for number in range(len(self.what)):
            (to / f"evil{number}.js").write_text(f"ran({number})")
            (to / f"evil{number}.html").write_text(f"<script>ran({number})</script>")
        for name in ("mathjax/tex-svg.js.css", "page.js"):
            elsewhere = to / "planted" / "assets" / name  # where a planted <base> leads
            elsewhere.parent.mkdir(parents=True, exist_ok=True)
            elsewhere.write_text(f"ran({name!r})")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """What is planted, and the notebook's path."""
    full = Planted()
    return full, full.write(tmp_path_factory.mktemp("notebooks"))


def site(run, to):
    """The folder with page, slides and index, and what lies beside them; what is planted."""
    full, notebook = run
    stored = lesson.StoredLesson(notebook, clean.Site(frozenset(NAMES)))
    page.write_page(stored, to)
    slides.write_slides(stored, to)
    pages.write_site([stored], to)
    full.write_beside(to)
    return to


def all_that_ran(browser, address, left):
    """The numbers of what ran or was fetched by a page when everything on it had been touched.

    left: also of what is there, and the policy keeps from it.
    """

    def failed(request):
        if request.url.startswith(ELSEWHERE) and request.failure != "csp":
            found.add(int(request.url.removeprefix(ELSEWHERE)))

    context, found = browser.new_context(), set()
    context.expose_function("ran", lambda number: found.add(number))
    context.on("requestfailed", failed)
    opened = context.new_page()
    opened.goto(address)
    if "slides" in address:
        opened.wait_for_selector(".reveal.ready")
        opened.evaluate("Reveal.slide(1)")
        with opened.expect_popup() as popup:
            opened.keyboard.press("s")
        popup.value.locator(".speaker-controls-notes .value").wait_for()
    elif STEM in address:
        opened.wait_for_function("() => globalThis.MathJax?.startup?.promise?.then(() => true)")
    if left:
        found |= set(opened.evaluate(LEFT))
    opened.evaluate(TOUCH)
    opened.wait_for_timeout(300)
    context.close()
    return found


def only_ran(allowed, run, folder, left=False):
    """Fail where anything else runs on a page, or is left there."""
    with served(folder) as host, chromium() as browser:
        for place in (folder.as_uri(), host):
            for name in NAMES:
                found = all_that_ran(browser, f"{place}/{name}.html", left)
                what = {run[0].what[number] for number in found}
                assert what <= allowed, f"{place}/{name}.html"


@pytest.mark.release("half a minute")
def test_no_planted_script_runs(run, tmp_path):
    assert len(run[0].what) > 120
    only_ran(set(), run, site(run, tmp_path), left=True)


@pytest.mark.release("the policy without the sanitiser")
def test_the_policy_alone_lets_in_but_a_frame(run, tmp_path, monkeypatch):
    """Slides may show frames: the speaker's window does."""
    monkeypatch.setattr(clean, "sanitised", lambda html, site: html)
    clean.markdown.cache_clear()
    only_ran({'<iframe src="FILE.html"></iframe>'}, run, site(run, tmp_path))
    clean.markdown.cache_clear()
