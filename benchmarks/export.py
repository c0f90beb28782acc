"""How long the command line takes for every figure of the course, and for its help.

python benchmarks/export.py [formats]
"""

import datetime
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def seconds(*arguments):
    """Wall-clock seconds that `posviz` takes with these arguments."""
    began = time.perf_counter()
    command = [sys.executable, "-m", "posviz", *arguments]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def main():
    """Print the time, the files and what else the machine had to do."""
    formats = sys.argv[1] if len(sys.argv) > 1 else "svg,png"
    busy = os.getloadavg()[0]
    print(f"{datetime.date.today()}, {os.cpu_count()} cores, load before: {busy:.1f}")
    print(f"posviz --help: {seconds('--help'):.2f} s")
    with tempfile.TemporaryDirectory() as folder:
        taken = seconds("export", "--all", "--format", formats, "--to", folder)
        sizes = [path.stat().st_size for path in Path(folder).iterdir()]
    print(
        f"posviz export --all --format {formats}: {taken:.1f} s for {len(sizes)} files, "
        f"{sum(sizes) / 1e6:.1f} MB, the largest {max(sizes) / 1e6:.2f} MB"
    )


if __name__ == "__main__":
    main()
