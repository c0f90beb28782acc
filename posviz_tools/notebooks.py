"""Notebooks as they are stored and as a kernel runs them, for pages and for grading."""

import asyncio
import os
import re
from pathlib import Path

import nbformat
from jupyter_client.kernelspec import NoSuchKernel
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, DeadKernelError
from nbconvert.filters import strip_ansi
from nbformat import NotebookNode

from posviz.files import SETTING
from posviz.wording import reason

SECONDS = 600  # for one cell


def read(notebook: Path) -> NotebookNode:
    """A notebook as it is stored; RuntimeError that names it where it is none, or has no cells."""
    try:
        content = nbformat.read(notebook, as_version=4)
        nbformat.validate(content)
    except OSError:
        raise
    except Exception as error:  # nbformat lets through what its parts raise
        raise RuntimeError(f"{notebook.name} is no notebook: {reason(error)}") from None
    if not content.cells:
        raise RuntimeError(f"{notebook.name} has no cells")
    return content


def about(node: NotebookNode) -> dict:
    """Return posviz's own metadata of a notebook or a cell; CONTRIBUTING.md lists them."""
    return node.metadata.get("posviz", {})


def executed(notebook: Path) -> NotebookNode:
    """A copy of the notebook with what a kernel of its own shows, in the notebook's folder.

    Raises RuntimeError that names notebook, cell, line and error where a cell fails, and
    ModuleNotFoundError where a package is missing.
    """
    lesson = read(notebook)
    for cell in lesson.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None  # of a cell that is not run, too
    client = NotebookClient(
        lesson,
        timeout=SECONDS,
        store_widget_state=False,
        record_timing=False,
        coalesce_streams=True,
        shutdown_kernel="immediate",  # avoids errors from a kernel stopped within a cell
        extra_arguments=["--log-level=ERROR"],
    )
    folder, environment = str(notebook.resolve().parent), os.environ | {SETTING: ""}
    try:
        with asyncio.Runner(loop_factory=_Loop) as runner:
            runner.run(client.async_execute(cwd=folder, env=environment))
    except CellExecutionError as error:
        if error.ename == ModuleNotFoundError.__name__:
            package = error.evalue.split("'")[1]  # No module named 'torch'
            raise ModuleNotFoundError(error.evalue, name=package) from None
        number = max(i for i, cell in enumerate(lesson.cells) if cell.get("execution_count"))
        line = re.search(r"Cell In\[\d+\](, line \d+)", strip_ansi(error.traceback))
        where = f"{notebook.name}, cell {number}{line[1] if line else ''}"
        raise RuntimeError(f"{where}: {error.ename}: {error.evalue}") from error
    except NoSuchKernel as error:
        told = f"there is no kernel {error.name} here: run `pip install ipykernel`."
        raise RuntimeError(f"{notebook.name}: {told}") from None
    except DeadKernelError as error:
        raise RuntimeError(f"{notebook.name}: {error}") from error
    return lesson


class _Loop(asyncio.SelectorEventLoop):
    """A loop in which nbclient leaves signals to the program: its own way is to go on."""

    def add_signal_handler(self, *_):  # type: ignore[override]
        raise RuntimeError("signals are the program's")

    def call_exception_handler(self, context):
        """Ignore a kernel that died because the program was stopped."""
