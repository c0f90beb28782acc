"""What pages and slides leave on a disk, each file whole, and which scripts they may run."""

import base64
import hashlib
import re
import zlib
from itertools import count
from pathlib import Path
from urllib.parse import quote

from nbformat import NotebookNode

from posviz.pictures.export import replacing

LIBRARIES = Path(__file__).parent / "vendor"
_FRAMES = re.compile(r'data-(frames|narrow)="([A-Za-z0-9+/=]+)"')


def write(path: Path, data: bytes) -> Path:
    """Write a file that lacks these bytes; OSError names it where it cannot be written."""
    if not path.is_file() or path.read_bytes() != data:
        with replacing(path) as file:
            file.write(data)
    return path


def write_library(name: str, assets: Path):
    """Write a library of other people, with its licence, as the folder `assets`/`name`.

    Of a script `name.js` the style `name.js.css` is written, for inflated.js. Raises OSError that
    names the file which cannot be written.
    """
    for file in (LIBRARIES / name).iterdir():
        data, written = file.read_bytes(), assets / name / file.name
        if file.suffix == ".js":
            packed = base64.b64encode(zlib.compress(data, 9)).decode()
            data, written = _style("head", packed), Path(f"{written}.css")
        write(written, data)


def write_frames(lesson: NotebookNode, name: str, assets: Path, narrow: bool = True) -> None:
    """Put the frames of a lesson's filmstrips into `assets`/`name`/frames_1.css, and name these.

    So a page loads them when they are to be seen. narrow: those for a telephone are kept, too, in
    narrow_1.css. Raises OSError that names the file which cannot be written.
    """
    numbers = {"frames": count(1), "narrow": count(1)}

    def moved(found):
        width, packed = found.groups()
        if width == "narrow" and not narrow:
            return ""
        file = f"{width}_{next(numbers[width])}.css"
        write(assets / name / file, _style(f'[data-{width}$="/{file}"]', packed))
        return f'data-{width}="{assets.name}/{quote(name)}/{file}"'

    for cell in lesson.cells:
        for output in cell.get("outputs", []):
            if "text/html" in output.get("data", {}):
                output.data["text/html"] = _FRAMES.sub(moved, output.data["text/html"])


def _style(selector, packed) -> bytes:
    """A style sheet that holds data for an element."""
    return f'{selector} {{ --packed: "{packed}"; }}\n'.encode()


def scripts(name: str) -> list[str]:
    """The scripts of a library, to the letter."""
    return [file.read_bytes().decode() for file in sorted((LIBRARIES / name).glob("*.js"))]


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
