"""For tests of single pictures, which look at artists: where those stand, others look at."""

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
    """To lay a figure out takes four fifths of what it costs."""
    if request.node.get_closest_marker("laid_out"):
        return
    draw = StyledFigure.draw_without_rendering
    monkeypatch.setattr(picture, "ConstrainedLayoutEngine", NoLayout)
    monkeypatch.setattr(
        StyledFigure,
        "draw_without_rendering",
        lambda figure: isinstance(figure.get_layout_engine(), NoLayout) or draw(figure),
    )
