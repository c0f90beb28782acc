"""What a class has handed in and what grading writes: looked at before a checker is loaded."""

from pathlib import Path

FILES = ("grades.csv", "details.csv", "grades.html", "grades.png")


def notebooks_in(folder: Path) -> list[Path]:
    """The notebooks below a folder, relative to it; RuntimeError where there are none."""
    paths = [path.relative_to(folder) for path in sorted(folder.rglob("*.ipynb"))]
    paths = [path for path in paths if not any(part.startswith(".") for part in path.parts)]
    if not paths:
        raise RuntimeError(f"there are no notebooks in {folder}")
    return paths
