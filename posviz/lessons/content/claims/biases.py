"""Claims: what the content decides, and what functions of distance can be."""

from collections.abc import Callable

import numpy as np

from posviz.encodings.alibi import alibi_bias
from posviz.encodings.cope import cope_bias, cope_positions
from posviz.encodings.fire import fire_distances
from posviz.encodings.fox import fox_bias
from posviz.encodings.kerple import kerple_log_bias, kerple_power_bias
from posviz.encodings.path import path_scores
from posviz.encodings.pope import apply_pope
from posviz.encodings.randomised import randomised_positions
from posviz.encodings.rotary import apply_rotary
from posviz.encodings.t5 import t5_bias, t5_bucket
from posviz.teaching.ledger import Verdict, claim, judge
from posviz.teaching.measures import SAME, largest, normal

LENGTH = 32
TOKENS = np.arange(LENGTH)
BEHIND = TOKENS[:, None] - TOKENS
CAUSAL = BEHIND >= 0


@claim("FoX", sources=("lin2025forgetting",), section="5 Forgetting")
def fox_is_alibi() -> Verdict:
    """FoX is ALiBi."""
    alike = np.full(LENGTH, -1 / 4)
    line = alibi_bias(np.array([1 / 4]), BEHIND)[0]
    one_closed = np.where(TOKENS == LENGTH // 2, -4.0, alike)
    differences = {
        "all gates are alike": largest((fox_bias(alike) - line)[CAUSAL]),
        "one of them is nearly closed": largest((fox_bias(one_closed) - line)[CAUSAL]),
    }
    text = (
        "Largest difference to ALiBi's bias, whose slope is −ln of the gate, here 1/4; to be ALiBi "
        "means below 1e-9. A gate that depends on the text bends the line."
    )
    return judge(differences, lambda difference: difference < SAME, text)


@claim("FoX", sources=("lin2025forgetting",))
def a_closed_gate_hides_its_token() -> Verdict:
    """In FoX, closing a token's gate hides that token from later queries."""
    open_, closed = (np.where(TOKENS == 8, -added, -0.01) for added in (0.01, 4.0))
    falls = (fox_bias(open_) - fox_bias(closed))[-1]
    lowered = {
        "the key is that token": float(falls[8]),
        "it stands before": float(falls[7]),
        "it stands after": float(falls[9]),
    }
    text = (
        "By how much the last query's score of a key falls when the log of gate 8 goes from −0.01 "
        "to −4; hidden means by more than 1. A gate forgets what came before its token."
    )
    return judge(lowered, lambda fall: fall > 1, text)


@claim("distance", sources=("chi2022kerple",))
def kerple_is_a_learned_alibi() -> Verdict:
    """Kerple is ALiBi with a learned slope."""
    line = alibi_bias(np.array([0.5]), BEHIND)[0]
    half, one = np.array([0.5]), np.array([1.0])
    biases = {
        "it is the power, with r₂ = 1": kerple_power_bias(half, one, BEHIND)[0],
        "it is the power, with r₂ = 1/2": kerple_power_bias(half, half, BEHIND)[0],
        "it is the logarithm": kerple_log_bias(half, one, BEHIND)[0],
    }
    differences = {setting: largest((bias - line)[CAUSAL]) for setting, bias in biases.items()}
    text = (
        "Largest difference to ALiBi's bias with the slope r₁ = 1/2 over 32 tokens; to be ALiBi "
        "means below 1e-9. A power below 1 and the logarithm flatten with distance."
    )
    return judge(differences, lambda difference: difference < SAME, text)


@claim("distance", sources=("li2024functional",))
def fire_sees_the_offset_alone() -> Verdict:
    """FIRE's bias depends on the offset alone."""
    differences = {}
    for setting, queries in (
        ("both queries stand before the threshold, at 100 and 400", (100, 400)),
        ("they stand past it, at 600 and 2000", (600, 2000)),
    ):
        one, other = (
            float(fire_distances(np.array([q]), np.array([q - 50]), threshold=512.0)[0, 0])
            for q in queries
        )
        differences[setting] = abs(one - other)
    text = (
        "Difference of what FIRE's network reads for a key 50 tokens back, threshold 512; alone "
        "means below 1e-9. Past the threshold a distance is measured against the query's own "
        "position, so a long text looks as a short one did."
    )
    return judge(differences, lambda difference: difference < SAME, text)


@claim("PaTH", sources=("yang2025path",))
def more_tokens_take_more() -> Verdict:
    """In PaTH each token between key and query takes something more from their score."""
    q, k, w = normal(1, 3, 8)
    w /= np.linalg.norm(w)
    changes = {}
    for setting, beta in (("β is 1/2", 0.5), ("β is 1", 1.0), ("β is 0", 0.0)):
        after = [
            path_scores(
                q[None], np.tile(k, (n + 1, 1)), np.tile(w, (n + 1, 1)), np.full(n + 1, beta)
            )
            for n in (1, 2)
        ]
        changes[setting] = largest(after[0][0, 0] - after[1][0, 0])
    text = (
        "Change of a score by the second of two tokens that reflect alike; more means above 1e-9. "
        "With β = 1 the first has taken all that lies along w, and with β = 0 a token is no mark "
        "of position at all."
    )
    return judge(changes, lambda change: change > SAME, text)


@claim("PaTH", sources=("yang2025path",))
def two_mirrors_undo() -> Verdict:
    """In PaTH a token that comes twice between key and query leaves a mark."""
    q, k, w = normal(2, 3, 8)
    w /= np.linalg.norm(w)
    changes = {}
    for setting, beta in (("β is 1", 1.0), ("β is 2", 2.0)):
        score = path_scores(q[None], np.tile(k, (3, 1)), np.tile(w, (3, 1)), np.full(3, beta))
        changes[setting] = abs(float(score[0, 0] - q @ k))
    text = (
        "Change of a score by two tokens that reflect alike; a mark means above 1e-9. With β = 2 "
        "the second mirror undoes the first: a count modulo 2, which no sum of gates below 1 keeps."
    )
    return judge(changes, lambda change: change > SAME, text)


@claim("CoPE", sources=("golovneva2024contextual",))
def cope_counts_tokens() -> Verdict:
    """CoPE's position is how many tokens back a key stands, itself included."""
    settings = {
        "all gates are open": np.ones(LENGTH),
        "every third one is": (TOKENS % 3 == 0) * 1.0,
        "all are half open": np.full(LENGTH, 0.5),
    }
    differences = {
        setting: largest((cope_positions(CAUSAL * gates) - (BEHIND + 1))[CAUSAL])
        for setting, gates in settings.items()
    }
    text = (
        "Largest difference of a position to i − j + 1, in 32 tokens; none means below 1e-9. With "
        "all gates open it is a plain relative position."
    )
    return judge(differences, lambda difference: difference < SAME, text)


@claim("CoPE", sources=("golovneva2024contextual",))
def cope_tells_all_far_keys_apart() -> Verdict:
    """CoPE with a table of 16 rows tells keys apart at any distance."""
    q, table = normal(3, 1, LENGTH, 8), normal(4, 16, 8)
    alike = {}
    for setting, gate in (("half of each token is counted", 0.5), ("each counts in full", 1.0)):
        positions = cope_positions(CAUSAL * gate)
        row = cope_bias(q, table, positions[None])[0, -1]
        alike[setting] = int((np.abs(np.diff(row)) < SAME).sum())
    text = (
        "Neighbours, of 32 keys before the last query, that have the same bias: 0 is the rule. "
        "Beyond the last row the count is cut off, as clipped offsets are; later, if less is "
        "counted."
    )
    return judge(alike, lambda count: count == 0, text)


@claim("one matrix", sources=("zhang2025grape",))
def alibi_is_a_matrix() -> Verdict:
    """ALiBi's bias is qᵀ Mᵈ k, a matrix to the power of the distance, as RoPE's score is."""
    step = np.array([[1.0, 1.0], [0.0, 1.0]])  # exp of the Jordan block [[0, 1], [0, 0]]
    powers = [np.linalg.matrix_power(step, d) for d in TOKENS]
    differences = {}
    for name, slope in (("1/2", 1 / 2), ("1/256", 1 / 256)):
        scores = np.array(
            [np.array([1.0, 0.0]) @ power @ np.array([0.0, -slope]) for power in powers]
        )
        line = alibi_bias(np.array([slope]), TOKENS[None])[0, 0]
        differences[f"the slope is {name}"] = largest(scores - line)
    text = (
        "Largest difference, over 32 tokens, to a query (1, 0), a key (0, −slope) and the matrix "
        "(1 1; 0 1), which shears where RoPE's turns; below 1e-9 they are the same."
    )
    return judge(differences, lambda difference: difference < SAME, text)


def _kernels() -> dict[str, Callable[[np.ndarray], np.ndarray]]:
    """Functions of the distance, of one head or one pair."""
    table = normal(5, 32, 1)
    one = np.ones(1)
    return {
        "it is ALiBi": lambda d: alibi_bias(one / 4, d[None])[0, 0],
        "it is a pair of RoPE": lambda d: np.cos(0.3 * d),
        "it is one of xPos": lambda d: 0.98**d * np.cos(0.3 * d),
        "it is T5": lambda d: t5_bias(table, t5_bucket(d[None], bidirectional=False))[0, 0],
        "it is Kerple's logarithm": lambda d: kerple_log_bias(one, one, d[None])[0, 0],
    }


@claim("one matrix", sources=("zhang2025grape",))
def all_are_one_matrix() -> Verdict:
    """A function of the distance is qᵀ exp(dM) k with a 2 × 2 matrix M."""
    steps = np.arange(48)
    ranks = {}
    for setting, kernel in _kernels().items():
        values = kernel(np.arange(95))
        hankel = values[steps[:, None] + steps]
        ranks[setting] = int(np.linalg.matrix_rank(hankel, tol=1e-6 * largest(hankel)))
    text = (
        "How many dimensions M needs for the distances 0 … 94, to within a millionth: the rank of "
        "the matrix of f(i + j); at most 2 is the rule. ALiBi's line is a Jordan block; T5's steps "
        "and a logarithm are no such score, but may be added to one."
    )
    return judge(ranks, lambda rank: rank <= 2, text)


@claim("PoPE", sources=("gopalakrishnan2025decoupling",))
def content_has_no_say_in_where() -> Verdict:
    """At which offset a pair of dimensions scores highest, position alone decides, not content."""
    turns = np.radians(np.arange(360.0))
    contents = normal(6, 64, 2, 2)
    angles = {
        "it is RoPE": [_best(q, _pair(k, turns)) for q, k in contents],
        "it is PoPE": [
            _best(*(apply_pope(x, a) for x, a in _alone(q[:1], k[:1], turns))) for q, k in contents
        ],
    }
    spreads = {setting: int(np.ptp(best)) for setting, best in angles.items()}
    text = (
        "Spread, in degrees, of the angle at which a query and a key score highest, over 64 of "
        "them; 0 is the rule. In RoPE the angle between the two contents is added to it."
    )
    return judge(spreads, lambda spread: spread == 0, text)


def _pair(k: np.ndarray, turns: np.ndarray) -> np.ndarray:
    return apply_rotary(np.tile(k, (len(turns), 1)), turns[:, None])


def _alone(q: np.ndarray, k: np.ndarray, turns: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """One dimension each of a query, not turned, and of keys at these angles."""
    return [(q[None], np.zeros((1, 1))), (np.tile(k, (len(turns), 1)), turns[:, None])]


def _best(q: np.ndarray, keys: np.ndarray) -> int:
    return int((keys @ np.atleast_2d(q)[0]).argmax())


@claim("randomised", sources=("ruoss2023randomized",))
def neighbours_stay_neighbours() -> Verdict:
    """Randomised positions leave neighbours one apart."""
    steps = {
        f"they are drawn from {name}": float(
            np.mean([np.diff(randomised_positions(64, longest, rng=s)).mean() for s in range(32)])
        )
        for name, longest in (("64", 64), ("2048", 2048))
    }
    text = (
        "Mean step between neighbours of 64 tokens, over 32 draws; one apart means 1. The order "
        "stays, and the distance says only that a token is near."
    )
    return judge(steps, lambda step: abs(step - 1) < SAME, text)
