"""What pages and slides load beside them: from npm, kept in a cache, packed, and allowed to run.

Scripts of other people come from npm: deno fetches and bundles them, deno.lock has their hashes.
"""

import base64
import contextlib
import errno
import functools
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from platformdirs import user_cache_path

from posviz.files import replacing
from posviz.pictures.scripts import as_script
from posviz.pictures.widget import ExplorerWidget
from posviz.teaching.widget import PredictionWidget
from posviz.wording import shortened

HERE = Path(__file__).parent
THEME = as_script(HERE / "theme.js")  # of every page's head
TEMPLATES = Environment(
    loader=FileSystemLoader([HERE, HERE / "site"]),
    autoescape=True,
    trim_blocks=True,
    undefined=StrictUndefined,
)
LOCK = HERE / "deno.lock"
LIBRARIES = {  # a folder of assets: its package, and which of its files pages load, and a licence
    "mathjax": ("mathjax@3.2.2", ("es5/tex-svg.js", "LICENSE")),
    "minisearch": ("minisearch@7.2.0", ("dist/umd/index.js", "LICENSE.txt")),
    "reveal": (
        "reveal.js@5.2.1",
        ("dist/reset.css", "dist/reveal.css", "dist/reveal.js", "plugin/notes/notes.js", "LICENSE"),
    ),
}
ZSTANDARD = """
import { constants, zstdCompressSync } from "node:zlib";
const params = { [constants.ZSTD_c_compressionLevel]: 12 }; // 19 takes ten times as long for 10 %
const data = Deno.readFileSync("data");
Deno.writeFileSync("data", zstdCompressSync(data, { params, pledgedSrcSize: data.length }));
"""
LIVE_POLICY = ("worker-src 'self'", "connect-src 'self'")  # of a page with living pictures


# ---------------------------------------------------------------- from npm


def library(name: str) -> Path:
    """The folder of a library, which is fetched once.

    Raises RuntimeError that says what to do where deno is missing or finds no network.
    """
    return in_cache("npm", LOCK.read_bytes() + repr(LIBRARIES).encode(), _fetch) / name


def scripts(name: str) -> list[str]:
    """The scripts of a library, to the letter."""
    return [file.read_bytes().decode() for file in sorted(library(name).glob("*.js"))]


def bundle(script: Path) -> bytes:
    """A script and all it imports as one. RuntimeError as `library`."""
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / script.name
        how = ["--platform=browser", "--format=iife", "--minify", f"--output={made}"]
        _deno(folder, "bundle", *how, str(script))
        return made.read_bytes()


def packed_by_zstandard(data: bytes) -> bytes:
    """The data packed by Zstandard, which deno has. RuntimeError as `library`."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "data"
        file.write_bytes(data)
        _deno(folder, "eval", ZSTANDARD)
        return file.read_bytes()


def _fetch(to) -> None:
    with tempfile.TemporaryDirectory() as folder:
        packages = [f"npm:{package}" for package, _ in LIBRARIES.values()]
        _deno(folder, "cache", "--node-modules-dir=auto", *packages)
        for name, (package, files) in LIBRARIES.items():
            (to / name).mkdir()
            for file in files:
                source = Path(folder, "node_modules", package.partition("@")[0], file)
                shutil.copy(source, to / name)


def _deno(folder, command, *arguments) -> None:
    """Run deno in a folder, with the packages of deno.lock alone."""
    try:
        from deno import find_deno_bin
    except ImportError:
        raise RuntimeError(f"pages need deno: {sys.executable} -m pip install deno") from None
    how = ["--quiet", "--no-config", "--frozen", f"--lock={LOCK}"]
    line = [find_deno_bin(), command, *how, *arguments]
    plain = os.environ | {"NO_COLOR": "1"}
    done = subprocess.run(line, cwd=folder, env=plain, capture_output=True, text=True)
    if done.returncode:
        why = done.stderr.partition("\n")[0]
        raise RuntimeError(
            f"pages need scripts of npm: connect to the internet and run this again (deno: {why})"
        )


def in_cache(kind: str, source: bytes, fill: Callable[[Path], object]) -> Path:
    """A folder that is filled once for a source and kept for this user; older ones go."""
    kept = user_cache_path("posviz") / f"{kind}-{hashed(source)}"
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=kept.parent) as beside:
            filled = Path(beside) / "filled"
            filled.mkdir()
            fill(filled)
            for old in set(kept.parent.glob(f"{kind}-*")) - {kept}:
                shutil.rmtree(old, ignore_errors=True)
            with contextlib.suppress(OSError):  # another process was faster
                filled.rename(kept)
    return kept


def hashed(data: bytes) -> str:
    """Return a hash of these bytes for a file's name."""
    return hashlib.sha256(data).hexdigest()[:16]


# ---------------------------------------------------------------- beside a page


def write_file(path: Path, data: bytes) -> Path:
    """Write a file that lacks these bytes; OSError names it where it cannot be written."""
    if not path.is_file() or path.read_bytes() != data:
        with replacing(path) as file:
            file.write(data)
    return path


def write_own(path: Path, data: bytes, mark: bytes = b"posviz") -> Path:
    """Write a file that pages share; one without our mark is somebody else's: FileExistsError."""
    if path.exists() and mark not in path.read_bytes():
        why = "it is there already and not posviz's: choose another folder"
        raise FileExistsError(errno.EEXIST, why, shortened(path))
    return write_file(path, data)


def write_library(name: str, assets: Path) -> None:
    """Write a library of other people, with its licence, as the folder `assets`/`name`."""
    for file in library(name).iterdir():
        into = write_packed if file.suffix == ".js" else write_file
        into(assets / name / file.name, file.read_bytes())


def write_packed(script: Path, data: bytes) -> Path:
    """Write a script as library.js reads it: packed in a style sheet, `script`.css."""
    return write_file(Path(f"{script}.css"), f'head {{ --packed: "{_packed(data)}"; }}\n'.encode())


@functools.cache  # each page writes MathJax
def _packed(data) -> str:
    return base64.b64encode(zlib.compress(data, 9)).decode()


def styles(own: Path) -> bytes:
    """The style sheet of explorers and predictions, and then a page's own."""
    live = (HERE / "live" / "live.css").read_text("utf-8")
    return (ExplorerWidget._css + live + PredictionWidget._css + own.read_text("utf-8")).encode()


def policy(scripts: list[str], *more: str) -> str:
    """The Content-Security-Policy of a page that runs these scripts, and no others.

    Nothing comes from another host. From a disk, the page itself has no origin, so files are named.
    MathJax and figures bring styles of their own.
    """
    hashes = [hashlib.sha256(script.encode()).digest() for script in scripts]
    allowed = [f"'sha256-{base64.b64encode(digest).decode()}'" for digest in hashes] or ["'none'"]
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {' '.join(allowed)}",
            "style-src 'self' file: 'unsafe-inline'",
            "base-uri 'none'",
            "form-action 'none'",
            *more,
        )
    )
