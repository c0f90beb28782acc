"""Claims: what depends on the offset, what it costs, and Shaw's tables."""

import numpy as np

from posviz.attention import attend, attention
from posviz.choosing.rows import parameters_of
from posviz.encodings.alibi import Alibi
from posviz.encodings.deberta import DeBERTa, deberta_bucket
from posviz.encodings.doors import Encoding
from posviz.encodings.learned import Learned
from posviz.encodings.relative import offsets
from posviz.encodings.shaw import Shaw, shaw_index
from posviz.encodings.sinusoidal import sinusoidal
from posviz.encodings.t5 import T5, t5_bucket
from posviz.encodings.transformer_xl import TransformerXL
from posviz.teaching.ledger import Verdict, claim, judge, shown
from posviz.teaching.measures import SAME, largest, normal

HEAD_DIM = 64


def _methods() -> dict[str, Encoding]:
    """Relative encodings for one head, with random tables."""
    rows = normal(1, 2, 9, HEAD_DIM) / np.sqrt(HEAD_DIM)
    return {
        "it is Shaw's": Shaw(*rows),
        "it is Transformer-XL's": TransformerXL(normal(2, HEAD_DIM, HEAD_DIM) / 8, *rows[:, :1]),
        "it is T5's": T5(normal(3, 32, 1)),
        "it is DeBERTa's": DeBERTa(*rows[:, None, :8]),
    }


def _attend(x: np.ndarray, encoding: Encoding, positions: np.ndarray) -> np.ndarray:
    """Outputs [len, d_model] of one head, projections random."""
    w = normal(4, 3, HEAD_DIM, HEAD_DIM) / np.sqrt(HEAD_DIM)
    return attend(x[None], *w, num_heads=1, encoding=encoding, positions=positions)[0]


def _weigh(
    q: np.ndarray, k: np.ndarray, v: np.ndarray, encoding: Encoding
) -> tuple[np.ndarray, np.ndarray]:
    """Outputs and weights of queries, keys and values [1, 1, len, head_dim]."""
    positions = np.arange(q.shape[2])
    return attention(
        q,
        k,
        v,
        encoding=encoding,
        q_positions=positions,
        k_positions=positions,
        return_weights=True,
    )


@claim("offsets")
def from_sat_to_on_it_is_one_step() -> Verdict:
    """From "sat" to "on" it is one step in "The cat sat on the mat" and in "On the mat, the cat
    sat"."""
    found = []
    for sentence in ("the cat sat on the mat", "on the mat , the cat sat"):
        words = sentence.split()
        found.append(offsets([words.index("on")], [words.index("sat")])[0, 0])
    text = (
        f"Position of on minus position of sat; in the first sentence it is {found[0]}. The comma "
        "is a token, too."
    )
    return judge({"it is the second sentence": found[1]}, lambda offset: offset == found[0], text)


@claim(
    "offsets", sources=("shaw2018relative", "dai2019transformerxl", "raffel2020t5", "he2021deberta")
)
def all_methods_count_alike() -> Verdict:
    """All methods count offsets as query position − key position."""
    behind_and_ahead = np.array([1, -1])
    rows = {
        "the rows are Shaw's": shaw_index(behind_and_ahead, 4),
        "the rows are T5's": t5_bucket(behind_and_ahead),
        "the rows are DeBERTa's": deberta_bucket(behind_and_ahead, None, 4),
    }
    text = (
        "Row of the token before the query minus row of the token after it: above 0 where rows "
        "are numbered by query − key."
    )
    steps = {setting: int(behind - ahead) for setting, (behind, ahead) in rows.items()}
    return judge(steps, lambda step: step > 0, text)


@claim("order")
def a_reordered_sentence_is_the_same() -> Verdict:
    """With a relative encoding, a sentence whose words change places is the same to the model."""
    x, order = normal(0, 6, HEAD_DIM), np.array([3, 4, 5, 0, 1, 2])
    positions = np.arange(6)
    changes = {
        setting: largest(
            _attend(x[order], encoding, positions) - _attend(x, encoding, positions)[order]
        )
        for setting, encoding in _methods().items()
    }
    text = (
        "Largest change of the output for a word when the halves of a sentence of six words change "
        "places; the same means below 1e-9."
    )
    return judge(changes, lambda change: change < SAME, text)


def _change_by_a_shift(x: np.ndarray, moved: np.ndarray, encoding: Encoding) -> float:
    positions = np.arange(len(x))
    return largest(_attend(moved, encoding, positions + 7) - _attend(x, encoding, positions))


SHIFTED = (
    "Largest change of an output when six words move by 7 positions; the same means below 1e-9."
)


@claim("order", section="2 The offset")
def the_output_does_not_see_a_shift() -> Verdict:
    """With a relative encoding the output is the same wherever a text stands."""
    x = normal(0, 6, HEAD_DIM)
    changes = {
        setting: _change_by_a_shift(x, x, encoding) for setting, encoding in _methods().items()
    }
    return judge(changes, lambda change: change < SAME, SHIFTED)


@claim("order")
def a_table_may_be_added_too() -> Verdict:
    """Where biases are relative, a learned absolute table may be added, too, and the output is
    still the same wherever a text stands."""
    x, positions = normal(0, 1, 6, HEAD_DIM), np.arange(6)
    table = Learned(normal(5, 16, HEAD_DIM))
    here, there = (table.at_input(x, positions + shift)[0] for shift in (0, 7))
    change = _change_by_a_shift(here, there, _methods()["it is T5's"])
    settings = {"a table is added to T5's biases": change}
    return judge(settings, lambda change: change < SAME, SHIFTED)


@claim("order")
def terms_with_positions_are_relative() -> Verdict:
    """Once sinusoids are added, each term of a score that holds a position depends on the offset
    alone."""
    x, positions = normal(0, 1, HEAD_DIM), np.array([7, 107])
    queries, keys = (sinusoidal(positions - offset, HEAD_DIM) for offset in (0, 5))
    between = normal(0, HEAD_DIM, HEAD_DIM) / np.sqrt(HEAD_DIM)
    terms = {
        "a position meets a position, W the identity": (queries * keys).sum(axis=1) / 8,
        "a position meets a position, W random": (queries @ between * keys).sum(axis=1) / 8,
        "a word meets a position, W the identity": (x * keys).sum(axis=1) / 8,
    }
    text = (
        "Change of the term, divided by √d_model = 8, from the positions (7, 2) to (107, 102); W = "
        "W_Q W_Kᵀ, at random with entries of variance 1/d_model. Alone means below 1e-9."
    )
    changes = {setting: abs(float(np.diff(term)[0])) for setting, term in terms.items()}
    return judge(changes, lambda change: change < SAME, text)


@claim("storage", section="3 The plainest form: a number for each offset")
def storage_grows_with_the_square() -> Verdict:
    """Relative positions need storage of the order n²: a vector for each pair of tokens."""
    length = 512
    apart = offsets(np.arange(length), np.arange(length))
    rows = {
        "each offset has its own row": len(np.unique(apart)),
        "offsets are clipped (Shaw, k = 16)": len(np.unique(shaw_index(apart, 16))),
        "offsets share buckets (T5)": len(np.unique(t5_bucket(apart))),
        "the bias is computed (ALiBi)": parameters_of(Alibi()),
    }
    text = (
        f"Rows that 512 tokens ask a table for; one for each pair means {shown(length**2)}. ALiBi "
        "has no learned number, and so no table."
    )
    return judge(rows, lambda count: count == length**2, text)


@claim("Shaw", sources=("shaw2018relative",), section="4 Shaw: a vector for each offset")
def far_tokens_are_ignored() -> Verdict:
    """Clipping at k means that tokens farther away than k are ignored."""
    q, k = normal(0, 2, 1, 1, 32, HEAD_DIM)
    apart, shares = offsets(np.arange(32), np.arange(32)), {}
    for clip in (4, 16):
        table = normal(1, 2 * clip + 1, HEAD_DIM) / np.sqrt(HEAD_DIM)
        weights = _weigh(q, k, k, Shaw(table))[1][0, 0]
        shares[f"k = {clip}"] = float(weights[np.abs(apart) > clip].sum() / 32)
    text = (
        "Share of attention that 32 random tokens give to those farther away than k; ignored means "
        "below 1e-9. They share the vector of distance k, and their words still count."
    )
    return judge(shares, lambda share: share < SAME, text)


@claim("Shaw", sources=("shaw2018relative",))
def shaw_acts_on_the_scores_alone() -> Verdict:
    """Shaw's relative positions act on the scores alone."""
    q, k, v = normal(0, 3, 1, 1, 6, HEAD_DIM)
    keys, values = normal(1, 2, 9, HEAD_DIM) / np.sqrt(HEAD_DIM)
    settings = {"there is no table for the values": None, "there is one, as in the paper": values}
    added = {}
    for setting, table in settings.items():
        output, weights = _weigh(q, k, v, Shaw(keys, table))
        added[setting] = largest(output - weights @ v)
    text = (
        "Largest difference of an output from the weighted sum of the values; on the scores alone "
        "means below 1e-9."
    )
    return judge(added, lambda part: part < SAME, text)
