"""How large the set-up is, how long the first picture takes, and what a kernel takes for a lesson.

python benchmarks/start.py
"""

import datetime
import os
import re
import statistics
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

import nbformat
import psutil
from nbclient import NotebookClient

NOTEBOOKS = Path(__file__).parent.parent / "notebooks"
STUDENTS = 50
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


def sizes():
    """Megabytes of each installed package by its name, the largest first."""
    found = {
        package.name: sum(
            path.stat().st_size for file in package.files or () if (path := file.locate()).is_file()
        )
        for package in metadata.distributions()
    }
    return sorted(((name, size / 1e6) for name, size in found.items()), key=lambda x: -x[1])


class Taken(NamedTuple):
    """What a kernel has taken for every cell of a lesson, on Linux."""

    held: float  # MiB when all cells have run
    peak: float  # MiB
    seconds: float  # of one processor, from the kernel's start on


def taken(path):
    """What Run All of a notebook takes, in a kernel started as `run.py lab` does."""
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(notebook, resources={"metadata": {"path": str(path.parent)}})
    with client.setup_kernel(env=os.environ | {"MALLOC_MMAP_THRESHOLD_": str(4 * 2**20)}):
        for index, cell in enumerate(notebook.cells):
            client.execute_cell(cell, index)
        kernel = psutil.Process(client.km.provisioner.pid)
        status = Path(f"/proc/{kernel.pid}/status").read_text()
        peak = int(re.search(r"VmHWM:\s*(\d+) kB", status)[1]) / 2**10
        return Taken(kernel.memory_info().rss / 2**20, peak, sum(kernel.cpu_times()[:2]))


def main():
    """Print all three, the last as a table."""
    print(f"{datetime.date.today()}, {os.cpu_count()} cores")
    largest = ", ".join(f"{name} {size:.0f}" for name, size in sizes()[:8])
    print(f"packages, MB: {sum(size for _, size in sizes()):.0f}, of these {largest}")
    imported, drawn = first_picture()
    print(f"import posviz: {imported:.3f} s; first picture after it: {drawn:.2f} s\n")
    print(f"| lesson | MiB, all cells run | at the peak | for {STUDENTS} | CPU s |")
    print(f"|{'---|' * 5}")
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        held, peak, seconds = taken(path)
        for_class = f"{STUDENTS * peak / 2**10:.0f} GiB"
        print(f"| {path.stem[:2]} | {held:.0f} | {peak:.0f} | {for_class} | {seconds:.1f} |")


if __name__ == "__main__":
    main()
