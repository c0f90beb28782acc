"""Scripts of other people, from npm: deno fetches and bundles them, deno.lock has their hashes."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from posviz.publish.cache import in_cache

LOCK = Path(__file__).with_name("deno.lock")
LIBRARIES = {  # a folder of assets: its package, and which of its files pages load, and a licence
    "mathjax": ("mathjax@3.2.2", ("es5/tex-svg.js", "LICENSE")),
    "minisearch": ("minisearch@7.2.0", ("dist/umd/index.js", "LICENSE.txt")),
    "reveal": (
        "reveal.js@5.2.1",
        ("dist/reset.css", "dist/reveal.css", "dist/reveal.js", "plugin/notes/notes.js", "LICENSE"),
    ),
}


def library(name: str) -> Path:
    """The folder of a library, which is fetched once.

    Raises RuntimeError that says what to do where deno is missing or finds no network.
    """
    own = LOCK.read_bytes() + Path(__file__).read_bytes()
    return in_cache("npm", own, _fetch) / name


def bundle(script: Path) -> bytes:
    """A script and all it imports as one. RuntimeError as `library`."""
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / script.name
        how = ["--platform=browser", "--format=iife", "--minify", f"--output={made}"]
        _deno(folder, "bundle", *how, str(script))
        return made.read_bytes()


def _fetch(to) -> None:
    with tempfile.TemporaryDirectory() as folder:
        packages = [f"npm:{package}" for package, _ in LIBRARIES.values()]
        _deno(folder, "cache", "--node-modules-dir=auto", *packages)
        for name, (package, files) in LIBRARIES.items():
            (to / name).mkdir()
            for file in files:
                found = Path(folder, "node_modules", package.partition("@")[0], file)
                shutil.copy(found, to / name)


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
        said = done.stderr.partition("\n")[0]
        raise RuntimeError(
            f"pages need scripts of npm: connect to the internet and run this again (deno: {said})"
        )
