"""Notebooks executed in place: what is stored is what a reader's own run shows."""

import ast
import difflib
import functools
import re
import subprocess
from pathlib import Path

import nbformat
from nbformat import NotebookNode

import posviz
from posviz import pictures
from posviz.engine.export import replacing
from posviz.engine.stored import without_views
from posviz.publish.lesson import executed

TIMES = re.compile(r"\d\d:\d\d<\d\d:\d\d, *[\d.]+(it/s|s/it)| *[\d.]+ ms\b")  # as tqdm and we write
ROOT = Path(posviz.__file__).parents[1]


def rerun(notebook: Path) -> list[str]:
    """Execute a notebook and write it where it stands; return the lines of text that changed.

    Raises RuntimeError that names cell, line and error where one fails; the notebook then stays.
    """
    stored, run = nbformat.read(notebook, as_version=4), executed(notebook)
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


def told(cell: NotebookNode) -> list[str]:
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
        before, after = ("\n".join(told(cell)).splitlines() for cell in (one, other))
        lines = [line for line in difflib.ndiff(before, after) if line[0] in "+-"]
        found += [f"{one.id}:", *lines] if lines else []
    return found


# ---------------------------------------------------------------- after a change


def of_changed_files(notebooks: list[Path]) -> list[Path]:
    """The notebooks that differ from the last commit, or whose code imports what does.

    Raises ValueError where git cannot tell.
    """
    changed = _git("ls-files", "--others", "--exclude-standard")
    changed |= _git("diff", "--name-only", "--relative", "HEAD")
    if any(path.suffix == ".mplstyle" for path in changed):
        return notebooks
    return [path for path in notebooks if changed & {path.resolve(), *_used(path)}]


def _git(*arguments) -> set[Path]:
    done = subprocess.run(["git", *arguments, "-z"], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise ValueError(f"--changed asks git, which says: {done.stderr.strip()}")
    return {ROOT / name for name in done.stdout.split("\0") if name}


def _used(notebook: Path) -> set[Path]:
    """The package's files that the notebook imports, and those that these import."""
    cells = nbformat.read(notebook, as_version=4).cells
    code = "\n".join(cell.source for cell in cells if cell.cell_type == "code")
    found: set[Path] = set()
    waiting = _imports(re.sub(r"^\s*[%!].*", "", code, flags=re.MULTILINE))  # IPython's own
    while waiting := waiting - found:
        found |= waiting
        waiting = frozenset().union(*(_imports(path.read_text("utf-8")) for path in waiting))
    return found


@functools.cache
def _imports(code: str) -> frozenset[Path]:
    names = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return frozenset().union(*map(_files, names))


def _files(name: str) -> frozenset[Path]:
    """The file of a module, or of what is in one; of a package as such, all its files."""
    public = name.removeprefix("posviz.")
    name = posviz._modules().get(public) or pictures.names().get(public) or name
    place = ROOT.joinpath(*name.split("."))
    for path in (place, place.parent):
        if path.with_suffix(".py").is_file():
            return frozenset([path.with_suffix(".py")])
        if path.is_dir() and ROOT / "posviz" in path.parents:
            return frozenset(path.rglob("*.py"))
    return frozenset()
