"""Claims: what Transformer-XL, T5 and DeBERTa do to the scores."""

import numpy as np

from posviz.attention import softmax
from posviz.choosing.rows import parameters_of
from posviz.encodings.deberta import DeBERTa, deberta_bucket, deberta_scores
from posviz.encodings.doors import NoPosition
from posviz.encodings.relative import offsets
from posviz.encodings.sinusoidal import sinusoidal
from posviz.encodings.t5 import T5, t5_bucket
from posviz.encodings.transformer_xl import TransformerXL, rel_shift, transformer_xl_scores
from posviz.teaching.ledger import Verdict, claim, judge, shown
from posviz.teaching.measures import SAME, largest, normal

LEN, HEAD_DIM = 16, 64


def _weights(scores: np.ndarray) -> np.ndarray:
    return softmax(NoPosition().scale(HEAD_DIM) * scores)


def _waves() -> np.ndarray:
    """R: the sinusoid of each offset [1, len, 64], from the farthest behind to 0."""
    return sinusoidal(np.arange(LEN)[::-1], HEAD_DIM, layout="concatenated")[None]


def _projections() -> np.ndarray:
    """W_Q, W_K and W_KR [3, 64, 64]."""
    return normal(1, 3, HEAD_DIM, HEAD_DIM) / np.sqrt(HEAD_DIM)


def _words() -> np.ndarray:
    return normal(0, 1, 1, LEN, HEAD_DIM)


def _u_and_v() -> np.ndarray:
    return normal(2, 2, 1, HEAD_DIM)


def _true_weights(w_r: np.ndarray) -> np.ndarray:
    w_q, w_k, _ = _projections()
    return _weights(
        transformer_xl_scores(_words() @ w_q, _words() @ w_k, _waves() @ w_r, *_u_and_v())
    )


def _as_often_written() -> dict[str, np.ndarray]:
    """The terms of q·(k + R) + U·x_i + V·x_j, each [1, 1, len, len], with R projected and
    V·x_j = u·k_j, as in the paper; keys after the query are −∞."""
    w_q, w_k, w_r = _projections()
    q, k = _words() @ w_q, _words() @ w_k
    by_query, by_key = (x @ _u_and_v()[0].T for x in (q, k))
    return {
        "q·k": q @ k.mT,
        "q·R": rel_shift(q @ (_waves() @ w_r).mT),
        "U·x_i": np.broadcast_to(by_query, (1, 1, LEN, LEN)),
        "V·x_j": np.broadcast_to(by_key.mT, (1, 1, LEN, LEN)),
    }


@claim("Transformer-XL", sources=("dai2019transformerxl",))
def every_term_counts() -> Verdict:
    """In the score q·(k + R) + U·x_i + V·x_j, as it is often written, every term counts."""
    terms = _as_often_written()
    hidden = np.where(np.isinf(terms["q·R"]), -np.inf, 0)
    whole, changes = _weights(np.sum(list(terms.values()), axis=0)), {}
    for dropped in terms:
        rest = np.sum([term for name, term in terms.items() if name != dropped], axis=0)
        changes[f"the term is {dropped}"] = largest(_weights(rest + hidden) - whole)
    text = (
        "Largest change of a weight, of 16 words, when the term is left out; to count means above "
        "1e-9. U·x_i adds one number to a whole row, which the softmax divides out."
    )
    return judge(changes, lambda change: change > SAME, text)


@claim("Transformer-XL", sources=("dai2019transformerxl",))
def the_often_written_score_is_the_right_one() -> Verdict:
    """The score of Transformer-XL is q·(k + R) + U·x_i + V·x_j."""
    _, _, w_r = _projections()
    written = _weights(np.sum(list(_as_often_written().values()), axis=0))
    text = (
        "Largest difference of a weight from (q + u)·k + (q + v)·R, with V·x_j = u·k; the right "
        "one means below 1e-9. What the formula lacks is v·R."
    )
    difference = {"R is projected by W_KR": largest(written - _true_weights(w_r))}
    return judge(difference, lambda difference: difference < SAME, text)


@claim("Transformer-XL", sources=("dai2019transformerxl",))
def contents_and_offsets_share_a_projection() -> Verdict:
    """In Transformer-XL, the same W_K projects the words and the offsets."""
    _, w_k, w_r = _projections()
    change = largest(_true_weights(w_k) - _true_weights(w_r))
    text = (
        "Largest change of a weight, of 16 words, when W_K takes the place of W_KR, the matrix "
        "that Transformer-XL has for the offsets; the same means below 1e-9."
    )
    return judge({"both matrices are random": change}, lambda change: change < SAME, text)


@claim(
    "Transformer-XL", sources=("dai2019transformerxl",), section="What does Transformer-XL learn?"
)
def the_relative_encodings_are_learned() -> Verdict:
    """Transformer-XL learns its relative encodings R."""
    nothing, positions = np.zeros((1, 1, LEN, HEAD_DIM)), np.arange(LEN)
    found = []
    for column in np.eye(HEAD_DIM)[:, None]:  # v reads one column of R off the scores
        encoding = TransformerXL(np.eye(HEAD_DIM), 0 * column, column)
        scores = encoding.at_scores(
            np.zeros((1, 1, LEN, LEN)), nothing, nothing, positions, positions
        )
        found.append(scores[0, 0, -1] / encoding.scale(HEAD_DIM))
    text = (
        "Largest difference of R, read off the scores with W_KR the identity, from the sinusoid "
        "of the offset; learned means above 1e-9. Dai et al. 2019, section 3.3: R is a sinusoid "
        "without learnable parameters. Learned are W_KR, u and v."
    )
    difference = {"the offset is 0 … 15": largest(np.transpose(found) - _waves()[0])}
    return judge(difference, lambda difference: difference > SAME, text)


@claim("Transformer-XL", sources=("dai2019transformerxl",))
def its_parameters_grow_with_the_length() -> Verdict:
    """The positions of Transformer-XL cost L · d_model parameters in each layer."""
    d_model, heads = 1024, 16
    w_r = np.broadcast_to(np.float32(0), (d_model, d_model))
    u_and_v = np.zeros((2, heads, d_model // heads), np.float32)
    count = parameters_of(TransformerXL(w_r, *u_and_v))
    claimed = {length: length * d_model for length in (512, 1024, 4096)}
    shares = {f"L = {length}": count / cost for length, cost in claimed.items()}
    text = (
        f"Parameters as a multiple of L · d_model, d_model = 1024. They are {shown(count)} for any "
        "L, in W_KR, u and v; L · d_model is {}, {} and {}."
    )
    return judge(shares, lambda share: share == 1, text.format(*map(shown, claimed.values())))


SIDES = {"keys come before and after (encoder)": True, "keys come before alone (decoder)": False}


@claim("T5", sources=("raffel2020t5", "t5code"))
def all_buckets_are_used() -> Verdict:
    """T5 uses all of its 32 buckets."""
    apart = np.arange(-1000, 1001)
    used = {
        setting: np.unique(t5_bucket(apart, bidirectional=both)) for setting, both in SIDES.items()
    }
    empty = ", ".join(map(str, np.setdiff1d(np.arange(32), next(iter(used.values())))))
    text = f"Buckets of the offsets −1000 … 1000; empty in the encoder: {empty}."
    counts = {setting: len(buckets) for setting, buckets in used.items()}
    return judge(counts, lambda count: count == 32, text)


@claim("T5", sources=("raffel2020t5", "t5code"), section="7 T5: one number again")
def distances_are_told_apart_up_to_128() -> Verdict:
    """T5 tells distances apart up to 128, and lumps together those beyond."""
    distances = np.arange(1001)
    starts = {
        setting: int(np.searchsorted(buckets, buckets[-1]))
        for setting, both in SIDES.items()
        for buckets in [t5_bucket(distances, bidirectional=both)]
    }
    text = (
        "The smallest distance in the last bucket, max_distance = 128, 32 buckets. Raffel et al. "
        "2020, section 2.1, name 128 themselves; their released code saturates earlier."
    )
    return judge(starts, lambda start: start == 128, text)


@claim("T5", sources=("raffel2020t5", "t5code"))
def t5_divides_by_the_root() -> Verdict:
    """T5 divides q·k by √head_dim, as other Transformers do."""
    factor = T5(np.zeros((32, 1))).scale(HEAD_DIM)
    text = (
        "The factor of q·k, head_dim = 64; divided by √64 means 0.125. The released code of Raffel "
        "et al. 2020 leaves the division out, and starts with smaller weights instead."
    )
    return judge({"the model is T5": factor}, lambda factor: abs(factor - 0.125) < SAME, text)


@claim("DeBERTa", sources=("he2021deberta",))
def deberta_clips_above() -> Verdict:
    """DeBERTa clips offsets to (−k, k], which are −3 … 4 for k = 4."""
    ends = {
        "the key is 100 tokens before the query": int(deberta_bucket(100, None, 4)),
        "it is 100 tokens after the query": int(deberta_bucket(-100, None, 4)),
    }
    text = "Offset after clipping, query position − key position, k = 4; as claimed means 4 or −3."
    return judge(ends, lambda end: end in (4, -3), text)


TERMS: dict[str, tuple[str, ...]] = {
    "position meets content, too (c2p and p2c)": ("c2p", "p2c"),
    "content meets position alone (c2p)": ("c2p",),
}


def _deberta(terms: tuple[str, ...]) -> DeBERTa:
    table = np.zeros((1, 2, HEAD_DIM))
    return DeBERTa(table, table, terms=terms)


@claim("DeBERTa", sources=("he2021deberta", "debertacode"))
def deberta_divides_by_the_root_of_3_d() -> Verdict:
    """DeBERTa divides its scores by √(3 · head_dim)."""
    factors = {
        setting: _deberta(terms).scale(HEAD_DIM) ** -2 / HEAD_DIM
        for setting, terms in TERMS.items()
    }
    text = "What stands before head_dim under the root; 3 means within 1e-9."
    return judge(factors, lambda factor: abs(factor - 3) < SAME, text)


@claim("DeBERTa", sources=("he2021deberta",))
def three_terms_are_three_times_as_wide() -> Verdict:
    """Since DeBERTa adds up three terms, its scores spread three times as far."""
    draws = 20_000  # as heads, so that each has its own vectors
    q, k = normal(3, 2, 1, draws, 1, HEAD_DIM)
    position_key, position_query = normal(4, 2, draws, 2, HEAD_DIM)
    scores = deberta_scores(q, k, position_key, position_query, [[0]])
    wide = float(scores.std() / np.sqrt(HEAD_DIM))
    text = (
        "Standard deviation of 20 000 scores, divided by √head_dim = 8, which is that of q·k "
        "alone; three times means within 0.1. Variances add up, which makes √3: divided by "
        f"√(3 · head_dim) it is {shown(wide / np.sqrt(3))}."
    )
    return judge({"all entries are random": wide}, lambda wide: abs(wide - 3) < 0.1, text)


@claim("DeBERTa", sources=("he2021deberta", "debertacode"))
def the_code_is_the_paper() -> Verdict:
    """The released code of DeBERTa computes the scores of the paper."""
    q, k = normal(3, 2, 1, 1, LEN, HEAD_DIM)
    keys, queries = normal(4, 2, 1, 8, HEAD_DIM)
    apart = offsets(np.arange(LEN), np.arange(LEN))
    differences = {}
    for setting, terms in TERMS.items():
        code, paper = (
            deberta_scores(q, k, keys, queries, apart, terms=terms, p2c=p2c)
            for p2c in ("code", "paper")
        )
        differences[setting] = _deberta(terms).scale(HEAD_DIM) * largest(code - paper)
    text = (
        "Largest difference of a scaled score, of 16 random words; the same means below 1e-9. For "
        "a key, the paper takes row δ(j, i) and the code row δ(i, j)."
    )
    return judge(differences, lambda difference: difference < SAME, text)
