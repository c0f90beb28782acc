"""What pages and slides leave on a disk: each file is whole, even where the disk is full."""

from pathlib import Path

from posviz.engine.export import replacing

_LIBRARIES = Path(__file__).parent / "vendor"


def write(path: Path, data: bytes) -> Path:
    """Write a file that lacks these bytes; OSError names it where it cannot be written."""
    if not path.is_file() or path.read_bytes() != data:
        with replacing(path) as file:
            file.write(data)
    return path


def write_library(name: str, assets: Path):
    """Write a library of other people, with its licence, as the folder `assets`/`name`.

    Raises OSError that names the file which cannot be written.
    """
    for file in (_LIBRARIES / name).iterdir():
        write(assets / name / file.name, file.read_bytes())
