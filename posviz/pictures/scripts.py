"""Joins JavaScript modules: a widget's code is one text, and a page opened from disk loads none."""

import re
from pathlib import Path

_IMPORT = re.compile(r'^import (?:(?P<names>.+) from )?"(?P<file>\.[^"]+)";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?:default )?(?={)", re.MULTILINE)


def as_module(path: Path) -> str:
    """A module and all it imports as one module that imports nothing; each of them runs once.

    They import by relative path (`import name` or `import { names }`), and each that is imported
    ends with its only export: `export { names };` or `export default { names };`.
    """
    imported: dict[Path, str] = {}  # in the order in which they run

    def without_imports(path):
        def constant(match):
            other = (path.parent / match["file"]).resolve()
            imported[other] = without_imports(other)
            return f"const {match['names']} = {_name(other)};" if match["names"] else ""

        return _IMPORT.sub(constant, path.read_text("utf-8"))

    own = without_imports(path)
    return "".join(f"const {_name(other)} = {_called(imported[other])}" for other in imported) + own


def as_script(path: Path) -> str:
    """A module and all it imports as a classic script, which leaves no names behind."""
    return _called(as_module(path))


def _name(path) -> str:
    return f"${path.stem}"


def _called(module) -> str:
    """A module's text as a function that is called at once and returns what it exports."""
    return f'(() => {{\n"use strict";\n{_EXPORT.sub("return ", module)}}})();\n'
