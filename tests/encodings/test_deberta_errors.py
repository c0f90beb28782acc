"""What DeBERTa refuses, and in which words."""

import numpy as np
import pytest
import torch

from posviz.encodings.deberta import DeBERTa, deberta_bucket, deberta_scores

X, TABLE, APART = np.ones((2, 3, 4, 6)), np.ones((3, 8, 6)), np.zeros((4, 4), int)


def scores(q=X, k=X, key=TABLE, query=TABLE, apart=APART, **settings):
    return deberta_scores(q, k, key, query, apart, **settings)


def at_scores(q_positions, k_positions):
    return DeBERTa(TABLE, TABLE).at_scores(X[..., :4], X, X, q_positions, k_positions)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: deberta_bucket([0.5], None, 4), TypeError, "offsets must be integers"),
        (lambda: deberta_bucket([0], None, 0), ValueError, "max_position must be at least 1"),
        (lambda: deberta_bucket([0], 3, 9), ValueError, "bucket_size must be at least 4"),
        (lambda: deberta_bucket([0], 1025, 9999), ValueError, "bucket_size must be at most 1024"),
        (lambda: deberta_bucket([0], 8, 5), ValueError, "max_position must be at least 6"),
        (lambda: deberta_bucket([0], 8, None), TypeError, "max_position must be an integer"),
        (lambda: scores(k=X[:, :1]), ValueError, r"q and k must be .* k \(2, 1, 4, 6\)"),
        (lambda: scores(k=X[..., 1:]), ValueError, "q and k must be"),
        (lambda: scores(key=TABLE[1:]), ValueError, r"must be \[3, 2k, 6\] beside q"),
        (lambda: scores(query=TABLE[:, 2:]), ValueError, r"2 × max_position, head_dim\], got"),
        (lambda: scores(key=TABLE[:, 1:], terms=("c2p",)), ValueError, "2 × max_position"),
        (lambda: scores(max_position=3), ValueError, "for max_position 3"),
        (lambda: scores(bucket_size=8, max_position=90), ValueError, "for bucket_size 8"),
        (lambda: scores(bucket_size=4), ValueError, "max_position must be given with bucket_size"),
        (lambda: scores(key=None), ValueError, "position_key must be given for the term 'c2p'"),
        (lambda: scores(terms="c2p"), ValueError, "terms must be"),
        (lambda: scores(terms=(["c2p"],)), ValueError, r"terms must be .* got \(\['c2p'\],\)"),
        (lambda: scores(terms=()), ValueError, "terms must be"),
        (lambda: scores(terms=("c2p", "p2p")), ValueError, "terms must be .* got"),
        (lambda: scores(terms=("c2p", "c2p")), ValueError, "terms must be"),
        (lambda: scores(p2c="book"), ValueError, "p2c must be one of 'code', 'paper'"),
        (lambda: scores(apart=APART[1:]), ValueError, r"offsets must be \[4, 4\]"),
        (lambda: scores(apart=APART + 0.5), TypeError, "offsets must be integers"),
        (lambda: scores(key=torch.ones(3, 8, 6)), TypeError, "q, k, position_key, position_query"),
        (lambda: DeBERTa(TABLE), ValueError, "position_query must be given"),
        (lambda: DeBERTa(TABLE, TABLE[0]), ValueError, "must be .* head_dim"),
        (lambda: DeBERTa(TABLE, TABLE, 4, 3), ValueError, "max_position must be at least 4"),
        (lambda: DeBERTa(TABLE, TABLE, 4), ValueError, "max_position must be given with bucket_s"),
        (lambda: DeBERTa(TABLE, TABLE, terms=(["c2p"],)), ValueError, "terms must be 'c2p', 'p2c'"),
        (lambda: DeBERTa(TABLE, TABLE, p2c="x"), ValueError, "p2c must be one of"),
        (lambda: DeBERTa(TABLE, TABLE.astype("f")), TypeError, "must share one dtype"),
        (lambda: at_scores(np.arange(4.0), range(4)), TypeError, "q_positions must be integers"),
        (lambda: at_scores(range(4), [0, 1, 2, 0.5]), TypeError, "k_positions must be integers"),
        (
            lambda: DeBERTa(*[torch.ones(3, 8, 6)] * 2).at_scores(X, X, X, range(4), range(4)),
            TypeError,
            "position_key must be a NumPy array",
        ),
    ],
)
def test_bad_input_is_named(call, error, message):
    with pytest.raises(error, match=message):
        call()
