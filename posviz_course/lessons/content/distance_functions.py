"""Biases that are functions of the distance, on one axis: T5, ALiBi, Kerple twice, and FIRE."""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator

from posviz.encodings.alibi import alibi_bias
from posviz.encodings.fire import fire_bias, fire_distances
from posviz.encodings.kerple import kerple_log_bias, kerple_power_bias
from posviz.encodings.t5 import t5_bucket
from posviz.pictures.knobs import LogInteger, Real
from posviz.pictures.parts import Curve, EndName, Rule, legend_above, zero
from posviz.pictures.picture import Arrays, Picture
from posviz.wording import signed
from posviz_course.lessons._hues import hue

FURTHEST, FIRE_L = 10_000, 512  # tokens
DISTANCES = np.unique([*np.geomspace(1, FURTHEST, 400).astype(int), *range(16, FURTHEST + 1, 16)])
TOLD, SLOPE = 100, 0.0625  # tokens, a distance for the caption; ALiBi's, and Kerple's r₁
LOOKS = {  # of each function its line, and how wide
    "T5": ("-", 1.8),
    "ALiBi": ("-", 0.7),
    "Kerple power": ("--", 1),
    "Kerple log": ("-.", 1),
    "FIRE": ("-", 1.2),
}


class DistanceFunctions(Picture):
    """Biases fall with the distance at very different speeds."""

    size = (8.0, 3.9)
    paper_size = (3.3, 2.9)

    exponent = Real(0.7, low=0.1, high=2, step=0.01, label="power’s r₂")
    query = LogInteger(2048, low=TOLD, high=FURTHEST, play=True, label="query’s position")

    def compute(self) -> Arrays:
        """Return by function the biases at DISTANCES, and at the distance TOLD [1].

        FIRE's are NaN where there is no key; within: FIRE's of the last row of which it reads the
        distance alone, that of a query at L.
        """
        curves, here = (
            _biases(at, self.exponent, self.query) for at in (DISTANCES, np.array([TOLD]))
        )
        return self.arrays(curves=curves, within=(DISTANCES, _fire(DISTANCES, FIRE_L)), here=here)

    def draw(self, figure: Figure) -> list:
        """A line for each function; FIRE's for two queries, each as far as it has keys."""
        axes = figure.subplots()
        zero(axes)
        lines = [
            Curve(axes, line, _of(name), stroke=width, color=hue(name))
            for name, (line, width) in LOOKS.items()
        ]
        within = Curve(axes, ":", "within", stroke=1.2, color=hue("FIRE"))
        grey = {"color": "C6"}
        end = Rule(axes, grey, "query", "first token of the text")
        legend_above(figure, [end])
        axes.set(xscale="log", xlim=(0.9, 1.1 * FURTHEST), xlabel="distance (tokens)")
        axes.set(ylim=(-12.5, 0.5), ylabel="added to the score")
        axes.xaxis.set_major_locator(LogLocator())
        axes.xaxis.set_minor_locator(NullLocator())
        names = [EndName(axes, hue(n), lambda a, n=n: _named(a, n)) for n in LOOKS]
        at_limit = EndName(axes, hue("FIRE"), lambda a: (*a.within, _at_limit(a.query), False))
        return [end, *lines, within, *names, at_limit]

    def caption(self, arrays: Arrays) -> str:
        alibi, power, fire = (
            signed(arrays.here[name][0], "z.2f") for name in ("ALiBi", "Kerple power", "FIRE")
        )
        return (
            f"At distance {TOLD} from a query at {arrays.query:,} ALiBi adds {alibi} "
            f"to the score, Kerple’s power {power} and FIRE {fire}."
        )


def _of(name):
    return lambda arrays: (DISTANCES, arrays.curves[name])


def _named(arrays, name):
    """The part of a curve at whose end its name stands, the name, and whether it is above."""
    x, y = DISTANCES, arrays.curves[name]
    if name == "Kerple power":  # where no other name can be
        keep = (x <= 2500) & (y >= -10.2)
        x, y = x[keep], y[keep]
    return x, y, f"{name} ", name in ("T5", "ALiBi")


def _at_limit(query):
    """The name of FIRE's curve at L, unless the other is near it."""
    return f"FIRE at {FIRE_L}" if query > 2 * FIRE_L else ""


def _biases(distances, exponent, query):
    """By function what is added to the score at distances [n], [n] each.

    exponent: r₂ of Kerple's power. T5 has its 32 buckets up to 128
    tokens, with a table that falls by 0.1 a bucket.
    """
    one = np.ones(1)
    return {
        "T5": -0.1 * t5_bucket(distances, bidirectional=False),
        "ALiBi": alibi_bias(SLOPE * one, distances[None])[0, 0],
        "Kerple power": kerple_power_bias(SLOPE * one, exponent * one, distances[None])[0, 0],
        "Kerple log": kerple_log_bias(one, one, distances[None])[0, 0],
        "FIRE": _fire(distances, query),
    }


def _fire(distances, query):
    """What FIRE adds, [n], if its network is −8 · x; NaN where there is no key so far back."""
    read = fire_distances([query], query - distances, threshold=FIRE_L)
    bias = fire_bias(read, np.ones(1), np.zeros(1), np.full((1, 1), -8.0), np.zeros(1))
    return np.where(distances <= query, bias[0, 0], np.nan)
