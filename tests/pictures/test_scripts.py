"""Modules joined for the browser; that they run there is seen by every browser test."""

import re

import pytest

from posviz.pictures.scripts import as_module
from posviz.pictures.widget import ExplorerWidget

MODULES = {
    "pages/page.js": 'import "../film.js";\nwindow.ready = true;\n',
    "film.js": (
        'import screen from "./screen.js";\nimport { make } from "./make.js";\nscreen(make);\n'
    ),
    "screen.js": 'import { make } from "./make.js";\nexport default { make };\n',
    "make.js": "const make = 1;\nexport { make };\n",
}
JOINED = """const $make = (() => {
"use strict";
const make = 1;
return { make };
})();
const $screen = (() => {
"use strict";
const { make } = $make;
return { make };
})();
const $film = (() => {
"use strict";
const screen = $screen;
const { make } = $make;
screen(make);
})();

window.ready = true;
"""


@pytest.fixture
def modules(tmp_path):
    for name, text in MODULES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_each_module_stands_once_before_those_that_import_it(modules):
    assert as_module(modules / "pages" / "page.js") == JOINED


def test_a_widget_imports_nothing_and_has_one_export():
    """Its code is text: of a path, anywidget would watch the file."""
    found = re.findall(r"^(?:import|export) .*", ExplorerWidget._esm, re.M)
    assert found == ["export default { render };"]
