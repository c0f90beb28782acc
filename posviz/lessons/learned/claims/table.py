"""Claims: what a trained table holds, and what it costs."""

import numpy as np

from posviz.attention import attend
from posviz.attention.masks import causal_mask
from posviz.choosing.rows import parameters_of
from posviz.encodings.alibi import Alibi
from posviz.encodings.doors import Encoding
from posviz.encodings.learned import Learned, learned
from posviz.encodings.relative import offsets
from posviz.encodings.rotary import Rotary
from posviz.encodings.sinusoidal import Sinusoidal, sinusoidal
from posviz.teaching.ledger import Verdict, claim, judge, shown
from posviz.teaching.measures import SAME, largest

ROWS, D_MODEL = 64, 64
STEP = 0.1  # learning rate


def _fresh(rows: int = ROWS, d_model: int = D_MODEL) -> np.ndarray:
    """A table before training, as GPT-2 starts with it: normal, standard deviation 0.02."""
    return np.random.default_rng(0).normal(scale=0.02, size=(rows, d_model))


def _answered(table: np.ndarray, positions: range, padding_offset: int = 0) -> list[int]:
    """The positions for which the table has a row."""
    found = []
    for position in positions:
        try:
            learned(table, position, padding_offset=padding_offset)
        except IndexError:
            continue
        found.append(position)
    return found


@claim("length", section="3 Beyond the table")
def the_table_extrapolates() -> Verdict:
    """A model with a learned table has an answer for texts longer than its table."""
    beyond = len(_answered(_fresh(512), range(512, 1024)))
    text = "Rows for the positions 512 … 1023 in a table of 512 rows; an answer needs all 512."
    return judge({"the table has 512 rows": beyond}, lambda rows: rows == 512, text)


@claim("length")
def a_missing_row_is_an_error() -> Verdict:
    """To ask a table for a position that it does not have ends in an error."""
    table = _fresh()
    wrapped = (table == table[-1]).all(axis=1)
    rows = {
        "the position is too large": len(_answered(table, range(ROWS, ROWS + 1))),
        "it is −1, asked of learned()": len(_answered(table, range(-1, 0))),
        "it is −1, asked of a plain array": int(wrapped.sum()),
    }
    text = (
        "Rows that come back; an error means none. A plain array counts −1 from the end: its "
        f"answer is row {wrapped.argmax()} of 0 … {ROWS - 1}."
    )
    return judge(rows, lambda rows: rows == 0, text)


@claim("length", sources=("transformers523",))
def rows_are_positions() -> Verdict:
    """A table of 2050 rows serves 2050 positions."""
    table = _fresh(2050, 2)
    served = {
        setting: _answered(table, range(2060), padding_offset)
        for setting, padding_offset in {
            "position 0 has row 0 (GPT-2, BERT)": 0,
            "two rows are kept for padding (OPT)": 2,
        }.items()
    }
    last = served["two rows are kept for padding (OPT)"][-1]
    text = f"Positions with a row, of 0 … 2059; in OPT {last} is the last, and {last + 1} has none."
    counts = {setting: len(positions) for setting, positions in served.items()}
    return judge(counts, lambda count: count == 2050, text)


def _table_of(rows: int, d_model: int) -> Learned:
    return Learned(np.broadcast_to(np.float32(0), (rows, d_model)))  # takes no memory


@claim("parameters", sources=("gehring2017convolutional",), section="What does a table cost?")
def a_table_costs_length_times_width() -> Verdict:
    """A learned table for L positions costs L · d_model parameters."""
    models = {
        "the model is BERT-base (L = 512)": (512, 512, 768),
        "the model is GPT-2 (L = 1024)": (1024, 1024, 768),
        "the model is OPT-125M (L = 2048)": (2048, 2050, 768),
    }
    counts = {setting: parameters_of(_table_of(*size)) for setting, (_, *size) in models.items()}
    more = {
        setting: counts[setting] - positions * d_model
        for setting, (positions, _, d_model) in models.items()
    }
    text = "Parameters beyond L · d_model; in all they are {}, {} and {}."
    return judge(more, lambda more: more == 0, text.format(*map(shown, counts.values())))


@claim("parameters", section="What does a table cost?")
def the_others_cost_nothing() -> Verdict:
    """Sinusoids, RoPE and ALiBi have no parameters."""
    encodings = {
        "positions are sinusoids": Sinusoidal(),
        "they are rotations (RoPE)": Rotary(),
        "they are linear biases (ALiBi)": Alibi(),
    }
    counts = {setting: parameters_of(encoding) for setting, encoding in encodings.items()}
    return judge(counts, lambda count: count == 0, "Learned numbers in the encoding.")


def _rest_of_gpt2(d_model: int, layers: int) -> int:
    """The parameters of GPT-2 without its table of positions; input and output share the words."""
    words, norm = 50_257 * d_model, 2 * d_model
    attention = d_model * 3 * d_model + 3 * d_model + d_model * d_model + d_model
    feed_forward = d_model * 4 * d_model + 4 * d_model + 4 * d_model * d_model + d_model
    return words + layers * (attention + feed_forward + 2 * norm) + norm


@claim("parameters", sources=("brown2020language",), section="What does a table cost?")
def the_table_is_a_large_part() -> Verdict:
    """The table of positions is a large part of a model."""
    sizes = {
        "it is GPT-2": (1024, 768, 12),
        "it is GPT-2 XL": (1024, 1600, 48),
        "it is GPT-2 with room for 131 072 tokens": (131_072, 768, 12),
    }
    parts, totals = {}, []
    for setting, (positions, d_model, layers) in sizes.items():
        own = parameters_of(_table_of(positions, d_model))
        totals.append(own + _rest_of_gpt2(d_model, layers))
        parts[setting] = 100 * own / totals[-1]
    text = "Percent of all parameters, which are {}, {} and {}; large means at least 10."
    return judge(parts, lambda part: part >= 10, text.format(*map(shown, totals)))


def _attend(x: np.ndarray, encoding: Encoding, *, causal: bool = False):
    """One head: outputs and weights of x [len, d_model], projections random."""
    positions = np.arange(len(x))
    projections = np.random.default_rng(1).normal(size=(3, D_MODEL, D_MODEL)) / np.sqrt(D_MODEL)
    outputs, weights = attend(
        x[None],
        *projections,
        num_heads=1,
        encoding=encoding,
        positions=positions,
        mask=causal_mask(positions, positions) if causal else None,
        return_weights=True,
    )
    return outputs[0], weights[0, 0]


def _words() -> np.ndarray:
    return np.random.default_rng(2).normal(size=(6, D_MODEL))


@claim("attention")
def a_row_acts_on_its_own_embedding() -> Verdict:
    """A positional vector acts on the embedding of its own token, not on attention."""
    other = _fresh()
    other[2] = 1
    changed = {}
    for setting, causal in {"there is no mask": False, "the mask is causal": True}.items():
        before, after = (
            _attend(_words(), Learned(table), causal=causal)[1] for table in (_fresh(), other)
        )
        changed[setting] = int((np.abs(after - before) > SAME).any(axis=1).sum())
    text = (
        "How many of six words share out their attention anew, by more than 1e-9, when the row of "
        "position 2 alone is another; not on attention means 0."
    )
    return judge(changed, lambda count: count == 0, text)


@claim("relative position", section="What can a table say about distance?")
def a_table_knows_no_offsets() -> Verdict:
    """A learned absolute table cannot express relative positions."""
    positions = np.arange(ROWS)
    by_offset = np.exp(-np.abs(offsets(positions, positions)) / 8)
    tables = {
        "its rows are random, as before training": _fresh(),
        "its rows are chosen for it": np.linalg.cholesky(by_offset),
    }
    spreads = {
        setting: float(np.ptp(np.diagonal(table @ table.T, -5)))
        for setting, table in tables.items()
    }
    text = (
        "Largest minus smallest product of two of 64 rows 5 positions apart, d_model = 64; above "
        "1e-9 it is not their offset that decides. The rows chosen have products "
        "e^(−|offset|/8): training may find such rows, but nothing makes it do so."
    )
    return judge(spreads, lambda spread: spread > SAME, text)


@claim("relative position")
def neighbours_are_similar_from_the_start() -> Verdict:
    """Neighbouring positions have similar rows from the start."""
    tables = {
        "the table is sinusoidal": sinusoidal(np.arange(512), D_MODEL),
        "it is learned": _fresh(512),
    }
    cosines = {}
    for setting, table in tables.items():
        directions = table / np.linalg.norm(table, axis=1, keepdims=True)
        cosines[setting] = float((directions[1:] * directions[:-1]).sum(axis=1).mean())
    text = (
        "Mean cosine of two neighbouring rows before training, of 512 rows, d_model = 64; similar "
        "means above 0.9."
    )
    return judge(cosines, lambda cosine: cosine > 0.9, text)


@claim("training")
def an_untrained_table_says_nothing() -> Verdict:
    """Before it is trained, a learned table tells attention nothing about the order."""
    x, order = _words(), np.array([3, 0, 5, 1, 4, 2])
    tables = {
        "its rows start at 0": np.zeros((6, D_MODEL)),
        "its rows start at random": _fresh(6),
    }
    residuals = {
        setting: largest(
            _attend(x[order], Learned(table))[0] - _attend(x, Learned(table))[0][order]
        )
        for setting, table in tables.items()
    }
    text = (
        "Largest difference between the outputs of six shuffled words and their shuffled outputs; "
        "nothing means below 1e-9. At random means a standard deviation of 0.02."
    )
    return judge(residuals, lambda residual: residual < SAME, text)


def _gradient(by_token: np.ndarray, positions: np.ndarray) -> np.ndarray:
    """The gradient by the table, from that by each token's x + p: by the chain rule a row gets
    the sum over the tokens at its position."""
    gradient = np.zeros((ROWS, by_token.shape[-1]))
    np.add.at(gradient, positions, by_token)
    return gradient


def _trained(length: int, *, steps: int = 10, decay: float = 0.0) -> np.ndarray:
    """A table after some steps towards targets y for x + p, loss ½Σ(x + p − y)²."""
    table, positions = _fresh(), np.arange(length)
    x, y = np.random.default_rng(3).normal(size=(2, length, D_MODEL))
    for _ in range(steps):
        by_token = Learned(table).at_input(x[None], positions)[0] - y
        table = table - STEP * (_gradient(by_token, positions) + decay * table)
    return table


@claim("training")
def training_moves_every_row() -> Verdict:
    """Training moves every row of the table."""
    moved = {
        f"the longest text has {length} tokens": int((_trained(length) != _fresh()).any(1).sum())
        for length in (48, ROWS)
    }
    text = "Rows that ten steps of gradient descent have changed, of a table of 64 rows."
    return judge(moved, lambda rows: rows == ROWS, text)


@claim("training")
def an_unused_row_stays() -> Verdict:
    """A row that no text reaches stays as it was before training."""
    changes = {
        setting: largest(_trained(48, decay=decay)[48:] / _fresh()[48:] - 1)
        for setting, decay in {"nothing decays": 0.0, "weights decay": 0.1}.items()
    }
    text = (
        "Largest change of an entry in the rows 48 … 63, as a part of it, after ten steps with "
        "texts of 48 tokens, learning rate 0.1, weight decay 0 or 0.1; stays means below 1e-9."
    )
    return judge(changes, lambda change: change < SAME, text)


@claim("training")
def every_row_sees_as_many_tokens() -> Verdict:
    """Every row learns from as many tokens as any other."""
    shares = {}
    for setting, lengths in {
        "all texts have 64 tokens": [ROWS] * ROWS,
        "there is one text of each length from 1 to 64": range(1, ROWS + 1),
    }.items():
        positions = np.concatenate([np.arange(length) for length in lengths])
        tokens = _gradient(np.ones((len(positions), 1)), positions)
        shares[setting] = float(tokens.min() / tokens.max())
    text = "Tokens at the row used least, as a part of those at the row used most, of 64 rows."
    return judge(shares, lambda share: share == 1, text)
