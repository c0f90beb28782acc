"""What pages and slides leave on a disk, each file whole, and which scripts they may run."""

import base64
import hashlib
import zlib
from pathlib import Path

from posviz.pictures.files import replacing
from posviz.pictures.scripts import as_script
from posviz.pictures.widget import ExplorerWidget
from posviz.publish import live
from posviz.publish.npm import library
from posviz.teaching.prediction import Prediction

THEME = as_script(Path(__file__).with_name("theme.js"))  # of every page's head


def write_file(path: Path, data: bytes) -> Path:
    """Write a file that lacks these bytes; OSError names it where it cannot be written."""
    if not path.is_file() or path.read_bytes() != data:
        with replacing(path) as file:
            file.write(data)
    return path


def write_library(name: str, assets: Path):
    """Write a library of other people, with its licence, as the folder `assets`/`name`.

    Of a script `name.js` the style `name.js.css` is written, for library.js. Raises OSError that
    names the file which cannot be written.
    """
    for file in library(name).iterdir():
        into = write_packed if file.suffix == ".js" else write_file
        into(assets / name / file.name, file.read_bytes())


def write_packed(script: Path, data: bytes) -> Path:
    """Write a script as library.js reads it: packed in a style sheet, `script`.css."""
    packed = base64.b64encode(zlib.compress(data, 9)).decode()
    return write_file(Path(f"{script}.css"), f'head {{ --packed: "{packed}"; }}\n'.encode())


def styles(own: Path) -> bytes:
    """The style sheet of explorers and predictions, and then a page's own."""
    shared = ExplorerWidget._css + live.style() + Prediction._css
    return (shared + own.read_text("utf-8")).encode()


def scripts(name: str) -> list[str]:
    """The scripts of a library, to the letter."""
    return [file.read_bytes().decode() for file in sorted(library(name).glob("*.js"))]


def policy(scripts: list[str], *more: str) -> str:
    """The Content-Security-Policy of a page that runs these scripts, and no others.

    Nothing comes from another host. From a disk, the page itself has no origin, so files are named.
    MathJax and figures bring styles of their own.
    """
    hashes = [hashlib.sha256(script.encode()).digest() for script in scripts]
    allowed = [f"'sha256-{base64.b64encode(each).decode()}'" for each in hashes] or ["'none'"]
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
