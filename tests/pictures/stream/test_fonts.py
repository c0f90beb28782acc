"""Fonts held in memory draw what fonts read from files draw."""

import io

import numpy as np
import pytest
from matplotlib import font_manager
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from posviz.pictures.stream.fonts import HeldFile, hold_fonts_in_memory


@pytest.fixture
def restored(monkeypatch):
    """The fonts are files again after the test."""
    monkeypatch.setattr(font_manager, "ft2font", font_manager.ft2font)
    yield
    monkeypatch.undo()
    font_manager._get_font.cache_clear()


@pytest.mark.usefixtures("restored")
def test_held_fonts_give_the_same_pixels_and_pdf():
    pixels, pdf = drawn()
    font_manager._get_font.cache_clear()
    hold_fonts_in_memory()
    font = font_manager.get_font(font_manager.findfont("DejaVu Sans"))
    assert isinstance(font.fname, HeldFile)
    held_pixels, held_pdf = drawn()
    np.testing.assert_array_equal(held_pixels, pixels)
    assert held_pdf == pdf


def drawn():
    """A text and a formula, as pixels and as a PDF without its date."""
    figure, pdf = Figure(figsize=(3, 1)), io.BytesIO()
    canvas = FigureCanvasAgg(figure)
    figure.text(0.1, 0.2, r"offset $\theta_k = \frac{1}{2}$")
    canvas.draw()
    figure.savefig(pdf, format="pdf", metadata={"CreationDate": None})
    return np.array(canvas.buffer_rgba()), pdf.getvalue()
