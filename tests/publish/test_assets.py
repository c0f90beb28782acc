"""Files of pages and slides: written once, whole, and nothing of them where a disk is full."""

import contextlib
import resource

import pytest

from posviz.publish.assets import write, write_library


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
    script.write_bytes(b"good")
    there = set(script.parents[2].rglob("*"))
    with small_files_only(500_000), pytest.raises(OSError, match="cannot write: File") as refusal:
        write_all()
    assert refusal.value.filename == str(script)
    assert script.read_bytes() == b"good"
    assert set(script.parents[2].rglob("*")) == there
    write_all()
    assert script.stat().st_size > 2_000_000


def test_a_file_that_has_the_bytes_is_left_alone(tmp_path):
    path = tmp_path / "new" / "page.css"
    assert write(path, b"old") == path
    first = path.stat().st_ino
    assert write(path, b"old") == path
    assert path.stat().st_ino == first
    assert write(path, b"new") == path
    assert path.read_bytes() == b"new"
    assert path.stat().st_ino != first


def test_a_library_comes_with_its_licence_and_none_of_it_half(tmp_path):
    write_library("mathjax", tmp_path / "site" / "assets")
    folder = tmp_path / "site" / "assets" / "mathjax"
    assert "Apache License" in (folder / "LICENSE").read_text("utf-8")
    is_kept_on_a_full_disk(
        folder / "tex-svg.js", lambda: write_library("mathjax", tmp_path / "site" / "assets")
    )
