"""What every claim comes to, as verdicts.csv keeps it; written again by
`python -m tests.teaching.stored` when a claim is new or its number is meant to change."""

import csv
import re
from pathlib import Path

from posviz.teaching.ledger import Claim, Verdict, every_claim

FILE = Path(__file__).parent / "verdicts.csv"
NUMBER = re.compile(r"(?<![\w.])[-−]?\d[\d\N{NO-BREAK SPACE}]*(?:\.\d+)?(?:e[-+]?\d+)?")


def name_of(lesson: str, claim: Claim) -> str:
    """A claim's row in the file."""
    return f"{lesson} {claim.function.__name__}"


def numbers_in(text: str) -> list[float]:
    """The numbers that a text states."""
    plain = [
        found.replace("\N{NO-BREAK SPACE}", "").replace("−", "-") for found in NUMBER.findall(text)
    ]
    return [float(number) for number in plain]


def measured(verdict: Verdict) -> list[float]:
    """The number of each setting, 0 for what rounding leaves."""
    values = [part.partition(" if ")[0] for part in verdict.numbers.split("; ")]
    return [0.0 if value.startswith("<") else numbers_in(value)[0] for value in values]


def row_of(name: str, verdict: Verdict) -> dict[str, str]:
    """What the file says of a claim."""
    return {
        "claim": name,
        "verdict": f"{verdict.verdict} {verdict.condition}".strip(),
        "measured": listed(measured(verdict)),
        "in the text": listed(numbers_in(verdict.text)),
    }


def listed(numbers: list[float]) -> str:
    return " ".join(f"{number:.8g}" for number in numbers)


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
