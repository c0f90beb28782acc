"""A verdict in a notebook: its sentences, the matrix of the pairs, and the frequencies."""

from __future__ import annotations

import base64
import html
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from posviz.encodings.doors import Encoding
from posviz.encodings.frequencies import rotary_frequencies
from posviz.pictures.bitmaps import notebook_png
from posviz.pictures.style import SIGNED, style_context
from posviz.pictures.styled_figure import StyledFigure
from posviz_course.blackbox.lines import compute

if TYPE_CHECKING:
    from posviz_course.blackbox.verdict import ProgramVerdict

SIZE = (7.0, 2.9)  # inches
SHOWN = 5  # the position whose matrix is shown


def html_of(verdict: ProgramVerdict) -> str:
    """Return a verdict as HTML: its text, and a picture where it is a rotation."""
    text = (
        f'<pre style="white-space: pre-wrap; word-break: normal">{html.escape(str(verdict))}</pre>'
    )
    if verdict.kind != "rotation" or verdict.picture is None or not verdict.code:
        return text
    data, _ = notebook_png(figure_of(verdict))
    words = f"The matrix at position {SHOWN}, and the frequency of each pair beside its base's."
    image = base64.b64encode(data).decode()
    return f'{text}<img alt="{words}" src="data:image/png;base64,{image}" style="max-width: 100%">'


def figure_of(verdict: ProgramVerdict) -> Figure:
    """Return the matrix at one position, and the frequency of each pair beside its base's."""
    rotation = verdict.picture
    theta = np.abs(rotation.theta).sum(axis=0)
    with style_context("notebook"):
        figure = StyledFigure("notebook", figsize=SIZE, layout="constrained")
        left, right = figure.subplots(1, 2)
        width = rotation.blocks.width
        image = left.imshow(_matrix(verdict, width).T, cmap=SIGNED, vmin=-1, vmax=1)
        left.set(title=f"What it does at position {SHOWN}", xlabel="column in", ylabel="column out")
        figure.colorbar(image, ax=left, ticks=(-1, 0, 1))
        base = verdict.base or 10_000.0
        plain = rotary_frequencies(2 * len(theta), base)
        right.plot(plain, "C6-", label=f"base {base:,g} alone")
        right.plot(np.where(theta > 0, theta, np.nan), "C0o", label="this program")
        right.set(title="How fast each pair rotates", xlabel="pair", yscale="log")
        right.set_ylabel("frequency (radians per token)")
        right.yaxis.set_major_formatter("{x:g}")  # no mathtext, whose fonts a page does not have
        right.yaxis.set_minor_formatter(NullFormatter())
        right.legend()
    return figure


def _matrix(verdict: ProgramVerdict, width: int) -> np.ndarray:
    """Return what becomes of each unit vector at one position, [in, out]."""
    value = compute(str(verdict.code))
    rotate = value.at_query if isinstance(value, Encoding) else value
    places = np.full((width, *verdict.picture.theta.shape[:1]), SHOWN)
    positions = places[:, 0] if places.shape[1] == 1 else places
    return np.asarray(rotate(np.eye(width)[None, None], positions)).reshape(width, width)
