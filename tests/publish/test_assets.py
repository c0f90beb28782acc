"""Files of pages and slides: written once, whole, and nothing of them where a disk is full."""

import base64
import contextlib
import hashlib
import re
import resource
import zlib

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from posviz.publish.assets import LIBRARIES, policy, write, write_frames, write_library


def script_sources(policy):
    """Where a policy lets scripts come from."""
    (sources,) = re.findall(r"script-src ([^;]+)", policy)
    return set(sources.split())


def hashes(*scripts):
    """What a policy calls scripts of these bytes."""
    digests = [base64.b64encode(hashlib.sha256(script).digest()).decode() for script in scripts]
    return {f"'sha256-{digest}'" for digest in digests}


@contextlib.contextmanager
def small_files_only(most_bytes):
    """No file may become larger, as on a disk that is full."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def is_kept_on_a_full_disk(script, write_all):
    """Fail unless writing everything again stops at this script, which stays as it was."""
    whole = script.read_bytes()
    script.write_bytes(b"good")
    there = set(script.parents[2].rglob("*"))
    with small_files_only(500_000), pytest.raises(OSError, match="cannot write: File") as refusal:
        write_all()
    assert refusal.value.filename == str(script)
    assert script.read_bytes() == b"good"
    assert set(script.parents[2].rglob("*")) == there
    write_all()
    assert script.read_bytes() == whole


def test_a_file_that_has_the_bytes_is_left_alone(tmp_path):
    path = tmp_path / "new" / "page.css"
    assert write(path, b"old") == path
    first = path.stat().st_ino
    assert write(path, b"old") == path
    assert path.stat().st_ino == first
    assert write(path, b"new") == path
    assert path.read_bytes() == b"new"
    assert path.stat().st_ino != first


@pytest.mark.slow("half a second")
def test_a_library_comes_with_its_licence_and_none_of_it_half(tmp_path):
    write_library("mathjax", tmp_path / "site" / "assets")
    folder = tmp_path / "site" / "assets" / "mathjax"
    assert "Apache License" in (folder / "LICENSE").read_text("utf-8")
    is_kept_on_a_full_disk(
        folder / "tex-svg.js.css", lambda: write_library("mathjax", tmp_path / "site" / "assets")
    )


def test_a_librarys_script_lies_there_as_a_style_and_no_script_does(tmp_path):
    write_library("reveal", tmp_path)
    names = {path.name for path in (tmp_path / "reveal").iterdir()}
    assert names > {"reveal.css", "reveal.js.css", "notes.js.css"}
    assert not [name for name in names if name.endswith(".js")]
    style = (tmp_path / "reveal" / "reveal.js.css").read_text()
    (packed,) = re.fullmatch(r'head { --packed: "([\w+/=]+)"; }\n', style).groups()
    assert (
        zlib.decompress(base64.b64decode(packed)) == (LIBRARIES / "reveal/reveal.js").read_bytes()
    )


@pytest.mark.parametrize("narrow", [True, False])
def test_frames_lie_beside_a_page_which_names_them(tmp_path, narrow):
    strip = '<div class="posviz-filmstrip" data-frames="{}"></div>'
    both = '<div data-frames="CC==" data-narrow="DD=="></div>'
    shown = strip.format("AA+/="), "text", strip.format("BB==") + strip.format("a.b"), both
    outputs = [new_output("display_data", {"text/html": html}) for html in shown]
    lesson = new_notebook(cells=[new_markdown_cell("# A"), new_code_cell(outputs=outputs)])
    write_frames(lesson, "05 ropes", tmp_path / "assets", narrow)
    one, other = (strip.format(f"assets/05%20ropes/frames_{number}.css") for number in (1, 2))
    *html, telephone = (output.data["text/html"] for output in lesson.cells[1].outputs)
    assert html == [one, "text", other + strip.format("a.b")]  # what are no frames stays
    assert telephone.count("/frames_3.css") == 1
    assert ("data-narrow" in telephone, telephone.count("/narrow_1.css")) == (narrow, narrow)
    files = {path.name: path.read_text() for path in (tmp_path / "assets/05 ropes").iterdir()}
    kept = {
        "frames_1.css": '[data-frames$="/frames_1.css"] { --packed: "AA+/="; }\n',
        "frames_2.css": '[data-frames$="/frames_2.css"] { --packed: "BB=="; }\n',
        "frames_3.css": '[data-frames$="/frames_3.css"] { --packed: "CC=="; }\n',
    }
    if narrow:
        kept["narrow_1.css"] = '[data-narrow$="/narrow_1.css"] { --packed: "DD=="; }\n'
    assert files == kept


def test_a_policy_names_scripts_by_their_hashes_alone():
    told = policy(["one", "é"], "img-src data:")
    assert told.startswith("default-src 'none'; ")
    assert script_sources(told) == hashes(b"one", "é".encode())
    assert told.endswith("; img-src data:")
    assert script_sources(policy([])) == {"'none'"}
