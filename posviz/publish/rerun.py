"""Notebooks executed in place: what is stored is what a reader's own run shows."""

import difflib
import re
import subprocess
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from posviz.pictures.files import replacing
from posviz.pictures.stored import without_views
from posviz.publish.imports import ROOT, imported
from posviz.publish.lesson import executed, read

TIMES = re.compile(r"\d\d:\d\d<\d\d:\d\d, *[\d.]+(it/s|s/it)| *[\d.]+ ms\b")  # as tqdm and we write


def rerun(notebook: Path) -> list[str]:
    """Execute a notebook and write it where it stands; return the lines of text that changed.

    Raises RuntimeError that names cell, line and error where one fails; the notebook then stays.
    """
    stored, run = read(notebook), executed(notebook)
    without_views(run)
    run = nbformat.from_dict(run)
    tidy(stored, run)
    text = nbformat.writes(run) + "\n"
    if text.encode() != notebook.read_bytes():
        with replacing(notebook) as file:
            file.write(text.encode())
    return changed_text(stored, run)


def tidy(stored: NotebookNode, run: NotebookNode):
    """Keep versions and times as they are stored."""
    run.metadata = stored.metadata
    for one, other in zip(stored.cells, run.cells, strict=True):
        other.metadata.pop("execution", None)
        for before, after in zip(one.get("outputs", []), other.get("outputs", []), strict=False):
            if _timeless(before) == _timeless(after) != "":
                after.text = before.text


def _timeless(output) -> str:
    return TIMES.sub("", output.get("text", ""))


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
    """Under each cell's name, the lines that are gone (-) and those that are new (+)."""
    found = []
    for one, other in zip(stored.cells, run.cells, strict=True):
        before, after = ("\n".join(output_texts(cell)).splitlines() for cell in (one, other))
        # ndiff, which pairs similar lines, takes half a minute for four hundred.
        _, _, *lines = difflib.unified_diff(before, after, n=0) if before != after else ("", "")
        lines = [f"{line[0]} {line[1:]}" for line in lines if line[0] in "+-"]
        found += [f"{one.id}:", *lines] if lines else []
    return found


# ---------------------------------------------------------------- after a change


def of_changed_files(notebooks: list[Path]) -> list[Path]:
    """The notebooks that differ from the last commit, or whose code imports what does.

    Raises ValueError where git cannot tell.
    """
    changed = changed_files()
    if any(path.suffix == ".mplstyle" for path in changed):
        return notebooks
    return [path for path in notebooks if changed & {path.resolve(), *_used(path)}]


def changed_files() -> set[Path]:
    """The project's files that differ from the last commit, new ones too.

    Raises ValueError where git cannot tell.
    """
    new = _git("ls-files", "--others", "--exclude-standard")
    return new | _git("diff", "--name-only", "--relative", "HEAD")


def _git(*arguments) -> set[Path]:
    done = subprocess.run(["git", *arguments, "-z"], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise ValueError(f"--changed asks git, which says: {done.stderr.strip()}")
    return {ROOT / name for name in done.stdout.split("\0") if name}


def _used(notebook: Path) -> set[Path]:
    """The package's files that the notebook imports, and those that these import."""
    found: set[Path] = set()
    waiting = _imported_files(notebook)
    while waiting := waiting - found:
        found |= waiting
        waiting = set().union(*map(_imported_files, waiting))
    return found


def _imported_files(file: Path) -> set[Path]:
    """The files of the modules that a file imports; of a package as such, all its files."""
    places = [ROOT.joinpath(*module.split(".")) for module in imported(file)]
    folders = [place for place in places if ROOT / "posviz" in place.parents and place.is_dir()]
    files = {place.with_suffix(".py") for place in places if place.with_suffix(".py").is_file()}
    return files.union(*(folder.rglob("*.py") for folder in folders))
