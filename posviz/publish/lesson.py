"""A lesson, run from its first cell to its last, with widgets that need no kernel afterwards."""

import asyncio
import base64
import itertools
import os
import re
import shutil
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat import NotebookNode

from posviz.pictures.killed import ending_with_us, temporary_folder
from posviz.pictures.places import SETTING
from posviz.pictures.stored import WIDGET
from posviz.publish.batch import reason

SECONDS = 600  # for one cell
RUNNING = "POSVIZ_NOTEBOOK"  # in a kernel's environment: which notebook it is to run

_TRY = re.compile(r"\*\*Try\b.*?(?=\*\*Notice|\Z)", re.DOTALL)


class _Loop(asyncio.SelectorEventLoop):
    """A loop in which nbclient leaves signals to the program: its own way is to go on."""

    def add_signal_handler(self, *_):  # type: ignore[override]
        raise RuntimeError("signals are the program's")

    def call_exception_handler(self, context):
        """Say nothing of a kernel that died because the program was stopped."""


def read(notebook: Path) -> NotebookNode:
    """A notebook as it is stored.

    Raises RuntimeError that names it where it is none, or has no cells.
    """
    try:
        found = nbformat.read(notebook, as_version=4)
        nbformat.validate(found)
    except OSError:
        raise
    except Exception as error:  # nbformat lets through what its parts raise
        raise RuntimeError(f"{notebook.name} is no notebook: {reason(error)}") from None
    if not found.cells:
        raise RuntimeError(f"{notebook.name} has no cells")
    return found


def prompts(notebook: NotebookNode) -> dict[str, str]:
    """What a lesson asks of its pictures: the prompt below a cell, by the cell's source."""
    asked = {}
    for cell, below in itertools.pairwise(notebook.cells):
        if cell.cell_type == "code" and below.cell_type == "markdown":
            found = _TRY.search(below.source)
            asked[cell.source.strip()] = found[0] if found else ""
    return asked


def executed_with_filmstrips(notebook: Path) -> NotebookNode:
    """A copy of the notebook as its own kernel fills it, every explorer a filmstrip.

    Raises RuntimeError as `executed` does.
    """
    lesson = executed(notebook, f"--IPKernelApp.extra_extensions={__name__}")
    if any(WIDGET in output.get("data", {}) for cell in lesson.cells for output in _outputs(cell)):
        raise RuntimeError(f"{notebook.name}: the kernel shows widgets instead of filmstrips")
    return lesson


def executed(notebook: Path, *arguments) -> NotebookNode:
    """A copy of the notebook with what a kernel of its own, started with these arguments, tells.

    It finds the files beside the notebook, and leaves none there. Nothing stays of what it showed
    before, not even where a cell is not run.

    Raises RuntimeError that names notebook, cell, line and error where a cell fails.
    """
    lesson = read(notebook)
    for cell in lesson.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    client = NotebookClient(
        lesson,
        timeout=SECONDS,
        store_widget_state=False,
        record_timing=False,
        coalesce_streams=True,
        shutdown_kernel="immediate",  # avoids errors from a kernel stopped within a cell
        extra_arguments=["--log-level=ERROR", *arguments],
    )
    try:
        with temporary_folder() as folder, asyncio.Runner(loop_factory=_Loop) as runner:
            client.create_kernel_manager().connection_file = str(folder / "kernel.json")
            environment = os.environ | {"TMPDIR": str(folder), RUNNING: str(notebook.resolve())}
            environment.pop(SETTING, None)
            place = folder / "lesson"
            _link(notebook.resolve().parent, place)
            runner.run(client.async_execute(cwd=str(place), env=environment, **ending_with_us()))
    except CellExecutionError as error:
        raise RuntimeError(f"{notebook.name}, {_failure(lesson, error)}") from error
    except OSError:
        raise
    except Exception as error:  # a kernel that is not there or has died, an output that is none
        raise RuntimeError(f"{notebook.name}: {reason(error)}") from error
    return lesson


def _failure(lesson, raised) -> str:
    """The cell that failed, its line, and its error.

    What is shown may fail after the cell is done; then only the output tells why. There is none of
    an error whose text cannot be sent.
    """
    cells = list(enumerate(lesson.cells))
    for number, cell in cells:
        for output in _outputs(cell):
            if output.output_type == "error":
                line = re.search(r"Cell In\[\d+\], (line \d+)", _plain("".join(output.traceback)))
                where = f"cell {number}, {line[1]}" if line else f"cell {number}"
                return f"{where}: {output.ename}: {output.evalue}"
    ran = [number for number, cell in cells if cell.get("execution_count")]
    return f"cell {ran[-1]}: {raised.ename}: {raised.evalue}"


def _link(folder, to):
    """Links to the files of a folder, in folders of the same names: what is written stays there."""
    to.mkdir()
    for path in folder.glob("[!.]*"):
        if path.is_dir() and not path.is_symlink():
            _link(path, to / path.name)
        elif os.name == "nt":  # which lets few users make links
            shutil.copy(path, to)
        else:
            (to / path.name).symlink_to(path)


def _plain(text) -> str:
    """A text without the colours of a terminal."""
    return re.sub(r"\x1b\[[\d;]*m", "", text)


def _outputs(cell) -> list:
    return cell.get("outputs", [])


def load_ipython_extension(shell):
    """In the lesson's kernel: explorers show themselves as filmstrips, figures in all looks."""
    import posviz.pictures.picture  # noqa: F401 - shows figures in its own way, from then on
    from posviz.pictures.explorer import Explorer
    from posviz.pictures.filmstrip import filmstrip
    from posviz.pictures.search import Search
    from posviz.pictures.styled_figure import StyledFigure
    from posviz.teaching.prediction import Prediction

    formatter = shell.display_formatter.mimebundle_formatter
    # By class and not by name: a widget's own class is a subclass of the same name.
    for kind in (Prediction, Search):
        formatter.for_type(kind, lambda widget, **_: widget.shown())
    asked = prompts(read(Path(os.environ[RUNNING])))

    def shown(explorer, **_):
        told = asked.get(shell.history_manager.input_hist_raw[-1].strip(), "")
        strip = filmstrip(explorer.picture, told)
        return {"text/html": strip, "text/plain": repr(explorer.picture)}

    formatter.for_type(Explorer, shown)
    shell.display_formatter.formatters["image/png"].for_type(StyledFigure, _in_all_looks)


def _in_all_looks(figure):
    from posviz.pictures.export import notebook_png
    from posviz.pictures.filmstrip import NARROW

    png, about = notebook_png(figure)
    looks: dict[str, dict] = {
        "dark": {"dark": True},
        "narrow": {"style": NARROW},
        "narrow_dark": {"style": NARROW, "dark": True},
    }
    for name, look in looks.items():
        other, _ = notebook_png(figure.again(**look))
        about[name] = base64.b64encode(other).decode()
    return png, about
