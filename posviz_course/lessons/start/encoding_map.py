"""The map of the course: every encoding at its door, with its formula."""

from typing import NamedTuple

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure

from posviz.pictures.knobs import Choice, Switch
from posviz.pictures.parts import Curve, Other, Text, broken, wide
from posviz.pictures.picture import Arrays, Picture
from posviz_course import sources
from posviz_course.course import OF_TOPIC
from posviz_course.lessons.start.three_doors import DOOR_POINTS, blank, draw_doors


class Entry(NamedTuple):
    """An encoding on the map, with the key of its source in sources.bib.

    i is the query's position, j the key's, d is head_dim.
    """

    doors: tuple[str, ...]
    topic: str
    source: str
    formula: tuple[str, str]
    idea: str
    learns: str = "nothing"


# A row is read as a row.
# fmt: off
ENTRIES = {
    "none (NoPE)": Entry(("mask",), "order", "haviv2022transformer",
        ("score(i, j) = qᵢ·kⱼ/√d", "softmax over the keys j ≤ i"),
        "nothing is added, and only the causal mask tells early tokens from late ones"),
    "sinusoidal": Entry(("input",), "sinusoidal", "vaswani2017attention",
        ("xᵢ + p(i)", "p(i) = sin and cos of i·base^(−2m/d_model)"),
        "a fixed table of sines and cosines is added to the embeddings"),
    "learned": Entry(("input",), "learned", "gehring2017convolutional",
        ("xᵢ + table[i]", "one row for each position, up to the last"),
        "a trained table is added to the embeddings",
        "max_length × d_model numbers"),
    "Shaw": Entry(("scores", "values"), "relative", "shaw2018relative",
        ("score(i, j) = qᵢ·(kⱼ + aᴷ[i − j])/√d", "outputᵢ = Σ weight(i, j)·(vⱼ + aⱽ[i − j])"),
        "each offset, clipped at ±c, has a vector for the keys and one for the values",
        "2·(2c + 1) vectors"),
    "Transformer-XL": Entry(("scores",), "relative", "dai2019transformerxl",
        ("score(i, j) = ((qᵢ + u)·kⱼ + (qᵢ + v)·W r(i − j))/√d",
         "r: the sinusoidal encoding of the offset"),
        "the query meets the key and, apart from it, a sinusoidal encoding of the offset",
        "u, v and W"),
    "T5": Entry(("scores",), "relative", "raffel2020t5",
        ("score(i, j) = qᵢ·kⱼ + bias[bucket(i − j)]", "no 1/√d; far offsets share a bucket"),
        "each bucket of offsets has one number per head, added to the score",
        "32 numbers per head"),
    "DeBERTa": Entry(("scores",), "relative", "he2021deberta",
        ("score(i, j) = (qᵢ·kⱼ + qᵢ·kʳ[i − j] + kⱼ·qʳ[j − i])/√(3d)",
         "kʳ and qʳ: one vector for each offset"),
        "content meets content, content meets offset, and offset meets content",
        "one vector per offset, and projections"),
    "RoPE": Entry(("query and key",), "rotary", "su2021roformer",
        ("score(i, j) = (R(i) qᵢ)·(R(j) kⱼ)/√d", "R(i): pair m rotated by i·base^(−2m/d)"),
        "each pair of a query or key is rotated by its position, and only the offset is left"),
    "RoPE in 2-D": Entry(("query and key",), "rotary2d", "heo2024rotary",
        ("score(i, j) = (R(i) qᵢ)·(R(j) kⱼ)/√d", "R: a pair rotated by column, by row, or by both"),
        "pairs are rotated by the column of a patch, by its row, or by both"),
    "stretched RoPE": Entry(("query and key",), "stretching", "chen2023extending",
        ("score(i, j) = (R(i) qᵢ)·(R(j) kⱼ)/√d",
         "R: as in RoPE, and slow pairs are slower"),
        "slower rotations let a model read past the length of its training"),
    "ALiBi": Entry(("scores",), "alibi", "press2022train",
        ("score(i, j) = qᵢ·kⱼ/√d − slope·(i − j)", "slope: fixed, one per head; only j ≤ i"),
        "every step of distance costs the same, and each head has its own price"),
    "xPos": Entry(("query and key",), "xpos", "sun2022length",
        ("score(i, j) = (ζ^(i/s) R(i) qᵢ)·(ζ^(−j/s) R(j) kⱼ)/√d",
         "0 < ζ < 1 in each pair; s = scale_base; j ≤ i"),
        "RoPE's rotation, and a factor that shrinks each pair's part with distance"),
    "Kerple": Entry(("scores",), "content", "chi2022kerple",
        ("score(i, j) = qᵢ·kⱼ/√d − r₁·ln(1 + r₂·(i − j))", "or −r₁·(i − j)^r₂; only j ≤ i"),
        "the price of distance is learned, and grows as a logarithm or as a power",
        "r₁ and r₂: two numbers per head"),
    "FIRE": Entry(("scores",), "content", "li2024functional",
        ("score(i, j) = qᵢ·kⱼ/√d + f(ψ(i − j)/ψ(max(L, i)))",
         "f: a small network; ψ(x) = ln(c·x + 1)"),
        "a small network reads the distance, as a share of how far the query can look back",
        "the network, c and L"),
    "FoX": Entry(("scores",), "content", "lin2025forgetting",
        ("score(i, j) = qᵢ·kⱼ/√d + Σ ln fₗ", "sum over j < l ≤ i; gate fₗ = σ(w·xₗ + b)"),
        "each token has a forget gate, and a score falls by all gates between key and query",
        "w and b: one gate per head"),
    "CoPE": Entry(("scores",), "content", "golovneva2024contextual",
        ("score(i, j) = qᵢ·kⱼ/√d + qᵢ·e[p(i, j)]", "p(i, j) = Σ σ(qᵢ·kₗ/√d) over j ≤ l ≤ i"),
        "the query counts the tokens that matter to it, and a position is how many it counted",
        "one vector for each whole count"),
    "PaTH": Entry(("scores",), "content", "yang2025path",
        ("score(i, j) = kⱼ·(Hⱼ₊₁ ⋯ Hᵢ qᵢ)/√d", "Hₜ = I − βₜ wₜ wₜᵀ, β and w made from xₜ"),
        "each token between key and query reflects what passes, by a matrix made from the token",
        "projections to w and β"),
    "Inkling": Entry(("scores",), "content", "transformers523",
        ("score(i, j) = qᵢ·kⱼ/√d + (W xᵢ)·bank[i − j]", "0 beyond the bank; only j ≤ i"),
        "each token mixes learned curves over distance into a curve of its own",
        "W, and the curves that heads share"),
    "PoPE": Entry(("query and key",), "content", "gopalakrishnan2025decoupling",
        ("score(i, j) = Σ μ(qᵢ) μ(kⱼ) cos((i − j)·θ − δ)/√d",
         "sum over the dimensions; μ(x) = ln(1 + eˣ)"),
        "content sets the length of each dimension, and position alone its angle",
        "δ: one angle per dimension and head"),
}
# fmt: on

MAIN = ("none (NoPE)", "sinusoidal", "learned", "T5", "RoPE", "ALiBi", "xPos")  # shown at first


class EncodingMap(Picture):
    """The map of the course: every encoding at its door."""

    size = (8.0, 4.2)
    paper_size = (3.3, 4.2)

    encoding = Choice("RoPE", options=(*MAIN, *(name for name in ENTRIES if name not in MAIN)))
    every = Switch(False, redraw=True, label=f"show all {len(ENTRIES)}")

    def compute(self) -> Arrays:
        """The entry of the chosen encoding, its points on the map, and the way to its doors."""
        entry, listed = ENTRIES[self.encoding], ENTRIES if self.every else MAIN
        shown = dict.fromkeys((*listed, self.encoding))
        points = [_points(door, shown)[self.encoding] for door in entry.doors]
        labels = [DOOR_POINTS[door][0] for door in entry.doors]
        return self.arrays(
            entry=entry,
            lit=set(entry.doors),
            added=points if self.encoding not in listed else (),
            points=np.transpose(points),
            route=broken(np.stack([points, labels], axis=1)),
            formula="\n".join(entry.formula),
            source=sources.name(entry.source),
            facts=f"learned: {entry.learns}  ·  lesson {OF_TOPIC[entry.topic].number}",
        )

    def draw(self, figure: Figure) -> list:
        """The card above, the doors below, and the encodings above their doors."""
        card, chart = figure.subplots(2, 1, height_ratios=(1.15, 3.3))
        doors = draw_doors(chart)
        listed = ENTRIES if self.every else MAIN
        highest = max(y for door in DOOR_POINTS for _, y in _points(door, listed).values())
        chart.set_ylim(0, max(1.4, highest + 0.1))
        for door in DOOR_POINTS:
            _list(chart, door, listed)
        names = [_added(chart, number) for number in range(2)]  # no encoding has more doors
        route = Curve(chart, "C1-", "route", zorder=2)
        chosen = Curve(chart, "o", "points", zorder=2.4, **_dot("C1", "C1"))
        return [*_card(card), *doors, route, chosen, *names]

    def caption(self, arrays: Arrays) -> str:
        where = " and at the ".join(arrays.entry.doors)
        return f"{arrays.encoding} enters at the {where}: {arrays.entry.idea}."


def _points(door, names):
    """The places of the encodings at a door: {name: (x, y)}, the farthest last."""
    x, y = DOOR_POINTS[door][0]
    here = [name for name in names if door in ENTRIES[name].doors]
    if door == "values":  # no room for a list at the lower edge
        return dict.fromkeys(here, (x + 0.12, y))
    return {name: (x, y + 0.16 + 0.115 * row) for row, name in enumerate(here)}


def _list(axes, door, names):
    """The encodings of a door at rest, on the line that leads to its label."""
    points = _points(door, names)
    for name, (x, y) in points.items():
        axes.text(x + 0.022, y, name, fontsize="small", va="center_baseline", zorder=1)
        axes.plot(x, y, "o", zorder=2.2, **_dot("C6", rcParams["axes.facecolor"]))
    if points:
        ends = DOOR_POINTS[door][0], (x, y)
        thin = 0.75 * rcParams["lines.linewidth"]
        axes.plot(*zip(*ends, strict=True), ":", lw=thin, color="C6", zorder=1)


def _added(axes, number):
    """The name of a chosen encoding that is not listed, at its first or second door."""
    props = {"fontsize": "small", "va": "center_baseline", "animated": True, "in_layout": False}
    name = axes.text(0, 0, "", **props)

    def show(arrays):
        if number >= len(arrays.added):
            return {"text": ""}
        x, y = arrays.added[number]
        return {"text": arrays.encoding, "position": (x + 0.022, y)}

    return Other(name, show)


def _dot(edge, fill):
    """The style of an encoding's dot."""
    width, size = rcParams["lines.linewidth"], 0.65 * rcParams["font.size"]
    return {"ms": size, "mew": width, "markeredgecolor": edge, "markerfacecolor": fill}


def _card(axes):
    """The texts of the card: name, source, formula, and what is learned."""
    blank(axes)
    axes.plot([0.004, 0.004], [0, 1], color="C1", lw=2 * rcParams["lines.linewidth"])
    large = {"size": (1.15 if wide(axes.figure) else 1) * rcParams["font.size"]}
    small = {"size": "small"}
    formula = {"va": "center", "linespacing": 1.3}
    return [
        Text(axes, 0.03, 0.98, "encoding", weight="bold", va="top", **large),
        Text(axes, 1, 0.98, "source", ha="right", va="top", **small),
        Text(axes, 0.03, 0.47, "formula", **formula, **large),
        Text(axes, 0.03, 0, "facts", va="bottom", **small),
    ]
