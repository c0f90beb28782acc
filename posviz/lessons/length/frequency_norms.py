"""Which pairs the heads of a trained model lean on: those that rotate fast, or hardly at all."""

import numpy as np
from matplotlib.figure import Figure

from posviz.encodings.frequencies import wavelengths
from posviz.models.reading import pair_norms
from posviz.models.real import FREQUENCIES, head_norms
from posviz.pictures.knobs import integer, log
from posviz.pictures.layouts import beside
from posviz.pictures.parts import (
    Curve,
    Map,
    Rule,
    greyed,
    legend_above,
    on_colours,
    row_outline,
    whole,
)
from posviz.pictures.picture import Arrays, Picture
from posviz.pictures.style import PLAIN

TEXT = "for key in keys: print(key, keys[key])"  # that a given model reads


class FrequencyNorms(Picture):
    """Which pairs every head leans on: those that rotate within the trained length, or others?

    `given` is a model that turns its queries and keys, as `posviz.load_model("~/models/…")`
    returns it; it stands in for SmolLM2, of which the norms of two sentences are stored.
    """

    size = (8.0, 3.8)
    paper_size = (3.3, 4.6)

    layer = integer(1, low=0, high=127, until=lambda p: len(p._shares) - 1)
    head = integer(1, low=0, high=127, until=lambda p: len(p._shares[0]) - 1)
    within = log(8192, low=6.3, high=100_000, play=True, label="one rotation within (tokens)")

    def __init__(self, given=None, **knobs):
        self.given_data = () if given is None else ("given",)
        if given is None:
            self._name, (q, k) = "SmolLM2-135M", head_norms()
            self._turns = np.tile(wavelengths(FREQUENCIES), (len(q), 1))
        elif any(given.rotary):
            self._name, (q, k, self._turns) = given.name, _read(given)
        else:
            raise ValueError(f"given must show how queries and keys turn; {given.name} does not")
        with np.errstate(invalid="ignore"):
            self._shares = q * k / np.nansum(q * k, axis=-1, keepdims=True)
        self._norms = q, k
        super().__init__(**knobs)  # a knob ends where the data do

    def compute(self) -> Arrays:
        """Return of the chosen head how long q and k are in each pair; of all, what they reach.

        norms: q and k against the pair; shares [layers · heads, pairs]; fast: how many pairs
        rotate fully, and share: their part of the chosen head's reach.
        """
        at = self.layer, self.head
        row = self.layer * len(self._shares[0]) + self.head
        rows = self._shares.reshape(-1, self._shares.shape[-1])
        fast = int((self._turns[self.layer] <= self.within).sum())
        return self.arrays(
            name=self._name,
            norms=[(np.arange(x.shape[-1]), x[at]) for x in self._norms],
            shares=rows,
            row=row,
            outline=row_outline(rows, row),
            fast=fast,
            edge=fast - 0.5,
            share=rows[row, :fast].sum(),
        )

    def draw(self, figure: Figure) -> list:
        """The norms of the chosen head by pair, and the shares of all heads."""
        layers, heads, pairs = self._shares.shape
        norms, shares = beside(figure)
        lines = [
            Curve(norms, "C0o-", "norms[0]", "query"),
            Curve(norms, "C1s--", "norms[1]", "key"),
            Rule(norms, {"color": "C6"}, "edge", "left of it: full rotations"),
        ]
        longest = 1.08 * np.nanmax(self._norms)
        norms.set(xlim=(-0.5, pairs - 0.5), ylim=(0, longest), ylabel="mean norm")
        steps, largest = (0.1, 0.2, 0.4, 0.6, 0.8, 1.0), min(np.nanmax(self._shares), 1)
        top = next(step for step in steps if step >= largest)
        look = {"cmap": greyed(PLAIN), "limits": (0, top), "most": (layers * heads, pairs)}
        rows = Map(shares, "shares", **look)
        chosen = on_colours(shares, "outline", clip_on=False)
        shown = range(0, layers * heads, -(-layers * heads // 8))
        shares.set_yticks(shown, labels=["{}.{}".format(*divmod(row, heads)) for row in shown])
        norms.set_title("the chosen head")
        shares.set(title="all heads", ylabel="layer.head")
        for axes in (norms, shares):
            axes.set_xlabel("pair, fastest first")
            whole(axes.xaxis)
        figure.colorbar(rows.image, ax=shares, ticks=(0, top / 2, top), label="share of reach")
        legend_above(figure, lines)
        return [*lines, rows, *chosen]

    def caption(self, arrays: Arrays) -> str:
        told = f"In {arrays.name}, layer {arrays.layer} head {arrays.head}"
        own = arrays.shares[arrays.row]
        if np.isnan(own).all():
            return f"{told} rotates nothing."
        return (
            f"{told} has {arrays.share:.0%} of its reach in the {arrays.fast} of {len(own)} pairs "
            f"that rotate fully within {arrays.within:,.0f} tokens."
        )


def _read(model):
    """Mean norms of q and k in each pair [layers, heads, pairs], NaN where nothing turns.

    And how long a turn takes, [layers, pairs] in tokens. The first token is left out: its key is
    apart, in most heads of large models close to 0.
    """
    reading = model.read(model.ids(TEXT))
    layers, heads = reading.weights.shape[:2]
    turning = {at: rotary.frequencies.inv_freq for at, rotary in enumerate(model.rotary) if rotary}
    pairs = max(map(len, turning.values()))
    q, k = np.full((2, layers, heads, pairs), np.nan)
    turns = np.full((layers, pairs), np.inf)
    for at, inv_freq in turning.items():
        own = slice(len(inv_freq))
        for into, x in ((q, reading.q), (k, reading.k)):
            into[at, :, own] = pair_norms(x[at, :, 1:], model.rotary[at])
        turns[at, own] = wavelengths(inv_freq)
    return q, k, turns
