"""Errors that people make: {name: (file, what stands there, the error, test that sees it)}.

QUICK has those that --quick sees, ERRORS also those that only the default speed does.
"""

import importlib
from pathlib import Path

_AREAS = [
    importlib.import_module(f"tests.planted.{file.stem}")
    for file in sorted(Path(__file__).parent.glob("[!_]*.py"))
]
QUICK = {name: error for area in _AREAS for name, error in area.QUICK.items()}
ERRORS = QUICK | {name: error for area in _AREAS for name, error in area.DEFAULT.items()}
