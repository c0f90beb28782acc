"""Milliseconds of kernel time per slider event, each contender in turn, in one kernel.

    python benchmarks/slider.py

The same picture is moved by setting the slider's value, or the knob's, which is what a message
from the browser does. Contenders take turns event by event, so that a busy machine slows all of
them alike.
"""

import datetime
import json
import os
import sys
from pathlib import Path

import numpy as np
from jupyter_client.manager import start_new_kernel

FOLDER = Path(__file__).parent
# On a machine that others use, too, several threads wait for each other longer than they compute.
ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL")}
ALL = ["interact", "interact_plain", "seaborn", "ipympl", "posviz"]
NO_SEABORN = [name for name in ALL if name != "seaborn"]  # which draws the heatmap alone
CASES = {  # row of the table: (picture, knob, values, contenders)
    "heatmap, position": ("heatmap", "position", range(20, 45), ALL),
    "heatmap, d_model": ("heatmap", "d_model", range(430, 510, 4), ALL),
    "8 arrows, position": ("arrows", "position", range(20, 45), NO_SEABORN),
    "8 arrows, moving labels": ("labels", "position", range(20, 45), NO_SEABORN),
    "scores, position": ("scores", "position", range(20, 45), NO_SEABORN),
}

IN_KERNEL = """
import json, sys, time
%matplotlib inline
sys.path.insert(0, {folder!r})
from contenders import CONTENDERS

def measure(picture, knob, values, names):
    movers = {{name: CONTENDERS[name](picture, knob) for name in names}}
    times = {{name: [] for name in names}}
    for value in values:
        for name, move in movers.items():
            began = time.perf_counter()
            move(value)
            times[name].append(1e3 * (time.perf_counter() - began))
    return times

cases = json.loads({cases!r})
print("RESULT" + json.dumps({{row: measure(*case) for row, case in cases.items()}}))
"""


def run():
    """Every case's times in a fresh kernel: {row: {contender: [ms]}}."""
    cases = {
        row: (picture, knob, list(values), names)
        for row, (picture, knob, values, names) in CASES.items()
    }
    code = IN_KERNEL.format(folder=str(FOLDER), cases=json.dumps(cases))
    manager, client = start_new_kernel(env=os.environ | ONE_THREAD)
    printed = []

    def collect(message):
        if message["msg_type"] == "stream":
            printed.append(message["content"]["text"])
        if message["msg_type"] == "error":
            sys.exit("\n".join(message["content"]["traceback"]))

    try:
        client.execute_interactive(code, output_hook=collect, timeout=1800)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    return json.loads("".join(printed).split("RESULT")[1].splitlines()[0])


def main():
    """Print medians, 95th percentiles and how many times less posviz takes."""
    print(f"{datetime.date.today()}, {os.cpu_count()} cores, numeric libraries on one thread\n")
    print("| picture, knob | contender | median ms | p95 ms | posviz takes |")
    print("|---|---|---|---|---|")
    for row, times in run().items():
        ours = np.median(times["posviz"])
        for name, values in times.items():
            median, p95 = np.median(values), np.percentile(values, 95)
            less = "" if name == "posviz" else f"{median / ours:.1f} times less"
            print(f"| {row} | {name} | {median:.1f} | {p95:.1f} | {less} |")


if __name__ == "__main__":
    main()
