"""What the claims count: runs of the laboratory in which something holds."""

import numpy as np

from posviz.lab.results import committed
from posviz.lab.tables import SOLVED, Table, table

SMALL = 0.1  # nats: by less a loss has stayed where it was

ALIKE = 0.01  # nats, or a share: medians that are closer are as good


def of(task: str) -> Table:
    """Return the runs of a task."""
    return table(committed(), task)


def values(task: str, arm: str, times: int) -> np.ndarray:
    """Return what every run of an arm reads at so many times the trained length [runs]."""
    found = of(task)
    rows = found.by_length.get(arm, np.empty((0, len(found.lengths))))
    return rows[:, found.lengths.tolist().index(times * found.trained)]


def growth(arm: str, times: int) -> np.ndarray:
    """Return by how much the loss of every run grows up to so many times the length [runs]."""
    return values("bytes", arm, times) - values("bytes", arm, 1)


def staying(arm: str, times: int) -> int:
    """Return in how many runs the loss grows by less than SMALL."""
    return int((growth(arm, times) < SMALL).sum())


def finding(arm: str) -> int:
    """Return in how many runs nearly all is found that lies beyond the trained length."""
    return int((far_needles(arm) >= SOLVED).sum())


def far_needles(arm: str) -> np.ndarray:
    """Return the share that every run finds at distances beyond the trained length [runs]."""
    found = of("recall")
    return np.nanmean(found.by_place[arm][:, found.places >= found.trained], axis=1)


def told_of_needles() -> str:
    """Return what is counted of them, and the rule."""
    return (
        f"Runs, of {runs('recall')}, that find at least {SOLVED:.0%} of what lies farther back "
        "than the trained length; the claim means all of them."
    )


def runs(task: str) -> int:
    """Return how many runs an arm has."""
    return len(values(task, "none", 1))


def ahead(found: dict[str, np.ndarray], arm: str) -> int:
    """Return how many arms have a median clearly below that of one of them."""
    own = np.median(found[arm])
    return sum(bool(np.median(each) < own - ALIKE) for each in found.values())


def medians(found: dict[str, np.ndarray], unit: str = "nats") -> str:
    """Return "ALiBi −0.01, RoPE 1.43 nats": the median of the runs of each."""
    told = (f"{name} {np.median(each):.2f}" for name, each in found.items())
    return f"{', '.join(told)} {unit}".strip()
