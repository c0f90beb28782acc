"""Modules joined for the browser; that they run there is seen by every browser test."""

import re

import pytest

from posviz.pictures.scripts import as_module, as_script
from posviz.pictures.widget import ExplorerWidget
from posviz.publish import page, slides

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


def test_a_script_is_a_function_that_is_called(modules):
    text = as_script(modules / "pages" / "page.js")
    assert text == f'(() => {{\n"use strict";\n{JOINED}}})();\n'


def test_a_widget_imports_nothing_and_has_one_export():
    """Its code is text: of a path, anywidget would watch the file."""
    found = re.findall(r"^(?:import|export) .*", ExplorerWidget._esm, re.M)
    assert found == ["export default { render };"]


@pytest.mark.parametrize("path", [page.HERE / "page.js", slides.HERE / "slides.js"])
def test_the_script_of_a_page_is_no_module_and_can_stand_in_it(path):
    script = as_script(path)
    assert re.findall(r"^(?:import|export) .*", script, re.M) == []
    assert "</script" not in script
