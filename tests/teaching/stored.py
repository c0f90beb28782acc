"""What every claim comes to, as verdicts.csv keeps it; written again by
`python -m tests.teaching.stored` when a claim is new or its number is meant to change."""

import csv
from pathlib import Path

from posviz_course.claims import Claim, Verdict, every_claim

FILE = Path(__file__).parent / "verdicts.csv"


def name_of(lesson: str, claim: Claim) -> str:
    """A claim's row in the file."""
    return f"{lesson} {claim.function.__name__}"


def measured(verdict: Verdict) -> list[float]:
    """The number of each case, 0 for what rounding leaves."""
    return [0.0 if abs(value) < 1e-9 else float(value) for value in verdict.numbers.values()]


def row_of(name: str, verdict: Verdict) -> dict[str, str]:
    """What the file says of a claim."""
    numbers = " ".join(f"{number:.6g}" for number in measured(verdict))
    return {"claim": name, "verdict": verdict.word, "measured": numbers}


def read() -> dict[str, dict[str, str]]:
    """The rows of the file, by the claim's name."""
    with FILE.open(encoding="utf-8", newline="") as file:
        return {row["claim"]: row for row in csv.DictReader(file)}


def write() -> None:
    """Write down what all claims come to now."""
    rows = [row_of(name_of(lesson, claim), claim()) for lesson, claim in every_claim()]
    with FILE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    write()
