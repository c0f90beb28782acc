"""For tests that look at artists: to lay a figure out takes four fifths of what it costs."""

import pytest
from matplotlib.layout_engine import PlaceHolderLayoutEngine

from posviz.engine import picture
from posviz.engine.styled_figure import StyledFigure


class NoLayout(PlaceHolderLayoutEngine):
    """Leaves all axes where they are."""

    def __init__(self):
        super().__init__(adjust_compatible=True, colorbar_gridspec=False)


@pytest.fixture(autouse=True)
def no_layout(request, monkeypatch):
    """Where artists stand others look at: test_pictures, and tests that are marked laid_out."""
    if request.node.get_closest_marker("laid_out"):
        return
    draw = StyledFigure.draw_without_rendering
    monkeypatch.setattr(picture, "ConstrainedLayoutEngine", NoLayout)
    monkeypatch.setattr(
        StyledFigure,
        "draw_without_rendering",
        lambda figure: isinstance(figure.get_layout_engine(), NoLayout) or draw(figure),
    )
