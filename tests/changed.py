"""What a change reaches: the tests to run after it, by imports and by the names of files."""

import functools
import os
import re
from pathlib import Path

import grimp

import posviz
from posviz import pictures
from posviz.publish.imports import code, imported, module_of
from posviz.publish.rerun import changed_files

ROOT = Path(__file__).parent.parent
# A change of these reaches all tests, so what they import themselves tells nothing of a test.
OF_EVERYTHING = (
    *("pyproject.toml", "constraints.txt"),
    *("tests/conftest.py", "tests/speeds.py", "tests/changed.py"),
)
ABOUT_EVERYTHING = ("tests/test_house.py", "tests/test_course.py")  # they read all files
PICTURES = pictures.names()
NOTEBOOKS = {path.stem for path in (ROOT / "notebooks").glob("*.ipynb")}
LEFT_THERE = ("__pycache__", "test-artefacts", "figures", "dist")
# A package that is imported as such loads all that is in it, by name.
LOADERS = ("posviz.pictures", "posviz.exercises", "posviz.claims")


def files() -> list[str]:
    """The project's files, from its folder, without what tests and tools leave there."""
    found = []
    for folder, inside, names in os.walk(ROOT):
        inside[:] = [
            name
            for name in inside
            if name not in LEFT_THERE and not name.endswith(".egg-info")
            if not name.startswith(".") or name in (".ci", ".github")
        ]
        found += [str(Path(folder, name).relative_to(ROOT)) for name in names]
    return found


def since_last_commit() -> set[str]:
    """The files that differ from the last commit, from the project's folder, new ones too."""
    return {str(path.relative_to(ROOT)) for path in changed_files()}


class Reach:
    """What depends on changed files.

    reach.test("tests/engine/test_live_figure.py", [])               a test file as a whole
    reach.test("tests/test_pictures.py", ["SinusoidalTable"])   with a parameter
    """

    def __init__(self, changed):
        self.changed = set(changed)
        gone = any(
            not (ROOT / name).exists() for name in self.changed
        )  # who needed it, no graph says
        self.all = gone or any(name in self.changed for name in OF_EVERYTHING)
        graph = _graph()
        found = set().union(*(_modules(name, graph.modules) for name in self.changed))
        before = set()
        while found != before:
            before = set(found)
            found |= {name for name in LOADERS for module in before if module.startswith(name)}
            found |= set().union(*(graph.find_downstream_modules(name) for name in before))
        self.affected = found | self.changed

    def test(self, file, parameters) -> bool:
        """Whether the tests of a file, or those with these parameters, see the change."""
        if self.all or file in ABOUT_EVERYTHING:
            return bool(self.changed)
        used = uses(file)
        if one := {thing for value in parameters for thing in _named(value)}:
            used = used - {"posviz.pictures"} | one
        return not used.isdisjoint(self.affected)


@functools.cache
def _graph():
    return grimp.build_graph("posviz")


def _named(parameter) -> set[str]:
    """What a test's parameter stands for: a picture, or a notebook with all it imports."""
    name = parameter.stem if isinstance(parameter, Path) else parameter
    if not isinstance(name, str):
        return set()
    if name in PICTURES:
        return {PICTURES[name]}
    return uses(f"notebooks/{name}.ipynb") if name in NOTEBOOKS else set()


def _modules(name, modules) -> set[str]:
    """The modules of the package that a changed file is, or that read it."""
    path = ROOT / name
    if not name.startswith("posviz/"):
        return set()
    if path.suffix == ".py":
        parts = Path(name).with_suffix("").parts
        module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        return {module} & modules
    readers = {module for module in modules if path.name in code(_file(module))}
    return readers or {
        module for module in modules if path.parent.is_relative_to(_file(module).parent)
    }


def _file(module) -> Path:
    place = ROOT.joinpath(*module.split("."))
    return place / "__init__.py" if place.is_dir() else place.with_suffix(".py")


@functools.cache
def uses(name) -> frozenset[str]:
    """The file itself, and the files and modules that it imports or names, helpers' too."""
    found, waiting = set(), [name, *_conftests(name)]
    while waiting:
        file = waiting.pop()
        if file not in found:
            found.add(file)
            used = _imports(file) | _words(file)
            found |= {thing for thing in used if not _is_helper(thing)}
            waiting += filter(_is_helper, used)
    return frozenset(found)


def _is_helper(name) -> bool:
    """Whether a file's own imports count as well."""
    return name.startswith("tests/") and name.endswith(".py") and name not in OF_EVERYTHING


def _conftests(name) -> list[str]:
    folders = [folder for folder in Path(name).parents if (ROOT / folder / "conftest.py").exists()]
    return [str(folder / "conftest.py") for folder in folders]


def _imports(name) -> set[str]:
    """What the code imports, as modules of posviz and as files."""
    return set().union(*map(_as_file, imported(ROOT / name)))


def _as_file(module) -> set[str]:
    """A module of posviz by its name, another of the project by its file."""
    if module.partition(".")[0] == "posviz":
        return {module}
    file = Path(*module.split(".")).with_suffix(".py")
    return {str(file)} if (ROOT / file).exists() else set()


def _words(name) -> set[str]:
    """What the text names outside of imports: public names in cells and programs, files."""
    text = code(ROOT / name)
    words = set(re.findall(r"[\w.-]+", text))
    found = {PICTURES.get(word) or posviz._modules()[word] for word in words & _public()}
    found |= set().union(*(_by_name()[word] for word in words & set(_by_name())))
    found |= set(map(module_of, re.findall(r"posviz(?:\.\w+)+", text)))  # in a program's text
    if re.search(r'"-m", "posviz"', text):
        found.add("posviz.__main__")
    return found


@functools.cache
def _public() -> set[str]:
    return {*PICTURES, *posviz._modules()}


@functools.cache
def _by_name() -> dict[str, set[str]]:
    """The project's files that are no Python, by the last part of their names."""
    named: dict[str, set[str]] = {}
    for name in files():
        if not name.endswith(".py"):
            named.setdefault(Path(name).name, set()).add(name)
    return named
