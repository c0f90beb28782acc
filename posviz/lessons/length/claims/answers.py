"""Claims: tasks with right answers, and what is said of them."""

import numpy as np

from posviz.lab.configs import ARMS
from posviz.lab.tables import SOLVED
from posviz.lessons.length.claims._runs import ALIKE, ahead, finding, runs, told_of_needles, values
from posviz.teaching.ledger import Verdict, claim, judge


def _solving(task: str, arm: str, times: int) -> int:
    """In how many runs an arm solves a task there, and inside."""
    both = (values(task, arm, 1) >= SOLVED) & (values(task, arm, times) >= SOLVED)
    return int(both.sum())


def _all_solving(task: str, times: int) -> int:
    return sum(_solving(task, arm, times) for arm in ARMS)


@claim("controls")
def parity_goes_on() -> Verdict:
    """Who has learned parity on short texts has learned parity."""
    inside = _all_solving("parity", 1)
    counts = {
        f"the text is {times} times as long": _all_solving("parity", times) for times in (2, 4)
    }
    text = (
        f"Runs of all {len(ARMS)} arms, of {inside} that solve it inside, that solve it there; the "
        "claim means all of them. One token changes every later answer, so what is wrong is wrong "
        "for good."
    )
    return judge(counts, lambda count: count == inside > 0, text)


@claim("controls")
def majority_goes_on() -> Verdict:
    """Some tasks go on with any encoding: majority does."""
    worst = {
        f"the text is {times} times as long": float(
            min(np.median(values("majority", arm, times)) for arm in ARMS)
        )
        for times in (2, 4)
    }
    text = (
        "The least accuracy of all arms, by their medians; to go on means at least "
        f"{SOLVED:g}. Whoever looks through a window sees no majority of all. It is a control: if "
        "all arms failed, the evaluation would be broken."
    )
    return judge(worst, lambda share: share >= SOLVED, text)


@claim("randomised positions", sources=("ruoss2023randomized",))
def randomised_positions_help() -> Verdict:
    """Training with randomised positions lets a model recall in texts that are longer."""
    counts = {}
    for arm in ("learned", "RoPE"):
        plain, randomised = (values("recall", name, 8) for name in (arm, f"{arm}, randomised"))
        both = min(len(plain), len(randomised))
        counts[f"it is {arm}"] = int((randomised[:both] > plain[:both]).sum())
    total = runs("recall")
    text = (
        f"Seeds, of {total}, in which more is recalled at 8 times the length than without; the "
        "claim means all of them."
    )
    return judge(counts, lambda count: count == total, text)


@claim("window", sources=("yang2025rope",))
def a_window_keeps_the_needle() -> Verdict:
    """A window mends RoPE past the trained length."""
    arms = {
        "RoPE, window at test": "it is put on at test",
        "RoPE, window": "all layers have one from the start",
        "hybrid": "one layer sees all, and is told no position",
    }
    counts = {called: finding(arm) for arm, called in arms.items()}
    text = f"{told_of_needles()} What no layer sees nobody finds."
    return judge(counts, lambda count: count == runs("recall"), text)


@claim("reporting")
def better_inside_is_better_beyond() -> Verdict:
    """The encoding that is best within the trained length is best beyond it."""
    ranks = {}
    for task, sign, farthest in (("bytes", 1, 8), ("recall", -1, 8), ("copy unique", -1, 4)):
        inside, beyond = (
            {arm: sign * values(task, arm, times) for arm in ARMS} for times in (1, farthest)
        )
        ranks[f"it is {task}"] = ahead(beyond, min(ARMS, key=lambda arm: np.median(inside[arm])))
    text = (
        f"Arms, of {len(ARMS)}, that are better at 8 times the length than the one that is best "
        f"inside (copies: 4 times), their medians by more than {ALIKE}; best means none."
    )
    return judge(ranks, lambda count: count == 0, text)
