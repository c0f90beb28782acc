"""Make posviz_course/lab/data: run the sweep of the lesson, and pack its results into one file.

    python scripts/make_lab_data.py runs              # goes on from what is in the folder
    python scripts/make_lab_data.py runs --pack       # packs what is there; runs nothing

The sweep takes an hour and a half of one core; stop it (Ctrl-C) and start it again as you like.
"""

import argparse
import gzip
import json
from dataclasses import asdict
from pathlib import Path

from posviz_course.lab import results
from posviz_course.lab.named import named
from posviz_course.lab.sweep import sweep


def main():
    """Run, and pack."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="of the runs")
    parser.add_argument("--pack", action="store_true", help="pack what is there, run nothing")
    options = parser.parse_args()
    configs = named("lesson")
    if not options.pack:
        sweep(configs, options.folder)
    found = [result for result in results.results(options.folder) if result.config in configs]
    text = json.dumps([asdict(result) for result in found], separators=(",", ":"))
    results.COMMITTED.write_bytes(gzip.compress(text.encode(), mtime=0))
    print(f"{results.COMMITTED.name}: {len(found)} of {len(configs)} runs")


if __name__ == "__main__":
    main()
