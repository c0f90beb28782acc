"""Notebooks executed in place: what is stored is what a reader's own run shows."""

import difflib
import re
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from posviz.pictures.stored import without_views
from posviz_tools.notebooks import executed, read
from posviz_tools.publish.assets import write_file

# As tqdm and the column of times write them.
TIMES = re.compile(r"\d\d:\d\d<\d\d:\d\d, *[\d.]+\w+/\w+|≈ 1|× [\d.]+ \([\d.]+ to [\d.]+\)")


def rerun(notebook: Path) -> list[str]:
    """Execute a notebook and write it in place; return the lines of text that changed."""
    stored, run = read(notebook), executed(notebook)
    without_views(run)
    run = nbformat.from_dict(run)
    keep_times(stored, run)
    write_file(notebook, f"{nbformat.writes(run)}\n".encode())
    return changed_text(stored, run)


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
    texts = []
    for output in cell.get("outputs", []):
        data = output.get("data", {})
        kinds = [kind for kind in sorted(data) if kind.startswith("text/")]
        texts += [data[kind] for kind in kinds if kind != "text/html" or kinds == ["text/html"]]
        texts += [output[kind] for kind in ("text", "evalue") if kind in output]
        texts += [about["alt"] for about in output.get("metadata", {}).values() if "alt" in about]
    return texts


def changed_text(stored: NotebookNode, run: NotebookNode) -> list[str]:
    """The lines that are gone (-) and those that are new (+), each with its cell's name."""
    lines = list(difflib.unified_diff(_lines(stored), _lines(run), n=0))[2:]  # below its head
    return [f"{line[0]} {line[1:]}" for line in lines if line[0] in "+-"]


def _lines(notebook) -> list[str]:
    texts = ((cell.id, "\n".join(output_texts(cell))) for cell in notebook.cells)
    return [f"{id}: {line}" for id, text in texts for line in text.splitlines()]
