"""Claims: what xPos adds to RoPE, where it ends, and what blocks do."""

import numpy as np

from posviz.attention import softmax
from posviz.attention.masks import blockwise_causal_mask
from posviz.encodings.frequencies import rotary_frequencies
from posviz.encodings.xpos import apply_xpos, resolution, xpos_scale
from posviz.teaching.ledger import Verdict, claim, judge
from posviz.teaching.measures import SAME, largest

HEAD_DIM, GAMMA, SCALE_BASE = 16, 0.4, 512
DIVIDED, AS_WRITTEN = "positions are divided by 512", "they are not"


def _scores(q_positions, k_positions, scale_base: float = 8, *, moved: int = 0) -> np.ndarray:
    """Scores of 12 random words, divided by √d, those of keys ahead of their query 0.

    moved: the tokens by which position 0 of the scales, not of the turns, moved behind the keys.
    """
    q, k = np.random.default_rng(0).normal(size=(2, 12, HEAD_DIM))
    q, k = apply_xpos(q, k, q_positions, k_positions, scale_base=scale_base)
    k = k * np.repeat(xpos_scale(-moved, HEAD_DIM, scale_base=scale_base), 2)
    return np.tril(q @ k.T) / np.sqrt(HEAD_DIM)


def _by_distance(head_dim: int, *, decays: bool = True) -> np.ndarray:
    """Scores of equal keys at 1024 distances, all pairs of length 1, divided by √head_dim."""
    distance = np.arange(1024)
    turned = np.cos(np.outer(distance, rotary_frequencies(head_dim)))
    scale = xpos_scale(distance, head_dim) if decays else 1.0
    return (scale * turned).sum(axis=1) / np.sqrt(head_dim)


@claim("formula", sources=("sun2022length",), section="2 From RoPE to xPos")
def the_score_is_relative() -> Verdict:
    """The score of xPos depends on the offset alone, as RoPE's does."""
    positions = np.arange(12)
    changes = {
        f"all positions move by {shift}": largest(
            _scores(positions + shift, positions + shift) - _scores(positions, positions)
        )
        for shift in (10, 40)
    }
    text = "Largest change of a score, of 12 random words; the offset alone means below 1e-9."
    return judge(changes, lambda change: change < SAME, text)


@claim("formula", sources=("sun2022length",))
def every_pair_has_its_pace() -> Verdict:
    """xPos gives every pair a decay of its own."""
    paces = {
        f"head_dim is {head_dim}": len(set(xpos_scale(SCALE_BASE, head_dim).round(9).tolist()))
        / (head_dim // 2)
        for head_dim in (16, 128)
    }
    text = "Different factors at distance 512, for each pair; of its own means 1."
    return judge(paces, lambda paces: paces == 1, text)


@claim("formula", sources=("sun2022length",))
def zeta_is_the_reciprocal() -> Verdict:
    """In xPos, ζ_n = (1 + γ)/(2n/d + γ)."""
    distance, pairs = 100, np.arange(HEAD_DIM // 2)
    right = xpos_scale(distance, HEAD_DIM)

    def factors(pairs: np.ndarray, sign: int) -> np.ndarray:
        zeta = (1 + GAMMA) / (2 * pairs / HEAD_DIM + GAMMA)
        return zeta ** (sign * distance / SCALE_BASE)

    differences = {
        "exponents have the paper's sign": largest(factors(pairs, 1) - right),
        "exponents have the other sign": largest(factors(pairs, -1) - right),
        "they have the other sign, and pairs count from 1": largest(factors(pairs + 1, -1) - right),
    }
    text = (
        "Largest difference of a pair's factor at distance 100, d = 16; to be xPos means below "
        "1e-9. It is the reciprocal of the paper's ζ, so a negative exponent makes up for it; with "
        "pairs from 1, the last does not decay at all."
    )
    return judge(differences, lambda difference: difference < SAME, text)


@claim("decay", sources=("sun2022length", "torchscale"))
def a_fast_pair_reaches_20_tokens() -> Verdict:
    """With xPos a fast pair still has a say 20 tokens back."""
    factors = {
        setting: float(xpos_scale(20, HEAD_DIM, scale_base=scale_base)[1])
        for setting, scale_base in {DIVIDED: SCALE_BASE, AS_WRITTEN: 1}.items()
    }
    text = (
        "Factor of pair 1, d = 16; a say means above 1e-3. The division by 512, scale_base, is in "
        "the released code."
    )
    return judge(factors, lambda factor: factor > 1e-3, text)


@claim("decay", section="3 How fast does it forget?")
def scores_fall_with_every_token() -> Verdict:
    """Under xPos a score falls with every token of distance."""
    rising = int((np.diff(_by_distance(64)) > 0).sum())
    text = (
        "Distances, of 1023, at which the next key has a higher score, all keys being equal, "
        "head_dim = 64; with every token means 0. Decay lowers the waves of RoPE, but they are "
        "waves still."
    )
    return judge({DIVIDED: rising}, lambda count: count == 0, text)


@claim("decay", section="4 Beside RoPE")
def decay_takes_the_weight_away() -> Verdict:
    """An encoding that decays with the distance takes the weight away from far keys."""
    scores = {
        "it is xPos, which multiplies": _by_distance(64),
        "it is ALiBi with slope 1/16, which subtracts": -np.arange(1024) / 16,
    }
    far = {setting: float(softmax(score)[513:].sum()) for setting, score in scores.items()}
    text = (
        "Share of the weight on keys more than 512 tokens back, of 1024 equal keys, head_dim = 64; "
        "away means below one in a hundred. A score of 0 is not a weight of 0."
    )
    return judge(far, lambda share: share < 0.01, text)


@claim("direction", sources=("sun2022length",))
def it_looks_both_ways() -> Verdict:
    """xPos may be used without a causal mask."""
    factors = {
        "the key is 1 token ahead, positions undivided": (1, 1),
        "it is 5 ahead, undivided": (5, 1),
        "it is 1000 ahead, positions divided by 512": (1000, SCALE_BASE),
    }
    grown = {
        setting: float(xpos_scale(-ahead, HEAD_DIM, scale_base=scale_base)[1])
        for setting, (ahead, scale_base) in factors.items()
    }
    text = (
        "Factor of pair 1, d = 16, for a key ahead of its query; above 1 it is amplified, more the "
        "farther it is, and only a mask hides it."
    )
    return judge(grown, lambda factor: factor <= 1, text)


@claim("overflow", sources=("sun2022length", "torchscale"))
def keys_fit_their_format() -> Verdict:
    """The keys of a text of 8192 tokens can be stored in their number format."""
    start = np.arange(40_000.0)
    settings = {
        "it is float32, positions divided by 512": ("float32", start, SCALE_BASE),
        "it is float16, positions divided by 512": ("float16", start, SCALE_BASE),
        "it is float32, positions undivided": ("float32", start, 1),
        "it is float16, positions undivided": ("float16", start, 1),
        "it is float16, positions from the middle divided by 512": (
            "float16",
            start / 2,
            SCALE_BASE,
        ),
    }
    last = {}
    for setting, (name, positions, scale_base) in settings.items():
        with np.errstate(over="ignore"):  # infinity is what is looked for
            grown = xpos_scale(-positions, HEAD_DIM, scale_base=scale_base)[:, 0]
        last[setting] = int((grown <= np.finfo(name).max).sum()) - 1
    text = (
        "Last position at which a 1 in pair 0 of a key is still finite, d = 16; 8192 tokens need "
        "8191. The key grows as ζ^(−position/scale_base), though the score never does."
    )
    return judge(last, lambda position: position >= 8191, text)


@claim("overflow", sources=("torchscale",))
def the_middle_may_be_position_0() -> Verdict:
    """Counting positions from the middle of the text changes no score."""
    positions = np.arange(12)
    plain = _scores(positions, positions, SCALE_BASE)
    changes = {
        "queries and keys share the middle": _scores(positions - 6, positions - 6, SCALE_BASE)
        - plain,
        "keys are scaled by an older one": _scores(positions, positions, SCALE_BASE, moved=512)
        - plain,
    }
    text = (
        "Largest change of a score, of 12 random words; none means below 1e-9. The older middle is "
        "that of a text 1024 tokens shorter, so it lies 512 before."
    )
    changes = {setting: largest(change) for setting, change in changes.items()}
    return judge(changes, lambda change: change < SAME, text)


def _mask(block: int) -> np.ndarray:
    """The mask of a text of eight blocks."""
    return blockwise_causal_mask(np.arange(8 * block), np.arange(8 * block), block)


@claim("blocks", sources=("sun2022length",), section="7 Blockwise causal attention")
def nothing_farther_than_in_training() -> Verdict:
    """With blocks of half the training length no query looks farther than in training."""
    farthest = {}
    for block in (4, 64):
        query, key = np.nonzero(_mask(block))
        farthest[f"the training length is {2 * block}"] = float((query - key).max() / (2 * block))
    text = (
        "Farthest distance in a text of four training lengths, in training lengths; not farther "
        "means below 1: it is one token less."
    )
    return judge(farthest, lambda distance: distance < 1, text)


@claim("blocks")
def all_see_a_training_length() -> Verdict:
    """With blocks of half the training length every token sees a whole training length."""
    seen = _mask(64).sum(axis=1)
    counts = {
        "it is the last of its block": int(seen[511]),
        "it is the first of its block": int(seen[448]),
    }
    text = (
        "Tokens seen, itself included, with blocks of 64 in a text of 512; a whole one means 128."
    )
    return judge(counts, lambda count: count == 128, text)


@claim("resolution", sources=("sun2022length",), section="Attention resolution")
def its_resolution_is_higher() -> Verdict:
    """xPos has a higher attention resolution than RoPE."""
    ratios = {}
    for head_dim in (16, 64, 128):
        rope, xpos = (resolution(_by_distance(head_dim, decays=on)) for on in (False, True))
        ratios[f"head_dim is {head_dim}"] = float(xpos / rope)
    text = (
        "Resolution as a multiple of RoPE's, equation 3 of the paper, of the scores of equal keys "
        "at 1024 distances, divided by √head_dim; higher means above 1. Waves raise it as well, "
        "and decay damps those of a narrow head. The table in the paper measures trained models."
    )
    return judge(ratios, lambda ratio: ratio > 1, text)


@claim("resolution", sources=("sun2022length",))
def without_decay_it_is_0() -> Verdict:
    """Scores that do not decay have an attention resolution of 0."""
    distance = np.arange(1024)
    scores = {"all are alike": 0.0 * distance, "they swing for ever": np.cos(0.8 * distance)}
    measured = {setting: float(resolution(s)) for setting, s in scores.items()}
    text = (
        "Resolution, equation 3 of the paper, at 1024 distances, of 0 and of cos(0.8 · distance); "
        "0 means below 1e-9. The sum is (p_0² − p_N²)/2 + Σ(p_i − p_{i+1})²/2 of the weights p: "
        "each step adds to it, up or down."
    )
    return judge(measured, lambda found: abs(found) < SAME, text)
