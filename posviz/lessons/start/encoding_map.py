"""The map of the course: every encoding at its door, with its formula."""

from typing import NamedTuple

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure

from posviz import sources
from posviz.course import OF_TOPIC
from posviz.lessons.start.three_doors import DOOR_POINTS, blank, draw_doors
from posviz.pictures.knobs import choice, switch
from posviz.pictures.parts import Curve, Other, Text, wide
from posviz.pictures.picture import Arrays, Picture


class Entry(NamedTuple):
    """What the map says of an encoding, and the key of its source in sources.bib.

    i is the query's position, j the key's, d is head_dim.
    """

    doors: tuple[str, ...]
    formula: tuple[str, str]
    idea: str
    learns: str
    topic: str
    source: str


ENTRIES = {
    "none (NoPE)": Entry(
        ("mask",),
        ("score(i, j) = qᵢ·kⱼ/√d", "softmax over the keys j ≤ i"),
        "nothing is added, and only the causal mask tells early tokens from late ones",
        "nothing",
        "order",
        "haviv2022transformer",
    ),
    "sinusoidal": Entry(
        ("input",),
        ("xᵢ + p(i)", "p(i) = sin and cos of i·base^(−2m/d_model)"),
        "a fixed table of sines and cosines is added to the embeddings",
        "nothing",
        "sinusoidal",
        "vaswani2017attention",
    ),
    "learned": Entry(
        ("input",),
        ("xᵢ + table[i]", "one row for each position, up to the last"),
        "a trained table is added to the embeddings",
        "max_length × d_model numbers",
        "learned",
        "gehring2017convolutional",
    ),
    "Shaw": Entry(
        ("scores", "values"),
        ("score(i, j) = qᵢ·(kⱼ + aᴷ[i − j])/√d", "outputᵢ = Σ weight(i, j)·(vⱼ + aⱽ[i − j])"),
        "each offset, clipped at ±c, has a vector for the keys and one for the values",
        "2·(2c + 1) vectors",
        "relative",
        "shaw2018relative",
    ),
    "Transformer-XL": Entry(
        ("scores",),
        (
            "score(i, j) = ((qᵢ + u)·kⱼ + (qᵢ + v)·W r(i − j))/√d",
            "r: the sinusoidal encoding of the offset",
        ),
        "the query meets the key and, apart from it, a sinusoidal encoding of the offset",
        "u, v and W",
        "relative",
        "dai2019transformerxl",
    ),
    "T5": Entry(
        ("scores",),
        ("score(i, j) = qᵢ·kⱼ + bias[bucket(i − j)]", "no 1/√d; far offsets share a bucket"),
        "each bucket of offsets has one number per head, added to the score",
        "32 numbers per head",
        "relative",
        "raffel2020t5",
    ),
    "DeBERTa": Entry(
        ("scores",),
        (
            "score(i, j) = (qᵢ·kⱼ + qᵢ·kʳ[i − j] + kⱼ·qʳ[j − i])/√(3d)",
            "kʳ and qʳ: one vector for each offset",
        ),
        "content meets content, content meets offset, and offset meets content",
        "one vector per offset, and projections",
        "relative",
        "he2021deberta",
    ),
    "RoPE": Entry(
        ("query and key",),
        ("score(i, j) = (R(i) qᵢ)·(R(j) kⱼ)/√d", "R(i): pair m rotated by i·base^(−2m/d)"),
        "each pair of a query or key is rotated by its position, and only the offset is left",
        "nothing",
        "rotary",
        "su2021roformer",
    ),
    "RoPE in 2-D": Entry(
        ("query and key",),
        ("score(i, j) = (R(i) qᵢ)·(R(j) kⱼ)/√d", "R: half of the pairs by column, half by row"),
        "some pairs are rotated by the column of a patch, the others by its row",
        "nothing",
        "rotary2d",
        "heo2024rotary",
    ),
    "stretched RoPE": Entry(
        ("query and key",),
        ("score(i, j) = (R(i) qᵢ)·(R(j) kⱼ)/√d", "R: as in RoPE, with lower frequencies"),
        "slower rotations let a model read past the length of its training",
        "nothing",
        "stretching",
        "chen2023extending",
    ),
    "ALiBi": Entry(
        ("scores",),
        ("score(i, j) = qᵢ·kⱼ/√d − slope·(i − j)", "slope: fixed, one per head; only j ≤ i"),
        "every step of distance costs the same, and each head has its own price",
        "nothing",
        "alibi",
        "press2022train",
    ),
    "xPos": Entry(
        ("query and key",),
        (
            "score(i, j) = (ζ^(i/s) R(i) qᵢ)·(ζ^(−j/s) R(j) kⱼ)/√d",
            "0 < ζ < 1 in each pair; s = scale_base; j ≤ i",
        ),
        "RoPE's rotation, and a factor that shrinks the score with distance",
        "nothing",
        "xpos",
        "sun2022length",
    ),
    "Kerple": Entry(
        ("scores",),
        ("score(i, j) = qᵢ·kⱼ/√d − r₁·ln(1 + r₂·(i − j))", "or −r₁·(i − j)^r₂; only j ≤ i"),
        "the price of distance is learned, and grows as a logarithm or as a power",
        "r₁ and r₂: two numbers per head",
        "content",
        "chi2022kerple",
    ),
    "FIRE": Entry(
        ("scores",),
        (
            "score(i, j) = qᵢ·kⱼ/√d + f(ψ(i − j)/ψ(max(L, i)))",
            "f: a small network; ψ(x) = ln(c·x + 1)",
        ),
        "a small network reads the distance, as a share of how far the query can look back",
        "the network, c and L",
        "content",
        "li2024functional",
    ),
    "FoX": Entry(
        ("scores",),
        ("score(i, j) = qᵢ·kⱼ/√d + Σ ln fₗ", "sum over j < l ≤ i; gate fₗ = σ(w·xₗ + b)"),
        "each token has a forget gate, and a score falls by all gates between key and query",
        "w and b: one gate per head",
        "content",
        "lin2025forgetting",
    ),
    "CoPE": Entry(
        ("scores",),
        ("score(i, j) = qᵢ·kⱼ/√d + qᵢ·e[p(i, j)]", "p(i, j) = Σ σ(qᵢ·kₗ/√d) over j ≤ l ≤ i"),
        "the query counts the tokens that matter to it, and a position is how many it counted",
        "one vector for each whole count",
        "content",
        "golovneva2024contextual",
    ),
    "PaTH": Entry(
        ("scores",),
        ("score(i, j) = kⱼ·(Hⱼ₊₁ ⋯ Hᵢ qᵢ)/√d", "Hₜ = I − βₜ wₜ wₜᵀ, β and w made from xₜ"),
        "each token between key and query reflects what passes, by a matrix made from the token",
        "projections to w and β",
        "content",
        "yang2025path",
    ),
    "Inkling": Entry(
        ("scores",),
        ("score(i, j) = qᵢ·kⱼ/√d + (W xᵢ)·bank[i − j]", "0 beyond the bank; only j ≤ i"),
        "each token mixes learned curves over distance into a curve of its own",
        "W, and the curves that heads share",
        "content",
        "transformers523",
    ),
    "PoPE": Entry(
        ("query and key",),
        (
            "score(i, j) = Σ μ(qᵢ) μ(kⱼ) cos((i − j)·θ − δ)/√d",
            "sum over the dimensions; μ(x) = ln(1 + eˣ)",
        ),
        "content sets the length of each dimension, and position alone its angle",
        "δ: one angle per dimension and head",
        "content",
        "gopalakrishnan2025decoupling",
    ),
}


MAIN = ("none (NoPE)", "sinusoidal", "learned", "T5", "RoPE", "ALiBi", "xPos")  # shown at first


class EncodingMap(Picture):
    """The map of the course: every encoding at its door."""

    size = (8.0, 4.2)
    paper_size = (3.3, 4.2)

    encoding = choice("RoPE", options=(*MAIN, *(name for name in ENTRIES if name not in MAIN)))
    every = switch(False, redraw=True, label=f"show all {len(ENTRIES)}")

    def compute(self) -> Arrays:
        """The entry of the chosen encoding, its points on the map, and the way to its doors."""
        entry = ENTRIES[self.encoding]
        points = [_points(door, self.every, self.encoding)[self.encoding] for door in entry.doors]
        labels = [DOOR_POINTS[door][0] for door in entry.doors]
        gaps = [(np.nan, np.nan)] * len(points)  # a NaN breaks the line
        route = [point for leg in zip(points, labels, gaps, strict=True) for point in leg]
        return self.arrays(
            entry=entry,
            lit=set(entry.doors),
            added=points if self.encoding not in _listed(self.every) else (),
            points=tuple(zip(*points, strict=True)),
            route=tuple(zip(*route, strict=True)),
            formula="\n".join(entry.formula),
            source=sources.name(entry.source),
            facts=f"learned: {entry.learns}  ·  lesson {OF_TOPIC[entry.topic].number}",
        )

    def draw(self, figure: Figure) -> list:
        """The card above, the doors below, and the encodings above their doors."""
        card, chart = figure.subplots(2, 1, height_ratios=(1, 3.3))
        doors = draw_doors(chart)
        highest = max(y for door in DOOR_POINTS for _, y in _points(door, self.every).values())
        chart.set_ylim(0, max(1.4, highest + 0.1))
        for door in DOOR_POINTS:
            _list(chart, door, self.every)
        names = [_added(chart, number) for number in range(2)]  # no encoding has more doors
        route = Curve(chart, "C1-", "route", zorder=2)
        chosen = Curve(chart, "o", "points", zorder=2.4, **_dot("C1", "C1"))
        return [*_card(card), *doors, route, chosen, *names]

    def caption(self, arrays: Arrays) -> str:
        where = " and at the ".join(arrays.entry.doors)
        return f"{arrays.encoding} enters at the {where}: {arrays.entry.idea}."


def _listed(every):
    """The encodings that the map lists: the main ones, or every one."""
    return ENTRIES if every else MAIN


def _points(door, every, added=""):
    """Where the encodings of a door stand: {name: (x, y)}, the farthest last."""
    x, y = DOOR_POINTS[door][0]
    listed = dict.fromkeys((*_listed(every), *filter(None, [added])))
    names = [name for name in listed if door in ENTRIES[name].doors]
    if door == "values":  # no room for a list at the lower edge
        return dict.fromkeys(names, (x + 0.12, y))
    return {name: (x, y + 0.16 + 0.115 * row) for row, name in enumerate(names)}


def _list(axes, door, every):
    """The encodings of a door at rest, on the line that leads to its label."""
    points = _points(door, every)
    for name, (x, y) in points.items():
        axes.text(x + 0.022, y, name, fontsize="small", va="center_baseline", zorder=1)
        axes.plot(x, y, "o", zorder=2.2, **_dot("C6", rcParams["axes.facecolor"]))
    if points:
        ends = DOOR_POINTS[door][0], (x, y)
        thin = 0.75 * rcParams["lines.linewidth"]
        axes.plot(*zip(*ends, strict=True), ":", lw=thin, color="C6", zorder=1)


def _added(axes, number):
    """The name of a chosen encoding that is not listed, at its first or second door."""
    look = {"fontsize": "small", "va": "center_baseline", "animated": True, "in_layout": False}
    name = axes.text(0, 0, "", **look)

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
