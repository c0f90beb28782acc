"""Writes what a page loads of Python: packed, and named by hashes."""

import functools
import io
import json
import re
import tarfile
from collections.abc import Iterable, Iterator
from importlib import metadata
from pathlib import Path

import posviz
import posviz_course
import posviz_tools
from posviz_tools.publish.assets import (
    bundle,
    hashed,
    in_cache,
    library,
    packed_by_zstandard,
    write_file,
    write_own,
)
from posviz_tools.publish.live import runtime

HERE = Path(__file__).parent
_PACKAGES = (Path(posviz.__file__).parent, Path(posviz_course.__file__).parent)
_LIVE = (f"publish/live/{name}.py" for name in ("__init__", "cells", "names", "session"))
_SESSION = ("__init__.py", "publish/__init__.py", "publish/place.py", *_LIVE)
_SUFFIXES = {".py", ".npz", ".json", ".toml", ".gz", ".bib", ".mplstyle"}
PART = 2**21  # bytes
Files = dict[str, bytes]  # by name


def prepare() -> None:
    """Fetch what pages and slides load of others, once; RuntimeError says what is missing."""
    runtime.check()
    library("mathjax")


def write_python(to: Path) -> int:
    """Write Python and its scripts for the pages in `to`; return how many MB a page loads, once."""
    folder, (index, files) = to / "assets" / "live", _packed()
    old = _written(folder / "index.json")
    for name, data in files.items():
        write_file(folder / name, data)
    write_file(folder / "index.json", json.dumps(index).encode())
    write_own(to / "sw.js", (HERE / "sw.js").read_bytes(), mark=b"assets/live/")
    for name in old - {*files}:
        (folder / name).unlink(missing_ok=True)
    return round(index["size"] / 1e6)


def _written(index: Path) -> set[str]:
    """The names of the files that an earlier call wrote; all else in their folder is not ours."""
    listed = json.loads(index.read_text()) if index.exists() else {}
    kinds = [names for names in listed.values() if not isinstance(names, int)]
    return {name for names in kinds for name in ([names] if isinstance(names, str) else names)}


@functools.cache
def _packed() -> tuple[dict, Files]:
    """Return the content of index.json, and the other files by name."""
    files = _runtime() | _packed_file("posviz", _tar(_own_files()))
    worker = bundle(HERE / "worker.js")
    index: dict = {}
    for name in sorted(files):
        index.setdefault(name.partition("-")[0], []).append(name)
    index["module"] = re.sub(r"-\d+\.bin$", ".wasm", index["python"][0])  # a browser unpacks it
    index["worker"] = f"worker-{hashed(worker)}.js"
    index["memory"] = f"memory-{hashed(json.dumps(index).encode())}.bin"  # which a browser makes
    index["size"] = sum(map(len, files.values()))
    return index, files | {index["worker"]: worker, "LICENSES.txt": _licences()}


def _runtime() -> Files:
    """The interpreter and its library, packed once for each version: it takes seconds."""
    own = b"".join((HERE / name).read_bytes() for name in ("runtime.py", "wasm.py", "build.py"))

    def pack(folder):
        library = _packed_file("library", _tar(runtime.library()))
        for name, data in (_packed_file("python", runtime.wasm()) | library).items():
            write_file(folder / name, data)

    kept = in_cache("python", own, pack)
    return {file.name: file.read_bytes() for file in sorted(kept.iterdir())}


def _own_files() -> Iterator[tuple[str, bytes]]:
    """What posviz's pictures are made of, and traitlets, which the runtime lacks, by path."""
    tools = Path(posviz_tools.__file__).parent
    paths = {tools / name for name in _SESSION}
    paths |= {path for package in _PACKAGES for path in package.rglob("*")}
    for path in sorted(paths):
        if path.suffix in _SUFFIXES and "__pycache__" not in path.parts:
            yield path.relative_to(tools.parent).as_posix(), path.read_bytes()
    for file in metadata.files("traitlets") or ():
        if file.suffix == ".py" and "tests" not in file.parts:
            yield file.as_posix(), file.read_binary()


def _tar(files: Iterable[tuple[str, bytes]]) -> bytes:
    """An archive of files, the same for the same files; runtime.js reads paths of 100 letters."""
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, data in files:
            about = tarfile.TarInfo(name)
            about.size = len(data)
            tar.addfile(about, io.BytesIO(data))
    return archive.getvalue()


def _packed_file(name: str, data: bytes) -> Files:
    """The packed data in parts, by name: a download that was left goes on with the next part."""
    packed = packed_by_zstandard(data)
    parts = [packed[at : at + PART] for at in range(0, len(packed), PART)]
    return {f"{name}-{hashed(packed)}-{n}.bin": part for n, part in enumerate(parts, 1)}


@functools.cache
def editor() -> bytes:
    """The editor of a page's cells as one script."""
    return bundle(HERE / "editor.js")


def _licences() -> bytes:
    """The licences of all that a page loads of Python, and of the editor of its cells."""
    ours = [file.read_bytes() for file in sorted(HERE.glob("LICENSE_*"))]
    [own] = (file for file in metadata.files("traitlets") or () if file.name == "LICENSE")
    return b"\n\n".join([runtime.licences(), *ours, b"traitlets\n", own.read_binary()])
