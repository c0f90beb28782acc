"""Scripts of other people: fetched once, and what is said where they cannot be."""

import pytest

from posviz.publish import npm
from posviz.publish.cache import in_cache


@pytest.fixture
def empty_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.mark.slow("a second")
def test_a_library_without_a_network_is_told_in_a_line(empty_cache, monkeypatch, tmp_path):
    monkeypatch.setenv("DENO_DIR", str(tmp_path / "deno"))
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")  # where nothing answers
    with pytest.raises(RuntimeError, match="connect to the internet and run this") as refusal:
        npm.library("mathjax")
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
