"""Claims: which pairs turned in training, and what slower turning does to them."""

import math

import numpy as np

from posviz.encodings.frequencies import rotary_frequencies
from posviz.encodings.stretching import llama3, ntk, position_interpolation, yarn
from posviz.teaching.ledger import Verdict, claim, judge

# What they were trained with before any stretching: rotary_dim, base, length.
MODELS = {
    "it is Llama-2": (128, 1e4, 4096),
    "it is Llama-3": (128, 5e5, 8192),
    "it is Qwen-3": (128, 1e6, 32_768),
    "it is gpt-oss": (64, 1.5e5, 4096),
    "it is DeepSeek-V3": (64, 1e4, 4096),
}
HEAD_DIM, BASE, LENGTH, FACTOR = MODELS["it is Llama-2"] + (4.0,)


def _turns(head_dim: int, base: float, length: int) -> np.ndarray:
    """How often each pair turns in so many tokens."""
    return length * rotary_frequencies(head_dim, base) / (2 * np.pi)


@claim("turns", sources=("peng2023yarn",))
def every_pair_turns() -> Verdict:
    """In training every pair of RoPE turns at least once."""
    unfinished = {setting: int((_turns(*of) < 1).sum()) for setting, of in MODELS.items()}
    text = (
        "Pairs that did not finish a turn, of 64 or, in gpt-oss and DeepSeek-V3, of 32; every pair "
        "means that none is left. Of these a longer text shows phases never seen."
    )
    return judge(unfinished, lambda count: count == 0, text)


@claim("turns", sources=("liu2023scaling", "men2024base"), section="2 Which pairs finished a turn?")
def a_larger_base_finishes_more() -> Verdict:
    """In training with a larger base, more pairs finish a turn."""
    finished = {
        f"the base is {name}": int((_turns(128, base, 8192) >= 1).sum())
        for name, base in (("10 000", 1e4), ("500 000", 5e5), ("10 million", 1e7))
    }
    text = (
        "Pairs of 64 that turn at least once in 8192 tokens; more means more than 50, as many as "
        "with 10 000. A larger base slows the slow pairs, so that fewer finish."
    )
    return judge(finished, lambda count: count > finished["the base is 10 000"], text)


@claim("turns", sources=("gelberg2025drope",))
def five_of_32_are_unfinished() -> Verdict:
    """With 64 dimensions and a base of 10 000 at least five pairs never finish a turn."""
    unfinished = {
        f"training has {length} tokens": int((_turns(64, 1e4, length) < 1).sum())
        for length in (4096, 8192, 32_000)
    }
    text = (
        "Pairs of 32 that do not finish a turn; at least five is the rule. The slowest makes 0.68 "
        "of one in 32 000 tokens."
    )
    return judge(unfinished, lambda count: count >= 5, text)


@claim("turns", sources=("shang2025longrope2", "liu2023scaling"))
def the_critical_dimension_counts_them() -> Verdict:
    """The critical dimension, 2⌈d/2 · log_b(L/2π)⌉, is twice the number of pairs that turn once."""
    differences = {
        setting: 2 * math.ceil(dim / 2 * math.log(length / (2 * math.pi), base))
        - 2 * int((_turns(dim, base, length) >= 1).sum())
        for setting, (dim, base, length) in MODELS.items()
    }
    text = (
        "The critical dimension, less twice the pairs that turn; 0 is the rule. It is the "
        "theoretical one: the searched one is lower in the paper."
    )
    return judge(differences, lambda difference: difference == 0, text)


def _new_arcs(inv_freq: np.ndarray) -> int:
    """Pairs that the longer text takes where training has not been."""
    trained = _turns(HEAD_DIM, BASE, LENGTH)
    used = FACTOR * LENGTH * inv_freq / (2 * np.pi)
    return int(((trained < 1) & (used > trained * (1 + 1e-9))).sum())


@claim("arcs", sources=("peng2023yarn",), section="3 One picture of the methods")
def slower_turning_keeps_the_arc() -> Verdict:
    """Stretched by the factor by which the text is longer, no pair meets a phase never seen."""
    methods = {
        "it is position interpolation": position_interpolation(HEAD_DIM, FACTOR),
        "it is NTK": ntk(HEAD_DIM, FACTOR),
        "it is YaRN": yarn(HEAD_DIM, FACTOR, original_max_seq_len=LENGTH),
        "it is Llama-3's": llama3(HEAD_DIM, FACTOR, base=BASE, original_max_seq_len=LENGTH),
    }
    outside = {setting: _new_arcs(found.inv_freq) for setting, found in methods.items()}
    text = (
        "Pairs of Llama-2's 18 unfinished ones that leave the trained arc when 16 384 tokens are "
        "read, stretched four times; none is the rule. NTK slows only its last pair four times: a "
        "larger factor than the text needs would keep all within."
    )
    return judge(outside, lambda count: count == 0, text)


@claim("arcs", sources=("peng2023yarn",))
def the_base_times_the_factor() -> Verdict:
    """A base multiplied by s slows the last pair s times."""
    slowed = {}
    for head_dim in (64, 128, 256):
        before, after = (rotary_frequencies(head_dim, base)[-1] for base in (BASE, FACTOR * BASE))
        slowed[f"head_dim is {head_dim}"] = float(before / after)
    text = (
        "By how much the last pair is slowed by a base of 40 000 in place of 10 000; s times means "
        "4, up to 1e-9. NTK multiplies the base by s^(d/(d − 2)), and then it is."
    )
    return judge(slowed, lambda times: abs(times - FACTOR) < 1e-9, text)


@claim("base", sources=("men2024base",))
def ten_thousand_reaches_4096() -> Verdict:
    """A base of 10 000 is enough for 4096 tokens."""
    first = {}
    for head_dim in (64, 128):
        phases = np.outer(np.arange(16_384), rotary_frequencies(head_dim, BASE))
        first[f"head_dim is {head_dim}"] = int((np.cos(phases).sum(axis=1) < 0).argmax())
    text = (
        "The first distance at which Σ cos(m·θ) over all pairs is below 0, so that a key like the "
        "query scores below a random one; enough means that it is not below 4096. That is a "
        "necessary condition, no guarantee: Llama-2 has 10 000 and 4096 tokens, and works."
    )
    return judge(first, lambda distance: distance >= 4096, text)
