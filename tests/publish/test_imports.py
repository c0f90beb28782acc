"""What is imported is read from programs and from a notebook's code, public names' modules too."""

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from posviz.publish.imports import code, imported

PROGRAM = """%matplotlib inline
import json, posviz.arrays
from posviz import AngleTable, Rotary, teaching as exercises
from posviz.encodings.alibi import alibi_bias
if True:
    from tests import conftest
"""
MODULES = {
    *("json", "posviz.arrays", "posviz.lessons.rotary.angle_table", "posviz.encodings.rotary"),
    *("posviz.teaching", "posviz.encodings.alibi", "tests.conftest"),
}


def test_a_program_and_a_notebook_import_the_same(tmp_path):
    program, notebook = tmp_path / "a.py", tmp_path / "a.ipynb"
    program.write_text(PROGRAM)
    cells = [new_markdown_cell("import os"), new_code_cell(PROGRAM)]
    nbformat.write(new_notebook(cells=cells), notebook)
    assert code(notebook) == PROGRAM
    assert imported(program) == imported(notebook) == MODULES
