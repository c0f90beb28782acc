"""Positions that CoPE counts: how many tokens that matter stand between a key and its query."""

import numpy as np
from matplotlib.figure import Figure

from posviz.encodings.cope import cope_gates, cope_positions
from posviz.pictures.knobs import choice, integer, real, text
from posviz.pictures.parts import Curve, Text, broken, legend_above, whole
from posviz.pictures.picture import Arrays, Picture
from posviz.pictures.tokens import ENDS, are, is_word, label_tokens, short, tokens_of
from posviz.wording import shortened

MOST = 80  # tokens
WORD = "the word"


class CountedPositions(Picture):
    """CoPE: a position is how many tokens that matter were counted, and may be a fraction."""

    size = (8.0, 4.2)
    paper_size = (3.3, 3.4)

    sentence = text("It rained. So we stayed in and we read. Then we left", redraw=True)
    counts = choice("full stops", options=("every token", "words", "full stops", WORD))
    word = text("we", max_length=20, when={"counts": (WORD,)}, label="word or mark")
    sharpness = real(4, low=0, high=10, step=0.1, play=True)
    query = integer(
        13,
        low=0,
        high=MOST - 1,
        until=lambda p: len(tokens_of(p.sentence)) - 1,
        label="query (token)",
    )

    def compute(self) -> Arrays:
        """Return the query's gates and positions [keys up to it], and its distances [keys].

        The scores are ±sharpness: a gate is σ(sharpness) where the query counts and
        σ(−sharpness) elsewhere. counted: which keys it counts [keys].
        """
        tokens, query = tokens_of(self.sentence), self.held("query")
        counted = np.array(self._counted(tokens))[: query + 1]
        distance = query - np.arange(query + 1)
        gates = cope_gates(np.where(counted, self.sharpness, -self.sharpness), distance)
        return self.arrays(
            tokens=tokens,
            counted=counted,
            distance=distance,
            gates=gates,
            positions=cope_positions(gates),
        )

    def _counted(self, tokens):
        """Which tokens are counted [tokens]."""
        if self.counts == WORD:
            return are(tokens, self.word)
        counts = {
            "every token": lambda token: True,
            "words": is_word,
            "full stops": ENDS.__contains__,
        }[self.counts]
        return [counts(token) for token in tokens]

    def draw(self, figure: Figure) -> list:
        """The gate of each token; below it what is counted from there to the query."""
        tokens = tokens_of(self.sentence)
        gates, row = figure.subplots(2, 1, sharex=True, height_ratios=(1, 2.4))
        stems = Curve(gates, "C2-", _stems, stroke=2.5)
        heads = Curve(gates, "C2o", lambda a: (range(len(a.gates)), a.gates), "gate")
        far = Curve(row, "C1s--", lambda a: (range(len(a.gates)), a.distance), "distance")
        counted = Curve(row, "C0o-", lambda a: (range(len(a.gates)), a.positions), "counted")
        gates.set(ylabel="gate", ylim=(0, 1.1), yticks=(0, 1))
        gates.tick_params(labelbottom=False)
        room = len(tokens)
        row.set(xlim=(-0.5, room - 0.5), ylim=(-0.04 * room, 1.04 * room))
        row.set(ylabel="position", xlabel="key")
        whole(row.yaxis, most=4)
        label_tokens(row.xaxis, tokens, 0.85 * figure.get_size_inches()[0], rotation=90)
        legend_above(figure, [heads, counted, far])
        corner = {"transform": row.transAxes, "ha": "right", "va": "top"}
        first = Text(row, 1, 1, lambda a: f"first key: {a.positions[0]:.2f}", color="C0", **corner)
        return [stems, heads, far, counted, first]

    def caption(self, arrays: Arrays) -> str:
        """How far the first key is, by counting and by distance, and who makes the count."""
        query, position = len(arrays.gates) - 1, arrays.positions[0]
        held = " (the last)" * bool("query" in arrays.beyond)
        what = arrays.counts
        if what == WORD:
            what = f"“{shortened(arrays.word.strip())}”"
        own, others = (arrays.gates[which].sum() for which in (arrays.counted, ~arrays.counted))
        return (
            f"From token {query}{held}, “{short(arrays.tokens[query])}”, back to token 0 the "
            f"distance is {query} and the position, counting {what}, {position:.2f}: "
            f"{own:.2f} from the {arrays.counted.sum()} counted and {others:.2f} from the "
            f"{(~arrays.counted).sum()} others, so that the table is read {_rows(position)}."
        )


def _stems(arrays):
    """An upright line for the gate of each token up to the query."""
    at = np.arange(len(arrays.gates), dtype=float)
    feet, heads = np.stack([at, 0 * at], 1), np.stack([at, arrays.gates], 1)
    return broken(np.stack([feet, heads], 1))


def _rows(position):
    if position.is_integer():
        return f"at row {position:.0f}"
    return f"between rows {np.floor(position):.0f} and {np.ceil(position):.0f}"
