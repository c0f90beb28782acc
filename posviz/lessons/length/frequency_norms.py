"""Which pairs the heads of a trained model lean on: those that rotate fast, or hardly at all."""

import functools
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure

from posviz.encodings.frequencies import wavelengths
from posviz.models.reading import pair_norms
from posviz.models.real import FREQUENCIES, head_norms
from posviz.models.small import small_model
from posviz.pictures.knobs import choice, integer, log, text
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

MOST = 40  # tokens that are read
SMALL, LARGE = "small RoPE", "SmolLM2-135M"


class FrequencyNorms(Picture):
    """Which pairs every head leans on: those that rotate within the trained length, or others?

    `given` is a model that turns its queries and keys, as `posviz.load_model("~/models/…")`
    returns it; it stands in for the stored ones. Of SmolLM2 the norms of two sentences are stored.
    """

    size = (8.0, 3.8)
    paper_size = (3.3, 4.6)

    layer = integer(1, low=0, high=127, until=lambda p: len(p._seen().shares) - 1)
    head = integer(1, low=0, high=127, until=lambda p: len(p._seen().shares[0]) - 1)
    within = log(64, low=6.3, high=100_000, play=True, label="one rotation within (tokens)")
    model = choice(SMALL, options=(SMALL, LARGE), redraw=True, given="a model was given")
    text = text(
        "for key in keys: print(key, keys[key])", redraw=True, when={"model": (SMALL,)}, more=True
    )

    def __init__(self, given=None, **knobs):
        self._data = () if given is None else ("given",)
        if given is not None and not any(given.rotary):
            raise ValueError(f"given must show how queries and keys turn; {given.name} does not")
        self._given = given
        self._read = functools.lru_cache(maxsize=8)(_read)
        super().__init__(**knobs)  # a knob ends where the data do

    def _seen(self) -> "_HeadNorms":
        if self._given is None and self.model == LARGE:
            return _stored()
        return self._read(self._given or small_model("RoPE"), self.text)

    def compute(self) -> Arrays:
        """Return of the chosen head how long q and k are in each pair; of all, what they reach.

        norms: q and k against the pair; shares [layers · heads, pairs]; fast: how many pairs
        rotate fully, and fast_shares [layers · heads] their part.
        """
        seen, at = self._seen(), (self.layer, self.head)
        row = self.layer * seen.shares.shape[1] + self.head
        fast = int((seen.wavelengths[self.layer] <= self.within).sum())
        return self.arrays(
            name=seen.name,
            norms=[(np.arange(x.shape[-1]), x[at]) for x in seen.norms],
            shares=seen.rows,
            row=row,
            outline=row_outline(seen.rows, row),
            fast=fast,
            edge=fast - 0.5,
            fast_shares=seen.shares[..., :fast].sum(axis=-1),
        )

    def draw(self, figure: Figure) -> list:
        """The norms of the chosen head by pair, and the shares of all heads."""
        seen = self._seen()
        heads, pairs = seen.rows.shape
        norms, shares = beside(figure)
        lines = [
            Curve(norms, "C0o-", "norms[0]", "query"),
            Curve(norms, "C1s--", "norms[1]", "key"),
            Rule(norms, {"color": "C6"}, "edge", "left of it: full rotations"),
        ]
        norms.set(xlim=(-0.5, pairs - 0.5), ylim=(0, seen.longest), ylabel="mean norm")
        steps, largest = (0.1, 0.2, 0.4, 0.6, 0.8, 1.0), min(np.nanmax(seen.rows), 1)
        top = next(step for step in steps if step >= largest)
        colours: dict[str, Any] = {"cmap": greyed(PLAIN), "limits": (0, top)}
        rows = Map(shares, "shares", most=(heads, pairs), **colours)
        chosen = on_colours(shares, "outline", clip_on=False)
        shown = range(0, heads, -(-heads // 8))
        names = ["{}.{}".format(*divmod(row, seen.shares.shape[1])) for row in shown]
        shares.set_yticks(shown, labels=names)
        norms.set_title("the chosen head")
        shares.set(title="all heads", ylabel="layer.head")
        for axes in (norms, shares):
            axes.set_xlabel("pair, fastest first")
            whole(axes.xaxis)
        figure.colorbar(rows.image, ax=shares, ticks=(0, top / 2, top), label="share of reach")
        legend_above(figure, lines)
        return [*lines, rows, *chosen]

    def caption(self, arrays: Arrays) -> str:
        """The part of the chosen head's reach that is in the fast pairs."""
        told = f"In {arrays.name}, layer {arrays.layer} head {arrays.head}"
        own = arrays.shares[arrays.row]
        if np.isnan(own).all():
            return f"{told} rotates nothing."
        return (
            f"{told} has {arrays.fast_shares[arrays.layer, arrays.head]:.0%} of its reach in the "
            f"{arrays.fast} of {len(own)} pairs that rotate fully within {arrays.within:,.0f} "
            "tokens."
        )


class _HeadNorms(NamedTuple):
    """Of all heads: norms of q and k, shares of what they reach, and how long a turn takes.

    Shapes: norms, two of [layers, heads, pairs], and shares alike, NaN where nothing turns; rows:
    the same shares, [layers · heads, pairs]; wavelengths [layers, pairs], in tokens. longest: the
    end of the axis.
    """

    name: str
    norms: tuple[np.ndarray, np.ndarray]
    shares: np.ndarray
    rows: np.ndarray
    wavelengths: np.ndarray
    longest: float


def _read(model, text) -> _HeadNorms:
    ids = model.ids(text or " ")[:MOST]
    reading = model.read(ids)
    first = min(1, len(ids) - 1)  # its key is apart: in most heads of large models close to 0
    layers, heads = reading.weights.shape[:2]
    turning = {at: rotary.frequencies.inv_freq for at, rotary in enumerate(model.rotary) if rotary}
    pairs = max(map(len, turning.values()))
    q, k = np.full((2, layers, heads, pairs), np.nan)
    turns = np.full((layers, pairs), np.inf)
    for at, inv_freq in turning.items():
        own = slice(len(inv_freq))
        for into, x in ((q, reading.q), (k, reading.k)):
            into[at, :, own] = pair_norms(x[at, :, first:], model.rotary[at])
        turns[at, own] = wavelengths(inv_freq)
    return _measured(model.name, q, k, turns)


@functools.cache
def _stored() -> _HeadNorms:
    q, k = head_norms()
    return _measured(LARGE, q, k, np.tile(wavelengths(FREQUENCIES), (len(q), 1)))


def _measured(name, q, k, turns) -> _HeadNorms:
    with np.errstate(invalid="ignore"):
        shares = q * k / np.nansum(q * k, axis=-1, keepdims=True)
    rows, longest = shares.reshape(-1, shares.shape[-1]), 1.08 * np.nanmax([q, k])
    return _HeadNorms(name, (q, k), shares, rows, turns, longest)
