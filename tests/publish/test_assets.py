"""What pages load: fetched once, kept, written beside them, and named in their policy."""

import base64
import hashlib
import re
import zlib

import pytest

from posviz_tools.publish.assets import in_cache, library, policy, write_file, write_library


def script_sources(policy):
    """Where a policy lets scripts come from."""
    (sources,) = re.findall(r"script-src ([^;]+)", policy)
    return set(sources.split())


def hashes(*scripts):
    """What a policy calls scripts of these bytes."""
    digests = [base64.b64encode(hashlib.sha256(script).digest()).decode() for script in scripts]
    return {f"'sha256-{digest}'" for digest in digests}


def test_a_file_that_has_the_bytes_is_left_alone(tmp_path):
    path = tmp_path / "new" / "page.css"
    assert write_file(path, b"old") == path
    first = path.stat().st_ino
    assert write_file(path, b"old") == path
    assert path.stat().st_ino == first
    assert write_file(path, b"new") == path
    assert path.read_bytes() == b"new"
    assert path.stat().st_ino != first


@pytest.mark.slow("fetches scripts on a new machine")
def test_a_librarys_script_lies_there_as_a_style_and_no_script_does(tmp_path):
    write_library("reveal", tmp_path)
    names = {path.name for path in (tmp_path / "reveal").iterdir()}
    assert names > {"LICENSE", "reveal.css", "reveal.js.css", "notes.js.css"}
    assert not [name for name in names if name.endswith(".js")]
    style = (tmp_path / "reveal" / "reveal.js.css").read_text()
    (packed,) = re.fullmatch(r'head { --packed: "([\w+/=]+)"; }\n', style).groups()
    script = (library("reveal") / "reveal.js").read_bytes()
    assert zlib.decompress(base64.b64decode(packed)) == script


def test_a_policy_names_scripts_by_their_hashes_alone():
    told = policy(["one", "é"], "img-src data:")
    assert told.startswith("default-src 'none'; ")
    assert script_sources(told) == hashes(b"one", "é".encode())
    assert told.endswith("; img-src data:")
    assert script_sources(policy([])) == {"'none'"}


@pytest.fixture
def empty_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.mark.slow("a second")
def test_a_library_without_a_network_is_told_in_a_line(empty_cache, monkeypatch, tmp_path):
    monkeypatch.setenv("DENO_DIR", str(tmp_path / "deno"))
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")  # where nothing answers
    with pytest.raises(RuntimeError, match="connect to the internet and run this") as refusal:
        library("mathjax")
    assert str(refusal.value).isprintable()
    assert not [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]


def test_a_folder_of_the_cache_is_filled_once_and_older_ones_go(empty_cache):
    def fill(folder):
        (folder / "file").write_text("filled")

    def fail(folder):
        raise AssertionError("filled again")

    old = in_cache("thing", b"old", fill)
    new = in_cache("thing", b"new", fill)
    assert in_cache("thing", b"new", fail) == new
    assert (new / "file").read_text() == "filled"
    assert [path.name for path in new.parent.iterdir()] == [new.name]
    assert old != new
