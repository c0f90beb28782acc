"""Change the mathematics, the knobs and the checker in many small ways; count what tests see.

    python scripts/mutate.py [count, 200] [seed, 0]

mutmut makes all mutants (``[tool.mutmut]`` in pyproject.toml says of which files), then this draws
``count`` of them and runs the tests that reach each. All of them would take hours. The mutants that
no test saw are named at the end: ``mutmut show NAME`` prints one.
"""

import json
import random
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
MUTMUT = Path(sys.executable).with_name("mutmut")


def exit_codes() -> dict[str, int | None]:
    """Return what pytest exited with for each mutant, by name; None for one not tried."""
    found: dict[str, int | None] = {}
    for path in (ROOT / "mutants").rglob("*.meta"):
        found |= json.loads(path.read_text())["exit_code_by_key"]
    return found


def main(count: int = 200, seed: int = 0) -> None:
    """Draw mutants, run their tests and print the score."""
    run = [MUTMUT, "run", "--max-children", "2"]
    subprocess.run([*run, "none"], cwd=ROOT, capture_output=True)  # makes them; no name fits
    names = sorted(exit_codes())
    drawn = random.Random(seed).sample(names, min(count, len(names)))
    subprocess.run([*run, *drawn], cwd=ROOT)
    codes = exit_codes()
    if any(codes[name] is None for name in drawn):
        sys.exit("mutmut stopped before it had tried all: see what it printed above.")
    survivors = [name for name in drawn if codes[name] in (0, 33)]  # 33: no test reaches it
    print(f"{len(drawn) - len(survivors)} of {len(drawn)} drawn from {len(names)} are seen. Not:")
    print("\n".join(sorted(survivors)))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
