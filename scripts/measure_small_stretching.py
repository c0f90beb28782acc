"""Train, stretch and tune the small model of posviz/models/stretched_small.py from several seeds.

    python scripts/measure_small_stretching.py             # five seeds; resumes what is there

A seed takes a minute or two of one core. Each is written as it ends: stop it (Ctrl-C) and start
it again as you like.
"""

import datetime
import json
import platform
from importlib.metadata import version

import numpy as np

from posviz.models import stretched_small as small

SEEDS = range(5)
FACTOR = 4


def main():
    """Measure the seeds that are missing."""
    path = small.RESULTS
    results = json.loads(path.read_text()) if path.exists() else about() | {"seeds": {}}
    for seed in SEEDS:
        if str(seed) in results["seeds"]:
            continue
        results["seeds"][str(seed)] = readings(seed)
        part = path.with_suffix(".part")
        part.write_text(json.dumps(results, indent=1) + "\n")
        part.replace(path)


def readings(seed):
    """What one model reads: as it was trained, stretched, and each of these tuned."""
    model, found = small.trained(seed=seed), {}
    for method in small.METHODS:
        other = small.stretched(model, method, FACTOR)
        for name, each in (("untuned", other), ("tuned", small.tuned(other, seed=seed))):
            loss, share = small.loss_by_position(each), small.recall(each)
            print(seed, method, name, np.round(loss, 2), np.round(share, 2), flush=True)
            found[f"{method}, {name}"] = {"loss": digits(loss), "recall": digits(share)}
    return found


def digits(values):
    """Numbers in three digits."""
    return [round(x, 3) for x in values.tolist()]


def about():
    """What was measured, with what, and when."""
    return {
        "date": datetime.date.today().isoformat(),
        "factor": FACTOR,
        "text": f"the library of Python {platform.python_version()}",
        "packages": {name: version(name) for name in ("torch", "numpy")},
        "machine": f"{platform.system()} {platform.machine()}, CPU, float32",
    }


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        print("\nstopped; what was measured is kept")
