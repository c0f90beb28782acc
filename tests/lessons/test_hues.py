"""An encoding has one colour in all pictures of lessons 08 to 13."""

import re

import pytest
from matplotlib.colors import to_rgb
from matplotlib.text import Text

import posviz_course.lessons
from posviz.pictures.style import style_context
from posviz_course.lessons._hues import HUES, hue
from tests.lessons import as_drawn

TOPICS = ("alibi", "xpos", "stretching", "content", "length", "choosing")
STORED = as_drawn.load()
NAMES = [
    n for n, module in posviz_course.lessons.names().items() if module.split(".")[-2] in TOPICS
]
ENCODING = re.compile(rf"\s*({'|'.join(map(re.escape, HUES))})\b")


def named(figure):
    """Each text that begins with an encoding, and its colour: in a legend that of its entry."""
    entries = {}
    for legend in (*figure.legends, *(axes.get_legend() for axes in figure.axes)):
        if legend is not None:
            entries |= dict(zip(legend.get_texts(), legend.legend_handles, strict=True))
    for text in figure.findobj(Text):
        if ENCODING.match(text.get_text()):
            shown = entries.get(text, text)
            colour = getattr(shown, "get_color", lambda s=shown: s.get_facecolor())()
            yield text.get_text().strip(), to_rgb(colour)


@pytest.mark.parametrize("name", NAMES)
def test_an_encoding_has_its_colour_or_that_of_ink(name):
    for setting in STORED[name]["settings"][:2]:
        figure = posviz_course.lessons.load(name)(**setting).figure()
        with style_context():
            found = [(text, colour, to_rgb(hue(text))) for text, colour in named(figure)]
        wrong = [(text, setting) for text, is_, own in found if is_ not in (own, (0, 0, 0))]
        assert wrong == []
