"""Claims: what RoPE does to scores and outputs."""

import numpy as np

from posviz.attention import attention
from posviz.encodings.doors import NoPosition
from posviz.encodings.frequencies import (
    Frequencies,
    proportional_frequencies,
    rotary_angles,
    rotary_frequencies,
)
from posviz.encodings.rotary import Rotary, apply_rotary, rotation_matrix
from posviz.teaching.ledger import Verdict, claim, judge
from posviz.teaching.measures import SAME, largest

HEAD_DIM = 64


def _scores(q: np.ndarray, k: np.ndarray) -> np.ndarray:
    """Scaled scores [..., q_len, k_len] of vectors [..., len, head_dim] already turned."""
    return NoPosition().scale(q.shape[-1]) * q @ np.swapaxes(k, -1, -2)


def _vectors(*shape: int) -> np.ndarray:
    """Queries and keys [2, …, head_dim]."""
    return np.random.default_rng(0).normal(size=(2, *shape, HEAD_DIM))


@claim("relative position", sources=("su2021roformer",), section="3 First derivation: matrices")
def the_score_depends_on_the_offset_alone() -> Verdict:
    """The score of a query and a key depends on their offset alone."""
    positions = np.arange(4096)
    q, k = (np.broadcast_to(x, (1, 1, 4096, HEAD_DIM)) for x in _vectors())
    part = Frequencies(proportional_frequencies(HEAD_DIM, 0.25))
    encodings = {
        "all dimensions turn": Rotary(),
        "half of them turn (rotary_dim = 32)": Rotary(rotary_dim=32),
        "the fastest quarter turns (p-RoPE)": Rotary(frequencies=part),
    }
    spreads = {}
    for setting, rope in encodings.items():
        products = rope.at_query(q, positions + 5) * rope.at_key(k, positions)
        spreads[setting] = float(np.ptp(NoPosition().scale(HEAD_DIM) * products.sum(axis=-1)))
    text = (
        "Largest minus smallest score of 4096 pairs with offset 5, head_dim = 64; alone means "
        "below 1e-9."
    )
    return judge(spreads, lambda spread: spread < SAME, text)


@claim("relative position")
def rotating_may_come_first() -> Verdict:
    """Scores are relative whether tokens are rotated before or after W_Q and W_K."""
    x = _vectors()
    w_q, w_k = np.random.default_rng(1).normal(size=(2, HEAD_DIM, HEAD_DIM)) / np.sqrt(HEAD_DIM)
    scores: dict[str, list[np.ndarray]] = {"projected, then rotated": [], "rotated first": []}
    for shift in (0, 100):
        m, n = rotary_angles([[7 + shift], [3 + shift]], rotary_frequencies(HEAD_DIM))
        scores["projected, then rotated"].append(
            _scores(apply_rotary(x[:1] @ w_q, m), apply_rotary(x[1:] @ w_k, n))
        )
        scores["rotated first"].append(
            _scores(apply_rotary(x[:1], m) @ w_q, apply_rotary(x[1:], n) @ w_k)
        )
    text = (
        "Change of the score from the positions (7, 3) to (107, 103), head_dim = 64; "
        "relative means below 1e-9."
    )
    changes = {f"they are {order}": largest(b - a) for order, (a, b) in scores.items()}
    return judge(changes, lambda change: change < SAME, text)


@claim(
    "relative position",
    sources=("su2021roformer",),
    section="Third derivation: what must such a function be?",
)
def only_rope_makes_scores_relative() -> Verdict:
    """The rotation of RoPE is the only map that makes scores depend on the offset alone."""
    q, k = _vectors()
    planes = np.linalg.qr(np.random.default_rng(1).normal(size=(HEAD_DIM, HEAD_DIM)))[0]
    settings = {
        "each pair turns the other way": (-1, np.eye(HEAD_DIM)),
        "other planes turn, OᵀRO": (1, planes),
    }
    changes = {}
    for setting, (way, to_planes) in settings.items():
        angles = way * rotary_angles([7, 3, 107, 103], rotary_frequencies(HEAD_DIM))
        maps = to_planes.T @ rotation_matrix(angles) @ to_planes
        near, far = ((maps[i] @ q) @ (maps[i + 1] @ k) / 8 for i in (0, 2))
        changes[setting] = abs(float(far - near))
    text = (
        "Change of the score from the positions (7, 3) to (107, 103) under another map; RoPE is "
        "the only one where all others change it by more than 1e-9."
    )
    return judge(changes, lambda change: change > SAME, text)


@claim("relative position")
def values_may_turn_too() -> Verdict:
    """The values may be turned like the queries and keys, and attention stays relative."""
    q, k, v = np.random.default_rng(0).normal(size=(3, 1, 1, 16, HEAD_DIM))
    rope, outputs = Rotary(), []
    for positions in (np.arange(16), np.arange(100, 116)):
        turned = rope.at_key(v, positions)
        outputs.append(
            attention(q, k, turned, encoding=rope, q_positions=positions, k_positions=positions)
        )
    text = (
        "Largest change of an output when 16 tokens move by 100 positions, head_dim = 64; relative "
        "means below 1e-9."
    )
    change = {"the values are turned": largest(outputs[1] - outputs[0])}
    return judge(change, lambda change: change < SAME, text)


@claim("distance", section="7 Does the score fall with the distance?")
def attention_falls_with_distance() -> Verdict:
    """With RoPE, the farther apart two tokens are, the lower is their score."""
    rises = {}
    for head_dim in (2, 64, 128):
        x = np.ones((257, head_dim))
        angles = rotary_angles(np.arange(257), rotary_frequencies(head_dim))
        scores = _scores(x[:1], apply_rotary(x, angles))[0]
        rises[f"q = k and head_dim = {head_dim}"] = int((np.diff(scores) > 0).sum())
    text = "How many of the first 256 steps of distance raise the score; always lower means 0."
    return judge(rises, lambda rises: rises == 0, text)


def _share_higher_near(q: np.ndarray, k: np.ndarray) -> float:
    """In which share of the texts [texts, len, head_dim] the scores near the diagonal are higher,
    on average, than the others."""
    positions = np.arange(q.shape[1])
    angles = rotary_angles(positions, rotary_frequencies(HEAD_DIM))
    scores = _scores(apply_rotary(q, angles), apply_rotary(k, angles))
    near = np.abs(positions[:, None] - positions) <= 2
    return float((scores[:, near].mean(axis=1) > scores[:, ~near].mean(axis=1)).mean())


@claim("distance")
def scores_are_higher_near_the_diagonal() -> Verdict:
    """RoPE makes the scores near the diagonal higher than those far from it."""
    shape = (2, 32, HEAD_DIM)
    seeds = [np.random.default_rng(seed).normal(size=shape) for seed in range(500)]
    q, k = np.stack(seeds, axis=1)
    one_word = np.broadcast_to(q[:, :1], q.shape)
    shares = {
        "q and k are random": _share_higher_near(q, k),
        "all tokens are one word, with q = k": _share_higher_near(one_word, one_word),
    }
    text = (
        "Share of 500 texts of 32 tokens, seeds 0 … 499 of NumPy's generator, in which the mean "
        "score at a distance of 2 or less is above that of the rest, head_dim = 64; higher means "
        "in at least 95 of 100."
    )
    return judge(shares, lambda share: share >= 0.95, text)
