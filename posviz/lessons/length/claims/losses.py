"""Claims: the loss of characters past the trained length."""

import numpy as np

from posviz.lab.configs import ARMS
from posviz.lessons.length.claims._runs import (
    ALIKE,
    SMALL,
    ahead,
    far_needles,
    finding,
    growth,
    medians,
    of,
    runs,
    staying,
    told_of_needles,
    values,
)
from posviz.teaching.ledger import Verdict, claim, judge

CURVES = "2 Every position, every run"
RULE = f"whose loss grows by less than {SMALL} nats from the trained length on"
STRETCHED = ("NTK", "PI", "YaRN")


def _all_stay(arms: dict[str, str], lengths=(2, 8), rest: str = "") -> Verdict:
    """Judge that all runs of each of {arm: how it is called} stay where they were."""
    counts = {
        f"{called}, at {times} times the length": staying(arm, times)
        for arm, called in arms.items()
        for times in lengths
    }
    total = runs("bytes")
    grown = {
        f"{called} at {times}×": growth(arm, times)
        for arm, called in arms.items()
        for times in lengths
    }
    text = (
        f"Runs, of {total}, {RULE}; the claim means all of them. Medians: {medians(grown)}. {rest}"
    )
    return judge(counts, lambda count: count == total, text.strip())


@claim("RoPE", sources=("su2021roformer", "press2022train"), section=CURVES)
def rope_extrapolates() -> Verdict:
    """RoPE extrapolates excellently."""
    return _all_stay(
        {"RoPE": "nothing is changed", "RoPE, window at test": "scores have a window at test"},
        rest="It is defined everywhere, but far offsets turn pairs by angles that were never seen.",
    )


@claim("sinusoidal", sources=("vaswani2017attention", "press2022train"), section=CURVES)
def sinusoidal_extrapolates() -> Verdict:
    """Sinusoidal positions are defined for any length, so the model works at any length."""
    return _all_stay({"sinusoidal": "they are"}, rest="Defined is not trained.")


@claim("ALiBi", sources=("press2022train",), section=CURVES)
def alibi_goes_on() -> Verdict:
    """With ALiBi the loss stays where it was, far past the trained length."""
    return _all_stay({"ALiBi": "it is ALiBi"})


@claim("learned")
def learned_is_worse_than_sinusoidal() -> Verdict:
    """Past the trained length a learned table, of which no row was trained there, does worse than
    a sinusoidal one."""
    counts = {
        f"the text has {times} times the length": int(
            (values("bytes", "learned", times) > values("bytes", "sinusoidal", times)).sum()
        )
        for times in (2, 4, 8)
    }
    total = runs("bytes")
    text = (
        f"Seeds, of {total}, in which its loss is higher; the claim means all of them. Both are "
        "lost there: rows that were never trained are no worse than rows that were never seen."
    )
    return judge(counts, lambda count: count == total, text)


@claim("T5", sources=("raffel2020t5", "press2022train"))
def t5_goes_on() -> Verdict:
    """T5's last bucket holds all far distances, so nothing in a longer text is new to it."""
    return _all_stay({"T5": "it is T5’s bias"}, rest="Far keys are many, and all in one bucket.")


@claim("xPos", sources=("sun2022length",))
def xpos_goes_on() -> Verdict:
    """xPos extrapolates."""
    return _all_stay(
        {"xPos": "nothing is changed", "xPos, blocks at test": "it sees two blocks at test"},
        rest="The paper masks in blocks at test.",
    )


@claim("window")
def learned_biases_go_on() -> Verdict:
    """A bias that is learned as a function of the distance goes on as ALiBi's does."""
    return _all_stay({"Kerple": "it is Kerple’s", "FIRE": "it is FIRE’s"}, lengths=(8,))


@claim("stretching", sources=("chen2023extending", "peng2023yarn"))
def stretching_is_enough() -> Verdict:
    """Stretching the frequencies at test makes up for a training on short texts."""
    return _all_stay({name: f"it is {name}" for name in STRETCHED})


@claim("stretching", sources=("chen2023extending", "peng2023yarn"))
def stretching_helps() -> Verdict:
    """Stretching the frequencies at test is better than doing nothing."""
    counts = {
        f"it is {name}, at {times} times the length": int(
            (values("bytes", name, times) < values("bytes", "RoPE", times)).sum()
        )
        for name in STRETCHED
        for times in (2, 8)
    }
    total = runs("bytes")
    text = (
        f"Seeds, of {total}, in which the same model has a lower loss with it than without; the "
        "claim means all of them."
    )
    return judge(counts, lambda count: count == total, text)


@claim("NoPE", sources=("kazemnejad2023impact",))
def nothing_is_best() -> Verdict:
    """A model that is told no position extrapolates best of all."""
    measures = {
        "what counts is how little the loss grows": {a: growth(a, 8) for a in ARMS},
        "it is the loss itself": {a: values("bytes", a, 8) for a in ARMS},
        "it is what is recalled": {a: -values("recall", a, 8) for a in ARMS},
    }
    better = {setting: ahead(found, "none") for setting, found in measures.items()}
    text = (
        f"Arms, of {len(ARMS)}, that are better at 8 times the length, their medians by more "
        f"than {ALIKE}; best means none. Recall asks for content alone, so no position helps."
    )
    return judge(better, lambda count: count == 0, text)


@claim("reporting")
def the_mean_tells() -> Verdict:
    """The mean loss over a longer text shows what happens past the trained length."""
    found = of("bytes")
    shares = {}
    for times in (1.25, 2, 8):
        end = int(times * found.trained)
        rows = found.by_place["RoPE"]
        half = (end + found.trained) // 2
        inside = rows[:, found.trained // 2 : found.trained].mean(axis=1)
        whole, last = (
            rows[:, part].mean(axis=1) - inside for part in (slice(end), slice(half, end))
        )
        shares[f"the text is {times:g} times as long"] = float(np.median(whole / last))
    text = (
        "By how much RoPE's mean over all positions grows, as a share of how much the second half "
        "of what is new does, median of all runs; to show it means at least half. What is inside "
        "dilutes what is not."
    )
    return judge(shares, lambda share: share >= 0.5, text)


@claim("needles", sources=("press2022train",), section="3 A flat loss is no memory")
def a_flat_loss_is_a_memory() -> Verdict:
    """If the loss stays flat past the trained length, the model still finds what is far back."""
    total = runs("bytes")
    flat = [arm for arm in of("bytes").by_length if staying(arm, 8) == total]
    counts = {f"it is {arm}": finding(arm) for arm in flat}
    text = (
        f"{told_of_needles()} All arms are asked whose loss is flat in every run. Medians: "
        f"{medians({arm: far_needles(arm) for arm in flat}, '')}."
    )
    return judge(counts, lambda count: count == runs("recall"), text)
