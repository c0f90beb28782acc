"""A lesson as it is stored, or run from its first cell to its last."""

import asyncio
import os
import re
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat import NotebookNode

from posviz.pictures.files import SETTING
from posviz.pictures.stored import LINE
from posviz.publish.batch import reason
from posviz.publish.clean import cleaned, sanitised
from posviz.publish.place import place

SECONDS = 600  # for one cell


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


def about(part: NotebookNode) -> dict:
    """What the metadata of a notebook or of a cell says to posviz, as CONTRIBUTING.md has it."""
    return part.metadata.get("posviz", {})


def living(notebook: Path) -> NotebookNode:
    """What a notebook stores, cleaned, with a place for each explorer to live.

    Raises RuntimeError that names a cell which was not run.
    """
    lesson = cleaned(read(notebook))
    for number, cell in enumerate(lesson.cells):
        if cell.cell_type != "code":
            continue
        if cell.source.strip() and not cell.execution_count:
            raise RuntimeError(
                f"{notebook.name}, cell {number} was not run: run the whole notebook and save it"
            )
        for output in list(cell.outputs):
            if output.get("data", {}).get("text/plain") == LINE:  # a hint for notebooks alone
                cell.outputs.remove(output)
            if html := sanitised(place(output)):
                output.data["text/html"] = html
    return lesson


def executed(notebook: Path) -> NotebookNode:
    """A copy of the notebook with what a kernel of its own tells.

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
        extra_arguments=["--log-level=ERROR"],
    )
    try:
        with TemporaryDirectory() as folder, asyncio.Runner(loop_factory=_Loop) as runner:
            client.create_kernel_manager().connection_file = os.path.join(folder, "kernel.json")
            environment = os.environ | {"TMPDIR": folder}
            environment.pop(SETTING, None)
            beside = Path(folder, "lesson")
            _link(notebook.resolve().parent, beside)
            runner.run(client.async_execute(cwd=str(beside), env=environment))
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
