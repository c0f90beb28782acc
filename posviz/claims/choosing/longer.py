"""Claims: who reads texts longer than those of its training, by the runs of lesson 12."""

from posviz.choosing.length import TESTED, TRAINED, median
from posviz.claims.ledger import Verdict, claim, judge

LOST = 0.1  # nats, or of the answers


def _lost(arm: str) -> dict[str, float]:
    """What a small model loses from its training length to eight times that, by what is asked."""
    return {
        "its loss is asked for": median(arm, "bytes", TESTED) - median(arm, "bytes", TRAINED),
        "recall is": median(arm, "recall", TRAINED) - median(arm, "recall", TESTED),
    }


def _judged(arm: str) -> Verdict:
    text = (
        "What small models, trained on 64 tokens, lose at 512: nats of the loss, or a share of "
        "right answers, medians over seeds; to read on is to lose less than 0.1."
    )
    return judge(_lost(arm), lambda lost: lost < LOST, text)


@claim("length", sources=("press2022train",), section="5 How far it reads")
def rope_reads_on() -> Verdict:
    """RoPE extrapolates: it reads texts that are longer than those of its training."""
    return _judged("RoPE")


@claim("length", sources=("press2022train",))
def sinusoids_read_on() -> Verdict:
    """Sinusoids are defined at every position, so a model with them reads texts of any length."""
    return _judged("sinusoidal")


@claim("length", sources=("press2022train",))
def alibi_reads_on() -> Verdict:
    """ALiBi reads texts of many times its training length."""
    return _judged("ALiBi")


@claim("length", sources=("peng2023yarn",))
def stretched_rope_reads_on() -> Verdict:
    """Stretched by YaRN, untuned, RoPE reads texts of many times its training length."""
    return _judged("YaRN")
