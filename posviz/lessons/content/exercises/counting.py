"""Exercise: CoPE's position, counted by gates, and the table read between two rows."""

import numpy as np

from posviz.attention import softmax
from posviz.teaching.checker import Checker


def _gates(scores):
    return np.tril(1 / (1 + np.exp(-scores)))


def _counted(gates):
    """From each key up to the query, which is the last that has a gate."""
    return gates[:, ::-1].cumsum(axis=1)[:, ::-1]


def _bias(scores, by_row):
    return np.tril(_read(by_row, _counted(_gates(scores))))


def _read(by_row, positions):
    """Each row of the table counts by how near it is to the position."""
    below, above, part = _neighbours(by_row, positions)
    return (1 - part) * below + part * above


def _neighbours(by_row, positions):
    """The entries of by_row before and after the positions, and where between they lie."""
    last = by_row.shape[1] - 1
    positions = np.clip(positions, 0, last)
    rows = np.floor(positions).astype(int)
    below, above = (
        np.take_along_axis(by_row, r, axis=1) for r in (rows, np.ceil(positions).astype(int))
    )
    return below, above, positions - rows


def _cope_inputs(rng, size):
    """Tables that are long enough, and others."""
    length = 2 + size
    rows = 3 + size // 3
    return rng.normal(size=(length, length)) + 0.5, rng.normal(size=(length, rows))


# The answer is a function (scores [len, len], scaled, by_row [len, rows], each query times each row
# of the table) -> bias [len, len], rows are queries, 0 for keys ahead.
check_cope = Checker(
    "The positions of CoPE",
    reference=_bias,
    inputs=_cope_inputs,
    edges=[
        # Three open gates, and a table of two rows: it ends at position 1.
        (np.full((3, 3), 2.0), np.array([[1.0, 3.0], [2.0, -1.0], [0.5, 4.0]])),
        (np.array([[1.0]]), np.array([[2.0, 5.0, 6.0]])),  # one token
    ],
)


@check_cope.mistake("summed from the first key")
def _(scores, by_row):
    """You counted from the first key up to each key. A position says how far back a key lies:
    count from the key up to the query, which is a cumulative sum from the other side."""
    return np.tril(_read(by_row, _gates(scores).cumsum(axis=1)))


@check_cope.mistake("keys ahead counted")
def _(scores, by_row):
    """You counted keys after the query, too. Set their gates to 0 before you sum: np.tril."""
    return np.tril(_read(by_row, _counted(1 / (1 + np.exp(-scores)))))


@check_cope.mistake("key's own gate left out")
def _(scores, by_row):
    """You counted from the key after. The key's own gate counts: the sum goes from j to i."""
    gates = _gates(scores)
    return np.tril(_read(by_row, _counted(gates) - gates))


@check_cope.mistake("query's own gate left out")
def _(scores, by_row):
    """You counted up to the token before the query. The query's own gate counts: the sum goes from
    j to i."""
    return np.tril(_read(by_row, _counted(np.tril(_gates(scores), -1))))


@check_cope.mistake("floor only")
def _(scores, by_row):
    """You took the row below alone. A position of 2.75 is three quarters of the way to row 3: mix
    the two; or else no gradient would reach the gates."""
    return np.tril(_neighbours(by_row, _counted(_gates(scores)))[0])


@check_cope.mistake("ceil only")
def _(scores, by_row):
    """You took the row above alone. Mix it with the one below, by where the position lies between
    the two."""
    return np.tril(_neighbours(by_row, _counted(_gates(scores)))[1])


@check_cope.mistake("rounded to the nearest")
def _(scores, by_row):
    """You took the nearest row alone. Mix the two that the position lies between."""
    return np.tril(_read(by_row, np.round(_counted(_gates(scores)))))


@check_cope.mistake("parts swapped")
def _(scores, by_row):
    """You exchanged the two parts. At 2.75 row 3 is nearer and has 0.75, the part behind the point:
    p − ⌊p⌋ belongs to the row above."""
    below, above, part = _neighbours(by_row, _counted(_gates(scores)))
    return np.tril(part * below + (1 - part) * above)


@check_cope.mistake("halves")
def _(scores, by_row):
    """You took the mean of the two rows. Each counts by how near it is: 1 − f for the one below and
    f for the one above, f = p − ⌊p⌋."""
    below, above, _ = _neighbours(by_row, _counted(_gates(scores)))
    return np.tril((below + above) / 2)


@check_cope.harmless_on("not cut off")
def _(rng, size):
    """Your answer is right while the table is long enough. A position beyond its last row is read
    at the last row: np.clip or np.minimum."""
    scores, _ = _cope_inputs(rng, size)
    return scores, rng.normal(size=(len(scores), len(scores) + 2))


@check_cope.mistake("one row too few")
def _(scores, by_row):
    """You cut positions off one row before the last. Rows count from 0, so the largest position is
    the number of rows − 1."""
    positions = np.clip(_counted(_gates(scores)), 0, by_row.shape[1] - 2)
    return np.tril(_read(by_row, positions))


@check_cope.mistake("from the start again")
def _(scores, by_row):
    """Beyond the table you began again at its first row. What is beyond the last row is read
    there: np.clip or np.minimum."""
    return np.tril(_read(by_row, _counted(_gates(scores)) % (by_row.shape[1] - 1)))


@check_cope.mistake("0 beyond the table")
def _(scores, by_row):
    """Beyond the table your bias is 0. What is beyond the last row is read there: np.clip or
    np.minimum."""
    positions = _counted(_gates(scores))
    return np.where(positions <= by_row.shape[1] - 1, _bias(scores, by_row), 0.0)


@check_cope.mistake("gates without the sigmoid")
def _(scores, by_row):
    """You summed the scores themselves. A gate is σ(score), between 0 and 1."""
    return np.tril(_read(by_row, _counted(np.tril(scores))))


@check_cope.mistake("softmax for the sigmoid")
def _(scores, by_row):
    """Your gates share out 1 among all keys, so nothing can be counted. Each key has a gate of its
    own: σ(score)."""
    weights = softmax(np.where(np.tri(len(scores)), scores, -np.inf))
    return np.tril(_read(by_row, _counted(weights)))


@check_cope.mistake("all gates open")
def _(scores, by_row):
    """You counted every token, so that is a plain relative position, i − j + 1. A token counts by
    its gate, σ(score)."""
    return np.tril(_read(by_row, _counted(np.tri(len(scores)))))


@check_cope.mistake("positions returned")
def _(scores, by_row):
    """Those are the positions. Read the table there: by_row at the rows before and after."""
    return _counted(_gates(scores))


@check_cope.mistake("added to the scores")
def _(scores, by_row):
    """You returned the new scores. The bias alone is asked for."""
    return np.tril(scores) + _bias(scores, by_row)


@check_cope.mistake("keys ahead not 0")
def _(scores, by_row):
    """Ahead of the query the count is 0, and you read the table there. A mask hides these keys;
    return 0: np.tril."""
    return _read(by_row, _counted(_gates(scores)))
