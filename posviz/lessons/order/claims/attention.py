"""Claims: what attention knows of the order of words."""

from typing import Any

import numpy as np

from posviz.attention import attend, attention
from posviz.attention.masks import causal_mask
from posviz.encodings.doors import Encoding, NoPosition
from posviz.encodings.rotary import Rotary
from posviz.encodings.sinusoidal import Sinusoidal, sinusoidal
from posviz.teaching.ledger import Verdict, claim, judge
from posviz.teaching.measures import largest

EQUAL = 1e-12  # what differs by less is equal, up to the rounding of float64
LEN, D_MODEL = 6, 16
POSITIONS = np.arange(LEN)
ORDER = np.array([3, 0, 5, 1, 4, 2])  # a shuffle that moves every word


def _equal(differences: dict[str, float], text: str) -> Verdict:
    """Judge by the rule that a claim of equality holds where the difference is rounding alone."""
    return judge(
        differences, lambda difference: difference < EQUAL, f"{text} Equal means below 1e-12."
    )


def _words() -> np.ndarray:
    """Six words as vectors [6, 16]; the first and the fifth are the same word, as in
    "the cat sat on the mat"."""
    x = np.random.default_rng(0).normal(size=(LEN, D_MODEL))
    x[4] = x[0]
    return x


def _projections() -> np.ndarray:
    return np.random.default_rng(1).normal(size=(3, D_MODEL, D_MODEL)) / np.sqrt(D_MODEL)


def _attend(x: np.ndarray, *, causal: bool = False, encoding: Encoding | None = None):
    """One head: outputs [len, d_model] and weights [len, len]."""
    outputs, weights = attend(
        x[None],
        *_projections(),
        num_heads=1,
        encoding=encoding or NoPosition(),
        positions=POSITIONS,
        mask=causal_mask(POSITIONS, POSITIONS) if causal else None,
        return_weights=True,
    )
    return outputs[0], weights[0, 0]


def _weigh(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Outputs and weights of queries, keys and values [1, 1, len, head_dim]."""
    return attention(
        q,
        k,
        v,
        encoding=NoPosition(),
        q_positions=POSITIONS,
        k_positions=POSITIONS,
        return_weights=True,
    )


MASKS = {"there is no mask": False, "the mask is causal": True}


@claim("permutation", section="2 Shuffle it")
def attention_is_invariant() -> Verdict:
    """Self-attention is invariant to the order of the words: shuffle them, and its output stays
    as it was."""
    x = _words()
    change = largest(_attend(x[ORDER])[0] - _attend(x)[0])
    text = "Largest change of an output when six words are shuffled."
    return _equal({"there is no mask": change}, text)


@claim("permutation", section="2 Shuffle it")
def attention_is_equivariant() -> Verdict:
    """Without positional encoding, shuffling the words shuffles the outputs in the same way."""
    x = _words()
    residuals = {
        mask: largest(_attend(x[ORDER], causal=causal)[0] - _attend(x, causal=causal)[0][ORDER])
        for mask, causal in MASKS.items()
    }
    text = "Largest difference between the outputs of the shuffled words and the shuffled outputs."
    return _equal(residuals, text)


@claim("permutation")
def the_mean_is_invariant() -> Verdict:
    """Without positional encoding, the mean of all outputs is the same in every order."""
    x = _words()
    changes = {}
    for mask, causal in MASKS.items():
        before, after = (_attend(rows, causal=causal)[0].mean(axis=0) for rows in (x, x[ORDER]))
        changes[mask] = largest(after - before)
    return _equal(changes, "Largest change of the mean output when six words are shuffled.")


@claim("permutation", section="2 Shuffle it")
def equal_words_get_equal_outputs() -> Verdict:
    """Without positional encoding, the two "the" of "the cat sat on the mat" cannot be told
    apart."""
    differences = {}
    for mask, causal in MASKS.items():
        outputs = _attend(_words(), causal=causal)[0]
        differences[mask] = largest(outputs[4] - outputs[0])
    return _equal(differences, 'Largest difference between the outputs of the two "the".')


@claim("permutation")
def a_weight_is_the_same_in_every_order() -> Verdict:
    """How much one given word attends to another is the same in every order of the words."""
    x = _words()
    settings: dict[str, dict[str, Any]] = {
        "there is neither mask nor encoding": {},
        "the mask is causal": {"causal": True},
        "sinusoidal encodings are added": {"encoding": Sinusoidal()},
        "queries and keys are rotated (RoPE)": {"encoding": Rotary()},
    }
    changes = {
        setting: largest(_attend(x[ORDER], **how)[1] - _attend(x, **how)[1][ORDER][:, ORDER])
        for setting, how in settings.items()
    }
    return _equal(changes, "Largest change of a weight between two words after a shuffle.")


@claim("masks", sources=("haviv2022transformer",))
def the_first_word_sees_itself_alone() -> Verdict:
    """Under a causal mask the first word attends only to itself, whatever the words are."""
    weight = float(_attend(_words(), causal=True)[1][0, 0])
    text = "The weight that the first word gives to itself; 1 means nothing is left for others."
    return judge({"the mask is causal": weight}, lambda weight: abs(weight - 1) < EQUAL, text)


@claim("attention", section="1 One attention head, by hand")
def scores_are_what_is_summed() -> Verdict:
    """The output for a word is the weighted sum of the attention scores of all words."""
    q, k, v, other = np.random.default_rng(2).normal(size=(4, 1, 1, LEN, D_MODEL))
    change = largest(_weigh(q, k, other)[0] - _weigh(q, k, v)[0])
    text = (
        "Largest change of an output when the values change and the queries and keys, and so all "
        "scores, stay. A sum of scores would not change: it is the values that are summed."
    )
    return _equal({"the values alone change": change}, text)


@claim("attention")
def received_weights_sum_to_1() -> Verdict:
    """The weights that a word receives from all words sum to 1."""
    columns = _attend(_words())[1].sum(axis=0)
    text = "Largest distance of a column's sum from 1; what sums to 1 are rows, the weights given."
    return _equal({"there is no mask": largest(columns - 1)}, text)


def _scaled_scores(head_dim: int, *, alike: bool) -> np.ndarray:
    q, k = np.random.default_rng(3).normal(size=(2, 20_000, head_dim))
    return np.einsum("nd,nd->n", q, q if alike else k) * NoPosition().scale(head_dim)


@claim("scale", sources=("vaswani2017attention",), section="3 Why divide?")
def the_scale_keeps_the_variance_at_1() -> Verdict:
    """The factor 1/√head_dim keeps the variance of the scores at 1."""
    variances = {
        "queries and keys are independent": float(_scaled_scores(64, alike=False).var()),
        "queries equal their keys": float(_scaled_scores(64, alike=True).var()),
    }
    text = (
        "Variance of 20 000 scaled scores, head_dim = 64, entries of mean 0 and variance 1; "
        "1 means within 0.05."
    )
    return judge(variances, lambda variance: abs(variance - 1) < 0.05, text)


@claim("scale")
def the_scale_changes_nothing() -> Verdict:
    """Since the softmax normalises the scores anyway, leaving out 1/√head_dim changes nothing."""
    q, k, v = np.random.default_rng(4).normal(size=(3, 1, 1, LEN, 64))
    change = largest(_weigh(8 * q, k, v)[1] - _weigh(q, k, v)[1])
    text = "Largest change of a weight when the scores are not divided by √64 = 8."
    return _equal({"head_dim = 64": change}, text)


@claim("input")
def an_added_encoding_leaves_the_scores_alone() -> Verdict:
    """An encoding that is added to the embeddings does not act on attention."""
    x, p = _words(), sinusoidal(POSITIONS, D_MODEL)
    w_q, w_k, _ = _projections()
    terms = [(left @ w_q) @ (right @ w_k).T for left in (x, p) for right in (x, p)]
    carrying = sum(largest(term) > EQUAL for term in terms[1:])
    text = (
        "How many of the four terms of a score, (x_i + p_i) W_Q W_Kᵀ (x_j + p_j)ᵀ multiplied out, "
        "hold a position and are not 0."
    )
    return judge({"sinusoidal encodings are added": carrying}, lambda count: count == 0, text)


@claim("input")
def the_encoding_is_added_to_queries_and_keys() -> Verdict:
    """Adding an encoding to the embeddings is the same as adding it to the queries and keys."""
    x, p = _words(), sinusoidal(POSITIONS, D_MODEL)
    settings = {
        "the projections W_Q and W_K are the identity": np.stack([np.eye(D_MODEL)] * 2),
        "the projections are any others": _projections()[:2],
    }
    differences = {}
    for setting, (w_q, w_k) in settings.items():
        at_input = ((x + p) @ w_q) @ ((x + p) @ w_k).T
        afterwards = (x @ w_q + p) @ (x @ w_k + p).T
        differences[setting] = largest(at_input - afterwards)
    return _equal(differences, "Largest difference between two scores before scaling.")
