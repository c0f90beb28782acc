"""How many parameters a learned table has, beside those of whole models."""

from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
from matplotlib import rcParams
from matplotlib.ticker import FixedLocator, NullLocator

from posviz.engine.knobs import choice, integer, log
from posviz.engine.picture import Picture
from posviz.pictures.parts import Curve, Ring, wide


class Model(NamedTuple):
    """A model with a learned table: its rows and columns, and all parameters of the model."""

    rows: int
    columns: int
    parameters: int


# Rows are those of the stored table, OPT's two unused ones included. Counted from the published
# configurations as transformers builds them, tied weights once: BERT and CLIP without a head, ViT
# with 1000 classes, Whisper's decoder table, GPT-3 as a GPT-2 of Brown et al. 2020, table 2.1.
MODELS = {
    "CLIP text": Model(77, 512, 63_165_952),
    "ViT-B/16": Model(197, 768, 86_567_656),
    "Whisper tiny": Model(448, 384, 37_760_640),
    "BERT base": Model(512, 768, 109_482_240),
    "GPT-2 small": Model(1024, 768, 124_439_808),
    "OPT 125M": Model(2050, 768, 125_239_296),
    "GPT-Neo 1.3B": Model(2048, 2048, 1_315_575_808),
    "GPT-3 175B": Model(2048, 12_288, 174_604_259_328),
}
LENGTHS = 128, 1_000_000
# What does not grow with the length: a Transformer-XL layer's W_kR, u and v, d² + 2d at d = 1024
# (Dai et al. 2019, section 3.3); T5 small's 32 biases for each of 8 heads, in both stacks (Raffel
# et al. 2020, section 2.1).
CONSTANT = {"Transformer-XL, a layer": 1024**2 + 2 * 1024, "T5 small, biases": 2 * 32 * 8}
ZERO = "sinusoidal, RoPE, ALiBi"
ROWS = (*MODELS, *CONSTANT, ZERO)


class ParameterCount(Picture):
    """A learned table has length × width parameters; other encodings do not grow."""

    size = (8.0, 4.2)
    paper_size = (3.3, 4.0)

    length = log(1024, low=LENGTHS[0], high=LENGTHS[1], play=True, label="length (tokens)")
    width = integer(768, low=64, high=12_288, step=64, label="width (d_model)")
    model = choice("GPT-2 small", options=tuple(MODELS))

    def compute(self):
        """Return the parameters of the table asked for, and the model they are held against."""
        length, model = int(self.length), MODELS[self.model]
        return SimpleNamespace(
            name=self.model,
            model=model,
            table=model.rows * model.columns,
            row=ROWS.index(self.model),
            length=length,
            width=self.width,
            parameters=length * self.width,
        )

    def draw(self, figure):
        """Parameters against length; and beside it all models, on an axis of their own."""
        broad = wide(figure)
        shape = (1, 2) if broad else (2, 1)
        growth, models = figure.subplots(*shape, height_ratios=None if broad else (1, 1.3))
        tables = [model.rows * model.columns for model in MODELS.values()]
        growth.plot([model.rows for model in MODELS.values()], tables, "o", color="C6", zorder=0)
        growth.set(xscale="log", yscale="log", xlim=(45, 1.8e6), ylim=(100, 2e12))
        growth.set(xlabel="length (tokens)", ylabel="parameters")
        ends, level = np.array((50, LENGTHS[1])), (-0.6, len(ROWS) - 1.5)
        line = Curve(growth, "C0-", lambda a: (ends, ends * a.width), "length × width")
        whole = Curve(growth, "C2--", lambda a: ((50, 1.8e6), [a.model.parameters] * 2))
        here = Curve(growth, "C1D", lambda a: ([a.length], [a.parameters]), "this table")
        handles = _draw_models(models, tables)
        asked = Curve(models, "C1-.", lambda a: ([a.parameters] * 2, level))
        large = {"edge": 1 / 4, "marks": 1.8}
        rings = [
            Ring(growth, "C2o", lambda a: ([a.model.rows], [a.table]), "model chosen", **large),
            Ring(models, "C2o", lambda a: ([a.table], [a.row]), **large),
        ]
        box = Ring(models, "C2s", lambda a: ([a.model.parameters], [a.row]), **large)
        handles = [here.line, line.line, *handles, (whole.line, rings[0].line)]
        figure.legend(
            handles,
            [handle.get_label() for handle in (*handles[:-1], rings[0].line)],
            loc="outside upper center",
            ncols=5 if broad else 2,
            columnspacing=1.2,
            handletextpad=0.5,
        )
        for axis in (growth.xaxis, growth.yaxis, models.xaxis):
            axis.set_major_locator(FixedLocator([1e2, 1e4, 1e6, 1e8, 1e10, 1e12]))
            axis.set_minor_locator(NullLocator())
        return [line, whole, here, asked, *rings, box]

    def caption(self, arrays):
        """The table's parameters, in bytes, beside the model's; the model's own table."""
        rows, columns, parameters = arrays.model
        return (
            f"{arrays.length:,} × {arrays.width:,} = {arrays.parameters:,} parameters, "
            f"{_megabytes(2 * arrays.parameters)} MB at 2 bytes each, or "
            f"{_percent(arrays.parameters / parameters)} of the {parameters:,} of {arrays.name}, "
            f"whose own table of {rows:,} × {columns:,} is {_percent(arrays.table / parameters)}."
        )


def _draw_models(axes, tables):
    """For each model its table and all its parameters, and below them what has no table."""
    count = range(len(MODELS))
    wholes = [model.parameters for model in MODELS.values()]
    axes.hlines(count, tables, wholes, color="C6", linewidth=rcParams["axes.linewidth"], zorder=0)
    table = axes.plot(tables, count, "o", color="C6", label="for positions", zorder=0)[0]
    whole = axes.plot(wholes, count, "s", color="C6", label="whole model", zorder=0)[0]
    axes.plot([*CONSTANT.values()], [ROWS.index(name) for name in CONSTANT], "o", color="C6")
    axes.text(
        150, ROWS.index(ZERO), "0, not on this axis", ha="left", va="center_baseline", zorder=0
    )
    axes.set(xscale="log", xlim=(100, 2e12), xlabel="parameters", ylim=(len(ROWS) - 0.4, -0.6))
    axes.set_yticks(range(len(ROWS)), ROWS)
    axes.tick_params(axis="y", length=0)
    return table, whole


def _megabytes(count):
    return f"{count / 1e6:,.{0 if count >= 1e8 else 2}f}"


def _percent(share):
    """Three digits of a share, in percent, as far as the third decimal place."""
    if share < 1e-5:
        return "less than 0.001%"
    return f"{share:.3%}" if share < 0.001 else f"{100 * share:,.3g}%"
