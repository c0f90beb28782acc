"""How long the first picture takes, and how much memory a kernel holds after a lesson.

python benchmarks/start.py
"""

import datetime
import os
import statistics
import subprocess
import sys
from pathlib import Path

import nbformat
import psutil
from nbclient import NotebookClient

NOTEBOOKS = Path(__file__).parent.parent / "notebooks"
FIRST_PICTURE = """
import time
began = time.perf_counter()
import posviz
imported = time.perf_counter()
posviz.SinusoidalTable().figure().canvas.draw()
print(imported - began, time.perf_counter() - imported)
"""


def first_picture():
    """(seconds to import posviz, seconds to the first picture) in a fresh Python, medians of 5."""
    runs = [
        subprocess.run([sys.executable, "-c", FIRST_PICTURE], capture_output=True, check=True)
        for _ in range(5)
    ]
    return [
        statistics.median(times)
        for times in zip(*(map(float, run.stdout.split()) for run in runs), strict=True)
    ]


def memory_after(path):
    """MiB that a kernel holds after every cell of a notebook, started as `run.py lab` does."""
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(notebook, resources={"metadata": {"path": str(path.parent)}})
    with client.setup_kernel(env=os.environ | {"MALLOC_MMAP_THRESHOLD_": str(4 * 2**20)}):
        for index, cell in enumerate(notebook.cells):
            client.execute_cell(cell, index)
        return psutil.Process(client.km.provisioner.pid).memory_info().rss / 2**20


def main():
    """Print both."""
    print(f"{datetime.date.today()}, {os.cpu_count()} cores")
    imported, drawn = first_picture()
    print(f"import posviz: {imported:.3f} s; first picture after it: {drawn:.2f} s")
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        print(f"{path.stem}: {memory_after(path):.0f} MiB after Run All")


if __name__ == "__main__":
    main()
