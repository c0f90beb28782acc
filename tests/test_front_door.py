"""The front door: every name opens something, and nothing is loaded before it is asked for."""

import ast
import doctest
import re
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import posviz

ROOT = Path(posviz.__file__).parents[1]
NAMES = [name for name in dir(posviz) if not name.startswith("_")]
HEAVY = (
    "matplotlib",
    "torch",
    "transformers",
    "ipywidgets",
    "anywidget",
    "IPython",
    "PIL",
    "traitlets",
)

MATHEMATICS = """
import numpy as np, posviz
from posviz.attention import attention
x, p = np.ones((1, 2, 3, 4)), range(3)
shaw, t5 = posviz.Shaw(np.ones((3, 4)), np.ones((3, 4))), posviz.T5(np.ones((32, 2)))
for encoding in (posviz.Alibi(), posviz.Rotary(), posviz.XPos(), t5, shaw):
    attention(x, x, x, encoding=encoding, q_positions=p, k_positions=p)
posviz.sinusoidal(p, 4), posviz.devices(), posviz.to_device(x, "NumPy")
"""

TYPED = """from posviz import Rotary
Rotary(base=500_000.0)
Rotary(bse=500_000.0)
from posviz import Rotery
"""


def opened() -> dict:
    """What each name opens; modules that somebody has imported are no names of the door."""
    opened = {name: getattr(posviz, name) for name in NAMES}
    return {name: it for name, it in opened.items() if not isinstance(it, ModuleType)}


def names_in(line: ast.ImportFrom) -> list[str]:
    """The names that a line of the stub hands on: those with `as`, or all for a star."""
    starred = line.names[0].name == "*"
    return import_module(line.module).__all__ if starred else [it.asname for it in line.names]


def loaded_after(program) -> set[str]:
    """Which of the heavy packages a program has loaded."""
    program += f"\nimport sys; print(*[name for name in {HEAVY} if name in sys.modules])"
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize("name", NAMES)
def test_every_name_opens_something(name):
    assert getattr(posviz, name) is not None


def test_the_door_shows_mathematics_and_pictures():
    wanted = {"SinusoidalTable", "sinusoidal", "attend", "apply_rotary", "alibi_bias", "audit"}
    assert wanted <= set(NAMES)


def test_no_name_is_taken_by_a_module_once_that_is_loaded():
    assert [name for name in opened() if find_spec(f"posviz.{name}")] == []


def test_the_stub_has_every_name_from_its_module():
    stub = ast.parse(Path(posviz.__file__).with_suffix(".pyi").read_text("utf-8")).body
    lines = [line for line in stub if isinstance(line, ast.ImportFrom)]
    assert [line.module for line in lines] == sorted({line.module for line in lines})
    found = {
        name: getattr(import_module(line.module), name) for line in lines for name in names_in(line)
    }
    found |= {it.name: getattr(posviz, it.name) for it in stub if isinstance(it, ast.FunctionDef)}
    assert found == opened()


@pytest.mark.slow("a process")
def test_names_of_another_package_hide_none_of_the_course():
    program = "import posviz; posviz.register({'mean': 'statistics'})"
    program += "; from posviz import mean, read_config, sinusoidal; print(mean([1, 3]))"
    printed = subprocess.check_output([sys.executable, "-c", program], cwd=ROOT, text=True)
    assert printed == "2\n"


@pytest.mark.slow("a process")
def test_mypy_refuses_a_wrong_keyword_and_an_unknown_name(tmp_path):
    file = tmp_path / "typed.py"
    file.write_text(TYPED)
    command = [sys.executable, "-m", "mypy", str(file)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert re.findall(r"typed.py:(\d+): error", done.stdout) == ["3", "4"], done.stdout


@pytest.mark.parametrize("name", ["sinusiodal", "SinusoidalTabel", "_private", "__path_of__"])
def test_an_unknown_name_is_an_attribute_error(name):
    assert not hasattr(posviz, name)
    with pytest.raises(AttributeError, match=name):
        getattr(posviz, name)
    with pytest.raises(ImportError, match=name):
        exec(f"from posviz import {name}", {})


@pytest.mark.slow("a process")
def test_importing_posviz_loads_nothing_heavy():
    assert loaded_after("import posviz; dir(posviz)") == set()


@pytest.mark.slow("a process")
def test_mathematics_loads_no_drawing_and_no_torch():
    assert loaded_after(MATHEMATICS) == set()


@pytest.mark.slow("a process")
def test_a_picture_loads_no_widgets_no_pyplot_and_no_torch():
    program = "from posviz import SinusoidalTable; SinusoidalTable().figure()"
    program += "\nimport sys; assert 'matplotlib.pyplot' not in sys.modules"
    assert loaded_after(program) == {"matplotlib", "PIL", "traitlets"}


def test_examples_in_docstrings_print_what_they_say():
    modules = sorted({it.__module__ for it in opened().values()})
    tried = [doctest.testmod(import_module(name), extraglobs={"np": np}) for name in modules]
    assert [name for name, it in zip(modules, tried, strict=True) if it.failed] == []
    assert sum(it.attempted for it in tried) > 50


def blocks_of_code(path):
    """The indented blocks of a Markdown file that import posviz, as programs."""
    lines, blocks = path.read_text(encoding="utf-8").splitlines(), [[]]
    for line in lines:
        if line.startswith("    ") or (not line and blocks[-1]):
            blocks[-1].append(line[4:])
        elif blocks[-1]:
            blocks.append([])
    return [text for text in map("\n".join, blocks) if "from posviz import" in text]


@pytest.mark.slow("a process")
@pytest.mark.parametrize(
    "program",
    [each for page in ("README.md", "docs/library.md") for each in blocks_of_code(ROOT / page)],
)
def test_what_the_readme_and_the_docs_say_runs(program, tmp_path):
    subprocess.run([sys.executable, "-W", "error", "-c", program], cwd=tmp_path, check=True)
