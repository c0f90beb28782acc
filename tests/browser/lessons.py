"""Lessons as JupyterLab has executed them, for all tests that look at what came out."""

import functools
import json
import os
from concurrent.futures import ThreadPoolExecutor

import nbformat
import pytest
from nbformat.v4 import new_output

import run
from posviz.course import OF_TOPIC
from posviz.engine.stored import WIDGET
from posviz.publish.lesson import executed_with_filmstrips, prompts

GAPS = (1,)  # between a slider's places, where tests do not ask how many there are
DARK = OF_TOPIC["sinusoidal"].notebook  # in the others the dark look is the light one
PLAYED = "00_start_here"  # by the kernel that pages and slides start for themselves

# In the kernel that has executed a lesson: its explorers as filmstrips, by the name of the widget.
STRIPS = """
import json, pathlib
from ipywidgets.widgets.widget import _instances
from posviz.engine import explorer, filmstrip

filmstrip.GAPS, filmstrip.DARK = GIVEN_GAPS, GIVEN_LOOKS
asked = GIVEN_PROMPTS
pathlib.Path("strips.json").write_text(json.dumps({
    key: filmstrip.filmstrip(widget.picture, asked.get(key, ""))
    for key, widget in _instances.items() if isinstance(widget, explorer.Explorer)
}))
"""


def with_filmstrips(lab, notebook, name):
    """Put filmstrips in the place of the explorers of the lesson that JupyterLab has executed."""
    asked = prompts(notebook)
    by_widget = {
        output.data[WIDGET]["model_id"]: asked.get(cell.source.strip(), "")
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if WIDGET in output.get("data", {})
    }
    looks = False, name == DARK
    given = {"GIVEN_GAPS": GAPS, "GIVEN_LOOKS": looks, "GIVEN_PROMPTS": by_widget}
    code = STRIPS
    for name, value in given.items():
        code = code.replace(name, repr(value))
    lab.ask(code)
    strips = json.loads((lab.server.folder / "strips.json").read_text())
    for cell in notebook.cells:
        for index, output in enumerate(cell.get("outputs", [])):
            view = output.get("data", {}).pop(WIDGET, None)
            if view and "text/html" not in output.data:  # not a prediction
                strip = strips[view["model_id"]]
                cell.outputs[index] = new_output("display_data", {"text/html": strip})


def keep(notebook, file):
    """Write an executed notebook, as a whole at once: other workers may look for it."""
    half = file.with_suffix(f".{os.getpid()}")
    half.write_text(json.dumps(notebook), "utf-8")
    half.replace(file)


def lesson(path, executed):
    """The lesson as pages and slides are given it, executed here if nobody has done so."""
    file = executed / path.name
    if not file.exists():
        with ThreadPoolExecutor(1) as other:  # in this one runs Playwright's loop
            keep(other.submit(executed_with_filmstrips, path).result(), file)
    return nbformat.from_dict(json.loads(file.read_text("utf-8")))


def writer(module, write, executed, to):
    """Writes a lesson, by its name, as its page or its slides into a folder, each only once."""

    @functools.cache
    def written(name):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, "executed_with_filmstrips", lambda path: lesson(path, executed))
            return write(run.NOTEBOOKS / f"{name}.ipynb", to)

    return written
