"""What programs and notebooks import."""

import ast
import functools
import json
import re
from pathlib import Path

import posviz
import posviz.lessons

ROOT = Path(posviz.__file__).parents[1]


@functools.cache
def code(file: Path) -> str:
    """A file's text; of a notebook, the code of its cells."""
    text = file.read_text("utf-8")
    if file.suffix != ".ipynb":
        return text
    cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    return "\n".join("".join(cell["source"]) for cell in cells)


@functools.cache
def imported(file: Path) -> frozenset[str]:
    """The modules that a program or a notebook imports; of a public name, the one that has it."""
    found = set()
    python = re.sub(r"^\s*[%!].*", "pass", code(file), flags=re.MULTILINE)  # without IPython's own
    for node in ast.walk(ast.parse(python)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {module_of(f"{node.module}.{alias.name}") for alias in node.names}
    return frozenset(found)


@functools.cache
def _public() -> dict[str, str]:
    """The module of each public name, looked for once: programs import thousands of names."""
    return posviz._modules() | posviz.lessons.names()


def module_of(name: str) -> str:
    """The module that `from module import name` loads, asked for as "module.name"."""
    if found := _public().get(name.removeprefix("posviz.")):
        return found
    place = ROOT.joinpath(*name.split("."))
    return name if place.is_dir() or place.with_suffix(".py").exists() else name.rpartition(".")[0]
