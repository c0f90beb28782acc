"""Claims: what ALiBi's straight lines do, and how far a head sees."""

import numpy as np

from posviz.arrays import to_dtype
from posviz.attention import attention, softmax
from posviz.attention.masks import causal_mask
from posviz.choosing.rows import parameters_of
from posviz.encodings.alibi import Alibi, alibi_bias, alibi_slopes
from posviz.encodings.relative import offsets
from posviz.teaching.ledger import Verdict, claim, judge, shown
from posviz.teaching.measures import SAME, largest

HEADS, LEN, HEAD_DIM = 8, 16, 64
STEEPEST, FLATTEST = "the head is the steepest of 8", "the head is the flattest of 8"


def _ends() -> dict[str, float]:
    """The slopes of heads 1 and 8."""
    slopes = alibi_slopes(HEADS)
    return {STEEPEST: float(slopes[0]), FLATTEST: float(slopes[-1])}


def _by_distance(slope: float, length: int = 10_000) -> np.ndarray:
    """The weights of the last query where all contents are alike, by distance."""
    return softmax(-slope * np.arange(length))


def _offsets(length: int = LEN) -> np.ndarray:
    return offsets(np.arange(length), np.arange(length))


def _head() -> np.ndarray:
    """q, k and v [3, 1, 8, 16, 64] of random words."""
    return np.random.default_rng(0).normal(size=(3, 1, HEADS, LEN, HEAD_DIM))


def _masks() -> dict[str, np.ndarray]:
    causal = causal_mask(np.arange(LEN), np.arange(LEN))
    return {"the mask is causal": causal, "there is no mask": np.ones((LEN, LEN), dtype=bool)}


@claim("slopes", sources=("press2022train", "alibicode"), section="3 One slope for each head")
def slopes_are_one_formula() -> Verdict:
    """A model with n heads has the slopes 2^(−8h/n)."""
    wrong = {}
    for heads in (8, 16, 12, 20):
        formula = 2.0 ** (-8 * np.arange(1, heads + 1) / heads)
        wrong[f"n is {heads}"] = int((np.abs(alibi_slopes(heads) - formula) > SAME).sum())
    text = (
        "Heads whose slope in the released code is another, by more than 1e-9. Where n is no power "
        "of two, it appends every second slope of twice the power below."
    )
    return judge(wrong, lambda heads: heads == 0, text)


@claim("formula", sources=("press2022train",), section="2 The formula")
def alibi_is_one_line() -> Verdict:
    """ALiBi is softmax(QKᵀ − λ|i − j|)."""
    q, k, v = _head()
    positions, slopes = np.arange(LEN), alibi_slopes(HEADS)
    causal = causal_mask(positions, positions)
    _, right = attention(
        q,
        k,
        v,
        encoding=Alibi(),
        q_positions=positions,
        k_positions=positions,
        mask=causal,
        return_weights=True,
    )
    one = alibi_bias(slopes[:1], _offsets())
    scaled, own = q @ k.mT / np.sqrt(HEAD_DIM), alibi_bias(slopes, _offsets())
    written = {
        "it is taken as it stands": q @ k.mT + one,
        "QKᵀ is divided by √d": scaled + one,
        "each head has its own λ, too": scaled + own,
        "the mask is causal, too": np.where(causal, scaled + own, -np.inf),
    }
    differences = {setting: largest(softmax(s) - right) for setting, s in written.items()}
    text = (
        "Largest difference of a weight from ALiBi's, of 8 heads and 16 random words, d = 64; to "
        "be ALiBi means below 1e-9. λ, where there is only one, is the first slope, 1/2."
    )
    return judge(differences, lambda difference: difference < SAME, text)


@claim("parameters", sources=("press2022train",), section="3 One slope for each head")
def it_has_almost_no_parameters() -> Verdict:
    """ALiBi adds almost no parameters."""
    text = "Learned numbers; almost none means at most one for each of 8 heads. Slopes are fixed."
    count = {"slopes are as released": parameters_of(Alibi())}
    return judge(count, lambda count: count <= HEADS, text)


@claim("window", section="4 How far does a head look?")
def weights_fall_in_a_straight_line() -> Verdict:
    """A linear bias makes weights that fall linearly with the distance."""
    steps = {}
    for head, slope in _ends().items():
        first, second, third = _by_distance(slope)[:3]
        steps[head] = float((second - third) / (first - second))
    text = (
        "The second step down, as a part of the first, where contents are alike; linearly means 1 "
        "within 1e-9. Scores fall linearly, so weights fall exponentially."
    )
    return judge(steps, lambda step: abs(step - 1) < SAME, text)


@claim("window")
def far_tokens_are_not_excluded() -> Verdict:
    """A head of ALiBi does not exclude far tokens."""
    factors = {head: float(np.exp(-100 * slope)) for head, slope in _ends().items()}
    text = (
        "The factor e^(−slope · distance) at 100 tokens; not excluded means above one in a "
        f"thousand. For the steepest head it is {factors[STEEPEST]:.1e}: never 0, but as good as 0."
    )
    return judge(factors, lambda factor: factor > 1e-3, text)


@claim("window")
def the_factor_is_the_window() -> Verdict:
    """A weight falls under one in a thousand where e^(−slope · distance) does."""
    weights, factors = {}, []
    for head, slope in _ends().items():
        weights[head] = float(np.log(1000 * _by_distance(slope)[0]) / slope)
        factors.append(np.log(1000) / slope)
    text = (
        "Distance in tokens from which the weight is below one in a thousand, where contents are "
        "alike and the text has 10 000 tokens; the factor e^(−slope · distance) is so from {} and "
        "{} on. Where it does means within a token. The query's own weight is less than 1 to begin "
        "with."
    )
    same = dict(zip(weights.values(), factors, strict=True))
    return judge(
        weights, lambda found: abs(found - same[found]) < 1, text.format(*map(shown, factors))
    )


@claim("length", section="6 What extrapolation means")
def any_length_has_a_bias() -> Verdict:
    """ALiBi has an answer for texts of any length."""
    missing = {}
    for length in (1024, 1_000_000):
        bias = alibi_bias(alibi_slopes(HEADS), offsets([length - 1], np.arange(length)))
        missing[f"the text has {shown(length)} tokens"] = int((~np.isfinite(bias)).sum())
    text = "Keys without a finite bias for the last query, in 8 heads; any length means 0."
    return judge(missing, lambda count: count == 0, text)


@claim("length")
def weight_spreads_over_a_long_text() -> Verdict:
    """Where contents are alike, a head of ALiBi spreads its weight over 10 000 tokens."""
    heads = _ends()
    shares = {head: float(100 * _by_distance(slope)[1024:].sum()) for head, slope in heads.items()}
    even = 100 * (1 - 1024 / 10_000)
    text = (
        "Percent of a head's weight on the keys from distance 1024 on; equal weights would give "
        f"them {shown(even)}, and to spread means at least half of that. A key that fits can win "
        "from farther; but loss may stay flat on long texts because what is far is hardly seen."
    )
    return judge(shares, lambda share: share >= even / 2, text)


@claim("forms", sources=("alibicode",))
def the_position_of_the_key_is_enough() -> Verdict:
    """Adding slope · j gives the weights of subtracting slope · |i − j|."""
    q, k, _ = _head()
    scores, slopes = q @ k.mT / np.sqrt(HEAD_DIM), alibi_slopes(HEADS)
    biases = alibi_bias(slopes, _offsets()), slopes[:, None, None] * np.arange(LEN)
    differences = {}
    for setting, mask in _masks().items():
        one, other = (softmax(np.where(mask, scores + bias, -np.inf)) for bias in biases)
        differences[setting] = largest(one - other)
    text = (
        "Largest difference of a weight, of 8 heads and 16 random words; the same means below "
        "1e-9. Behind a query the biases differ by slope · i, one number for a whole row."
    )
    return judge(differences, lambda difference: difference < SAME, text)


@claim("forms")
def memory_grows_with_the_square() -> Verdict:
    """The bias needs memory for each pair of tokens."""
    held = {}
    for length in (256, 1024):
        row = -abs(np.arange(1.0 - length, length))  # a number for each offset
        matrix = np.lib.stride_tricks.sliding_window_view(row, length)[::-1]
        low, high = np.lib.array_utils.byte_bounds(matrix)
        held[f"the text has {shown(length)} tokens"] = (high - low) // 8 / length**2
    text = (
        "Numbers that NumPy holds for one head, for each pair of tokens; to need it means 1. "
        "There are only 2 · length − 1 offsets, and a matrix can be a view of these."
    )
    return judge(held, lambda numbers: numbers >= 1, text)


@claim("precision")
def bfloat16_is_enough() -> Verdict:
    """A bias in bfloat16 is exact enough."""
    slope, key = _ends()[STEEPEST], np.arange(2048)
    forms = {
        "the bias is −slope · (i − j)": slope * (key - key[-1]),
        "it is slope · j": slope * key,
    }
    changes = {
        form: largest(softmax(to_dtype(b, "bfloat16")) - softmax(b)) for form, b in forms.items()
    }
    rounded = shown(int(to_dtype(slope * 514, "bfloat16")))
    text = (
        "Largest change of a weight of the last query by rounding, for 2048 tokens and slope 1/2; "
        f"enough means below 1e-3. At position 514 slope · j is 257, and becomes {rounded}."
    )
    return judge(changes, lambda change: change < 1e-3, text)


@claim("direction", sources=("alibi5",))
def before_and_after_are_told_apart() -> Verdict:
    """A head with ALiBi tells what stands before a token from what stands after it."""
    differences = {}
    for setting, mask in _masks().items():
        there, back = (
            attention(
                *x,
                encoding=Alibi(),
                q_positions=np.arange(LEN),
                k_positions=np.arange(LEN),
                mask=mask,
            )
            for x in (_head(), _head()[..., ::-1, :])
        )
        differences[setting] = largest(there - back[..., ::-1, :])
    text = (
        "Largest difference of a token's output when the text is reversed; to tell means above "
        "1e-9. Without a mask, |i − j| is the same on both sides."
    )
    return judge(differences, lambda difference: difference > SAME, text)
