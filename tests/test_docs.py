"""Four pages of docs/: they are complete, and their links lead somewhere."""

import importlib.util
import re
import tomllib
from pathlib import Path

import pytest

from posviz import Encoding
from posviz.encodings import stretching
from posviz_course.course import LESSONS
from posviz_tools.publish.site.pages import DOCUMENTS
from tests.choosing.test_census import installed
from tests.encodings.test_doors import KINDS
from tests.test_sources import links, named_without_link, shown, wrong

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
POSTS = {  # blogs, which no bibliography has
    *(f"https://kexue.fm/archives/{number}" for number in (8130, 8231, 8265, 8397, 9675)),
    "https://blog.eleuther.ai/rotary-embeddings/",
    "https://blog.eleuther.ai/yarn/",
    "https://huggingface.co/blog/designing-positional-encoding",
    "https://nlp.seas.harvard.edu/annotated-transformer/",
}

each_page = pytest.mark.parametrize("path", [DOCS / f"{name}.md" for name in DOCUMENTS])


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("cheatsheet", ROOT / "scripts" / "cheatsheet.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def cells(page):
    """The rows of a page's tables, as lists of texts."""
    return [line.strip("| ").split(" | ") for line in page.splitlines() if line[:1] == "|"]


def test_the_cheat_sheet_is_what_its_script_writes(script):
    committed = script.PAGE.read_text("utf-8")
    assert committed == script.page(), "run `python scripts/cheatsheet.py`"


def test_the_cheat_sheet_has_every_encoding_and_method(script):
    called = set(re.findall(r"`(\w+)\(", script.page()))
    assert {kind.__name__ for kind in KINDS} | set(stretching.__all__) <= called
    assert Encoding.__name__ not in called


def test_a_row_of_the_cheat_sheet_is_full_and_its_pitfall_short(script):
    rows = cells(script.page())
    assert len(rows) > 30
    assert [row for row in rows if len(row) != 6 or not all(row)] == []
    assert [row[-1] for row in rows if len(row[-1].split()) > 12] == []


@pytest.mark.slow("it reads the files of transformers")
def test_the_keys_of_the_cheat_sheet_are_those_of_transformers(script):
    package = Path(importlib.util.find_spec("transformers").origin).parent
    files = [package / "modeling_rope_utils.py", *package.glob("models/*/configuration_*.py")]
    known = "".join(path.read_text("utf-8") for path in files)
    known += installed()["deberta_v2/modeling_deberta_v2.py"]
    rows = [row for row in cells(script.page()) if "`config.json`" not in row]
    keys = {key for row in rows for cell in row[3:5] for key in re.findall(r"`(\w+)`", cell)}
    keys -= {"rope_type"}
    assert len(keys) > 25
    assert [key for key in keys if not re.search(rf"\b{key}\b", known)] == []


@each_page
def test_a_page_is_short_and_its_links_lead_somewhere(path):
    text = path.read_text("utf-8")
    assert len(text.splitlines()) <= 150
    assert named_without_link(shown(path)) == []
    named = [(key, address) for key, address in links(path) if address not in POSTS]
    assert [fault for link in named if (fault := wrong(*link))] == []
    near = re.findall(r"\]\((?!https?:)([^)#]+)\)", text)
    assert [file for file in near if not (DOCS / file).exists()] == []


def test_every_lesson_has_two_to_four_sources():
    page = (DOCS / "further-reading.md").read_text("utf-8")
    parts = re.split(r"^## ", page, flags=re.MULTILINE)[1:]
    titles = [f"[{row.heading}](../notebooks/{row.notebook}.ipynb)" for row in LESSONS]
    assert [part.splitlines()[0] for part in parts] == titles
    assert {2 <= part.count("\n- ") <= 4 for part in parts} == {True}


def test_the_design_names_every_folder_and_every_dependency():
    page = (DOCS / "design.md").read_text("utf-8")
    folders = [path.parent.relative_to(ROOT) for path in ROOT.glob("posviz*/*/__init__.py")]
    assert [str(name) for name in folders if f"`{name}/`" not in page] == []
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    wanted = [line for name in {*extras} - {"test", "bench"} for line in extras[name]]
    wanted += project["dependencies"]
    packages = [line.partition(">=")[0] for line in wanted]
    table = "\n".join(line for line in page.splitlines() if line[:1] == "|")
    assert [name for name in packages if not re.search(rf"[ ,]{name}[ ,]", table)] == []


def test_the_design_names_files_that_are_there():
    page = (DOCS / "design.md").read_text("utf-8")
    named = {Path(name).name for name in re.findall(r"`([\w/.-]+\.(?:py|js|ts|md))`", page)}
    there = {path.name for path in ROOT.glob("*.*")} | {"README.md"}
    there |= {path.name for path in ROOT.glob("posviz*/**/*.*")}
    assert len(named) > 15
    assert named - there == set()
    methods = re.findall(r"`([A-Z]\w+)\.(\w+)`", page)
    sources = "".join(path.read_text("utf-8") for path in (ROOT / "posviz/pictures").rglob("*.py"))
    assert [name for _, name in methods if f"def {name}(" not in sources] == []
