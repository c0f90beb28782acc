"""Notebooks executed in place: what is stored is what a reader's own run shows."""

import asyncio
import difflib
import os
import re
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, DeadKernelError
from nbconvert.filters import strip_ansi
from nbformat import NotebookNode

from posviz.files import SETTING
from posviz.pictures.stored import without_views
from posviz_tools.publish.assets import write_file
from posviz_tools.publish.lesson import read

SECONDS = 600  # for one cell
# As tqdm and the column of times write them.
TIMES = re.compile(r"\d\d:\d\d<\d\d:\d\d, *[\d.]+\w+/\w+|≈ 1|× [\d.]+ \([\d.]+ to [\d.]+\)")


class _Loop(asyncio.SelectorEventLoop):
    """A loop in which nbclient leaves signals to the program: its own way is to go on."""

    def add_signal_handler(self, *_):  # type: ignore[override]
        raise RuntimeError("signals are the program's")

    def call_exception_handler(self, context):
        """Say nothing of a kernel that died because the program was stopped."""


def rerun(notebook: Path) -> list[str]:
    """Execute a notebook and write it where it stands; return the lines of text that changed."""
    stored, run = read(notebook), executed(notebook)
    without_views(run)
    run = nbformat.from_dict(run)
    keep_times(stored, run)
    write_file(notebook, f"{nbformat.writes(run)}\n".encode())
    return changed_text(stored, run)


def executed(notebook: Path) -> NotebookNode:
    """A copy of the notebook with what a kernel of its own shows, in the notebook's folder.

    Raises RuntimeError that names notebook, cell, line and error where a cell fails.
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
        number = max(i for i, cell in enumerate(lesson.cells) if cell.get("execution_count"))
        line = re.search(r"Cell In\[\d+\](, line \d+)", strip_ansi(error.traceback))
        where = f"{notebook.name}, cell {number}{line[1] if line else ''}"
        raise RuntimeError(f"{where}: {error.ename}: {error.evalue}") from error
    except DeadKernelError as error:
        raise RuntimeError(f"{notebook.name}: {error}") from error
    return lesson


def keep_times(stored: NotebookNode, run: NotebookNode) -> None:
    """Keep what is stored of a cell that shows nothing else but other times, and the metadata."""
    run.metadata = stored.metadata
    for one, other in zip(stored.cells, run.cells, strict=True):
        other.metadata.pop("execution", None)
        before, after = ("\n".join(output_texts(cell)) for cell in (one, other))
        if TIMES.search(before) and _timeless(before) == _timeless(after):
            other.outputs = one.outputs


def _timeless(text) -> list[str]:
    return TIMES.sub("", text).split()


def output_texts(cell: NotebookNode) -> list[str]:
    """All text of a cell's outputs, errors and alternative texts included."""
    found = []
    for output in cell.get("outputs", []):
        data = output.get("data", {})
        kinds = [kind for kind in sorted(data) if kind.startswith("text/")]
        found += [data[kind] for kind in kinds if kind != "text/html" or kinds == ["text/html"]]
        found += [output[kind] for kind in ("text", "evalue") if kind in output]
        found += [about["alt"] for about in output.get("metadata", {}).values() if "alt" in about]
    return found


def changed_text(stored: NotebookNode, run: NotebookNode) -> list[str]:
    """The lines that are gone (-) and those that are new (+), each with its cell's name."""
    lines = list(difflib.unified_diff(_lines(stored), _lines(run), n=0))[2:]  # below its head
    return [f"{line[0]} {line[1:]}" for line in lines if line[0] in "+-"]


def _lines(notebook) -> list[str]:
    texts = ((cell.id, "\n".join(output_texts(cell))) for cell in notebook.cells)
    return [f"{id}: {line}" for id, text in texts for line in text.splitlines()]
