"""SVG files: text that is text, in fonts that the file brings, and nothing that could act."""

import io
import xml.etree.ElementTree as ET

import pytest
from fontTools.pens.recordingPen import DecomposingRecordingPen
from fontTools.ttLib import TTFont
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont

from posviz.cli.faults import drawn_texts
from posviz.pictures.style import style_context
from posviz.pictures.svg import self_contained
from tests import reading_svg
from tests.pictures.sample import Waves

HOSTILE = [
    '"><script>alert(1)</script>',
    "javascript:alert(1)",
    "\u202egnp.exe",
    "a\0b\x1b[31m",
    "]]><svg onload=alert(1)>",
    "url(http://a.example/x)",
    "</style><a href='//b'>",
    "--><!-- &#x202e; &lt; &amp;",
    "$\\frac{1}{x}$ $x_$",
]


def written(*texts, **style) -> tuple[Figure, ET.Element]:
    """A figure with texts one below the other, and what its file holds."""
    with style_context():
        figure = Figure(figsize=(4, 3))
        for line, text in enumerate(texts):
            figure.text(0.1, 0.9 - 0.2 * line, text, **style)
        data = io.BytesIO()
        figure.savefig(data, format="svg", metadata={"Date": None})
    return figure, ET.fromstring(self_contained(data.getvalue(), "a title", "a description"))


def outline(font, character) -> list:
    """The strokes of a character, whatever its glyph is called."""
    glyphs = font.getGlyphSet()
    pen = DecomposingRecordingPen(glyphs)
    glyphs[font.getBestCmap()[ord(character)]].draw(pen)
    return pen.value


# ---------------------------------------------------------------- text as text


def test_every_text_is_there_as_it_was_written():
    lines = ["two  spaces", " in front", "θ₁ − 1 × 2", "fi and ffl", "a\nb"]
    figure, root = written(*lines)
    assert len(drawn_texts(figure)) == len(lines)
    assert reading_svg.texts(root) == [line for text in lines for line in text.split("\n")]
    assert root.get("{http://www.w3.org/XML/1998/namespace}space") == "preserve"
    assert "white-space:pre" in next(root.iter(f"{reading_svg.SVG}style")).text


# ---------------------------------------------------------------- fonts


def test_the_used_glyphs_are_embedded_and_no_others():
    _, root = written("Hamburg", "AVAVA − θ")
    ((face, font),) = reading_svg.fonts(root).items()
    assert face == ("posviz DejaVu Sans", "normal", "400")
    assert {chr(code) for code in font.getBestCmap()} == set("HamburgAV −θ")
    whole = TTFont(findfont("DejaVu Sans"))
    for character in "HamburgAV−θ":
        assert outline(font, character) == outline(whole, character)
    assert "GPOS" in font  # kerning
    assert font["head"].modified == whole["head"].modified  # the same bytes at another time
    assert reading_svg.missing_glyphs(root) == []


@pytest.mark.parametrize(
    ("style", "face"),
    [
        ({"weight": "bold"}, ("posviz DejaVu Sans", "normal", "700")),
        ({"family": "monospace"}, ("posviz DejaVu Sans Mono", "normal", "400")),
    ],
)
def test_weight_style_and_family_bring_their_own_file(style, face):
    _, root = written("gaf", **style)
    font = reading_svg.fonts(root)[face]
    whole = TTFont(findfont(FontProperties(**style)))
    assert (
        outline(font, "g") == outline(whole, "g") != outline(TTFont(findfont("DejaVu Sans")), "g")
    )
    assert reading_svg.missing_glyphs(root) == []


# ---------------------------------------------------------------- alternative text; inert


def test_the_image_has_a_name_and_a_description(tmp_path):
    picture = Waves(position=20)
    root = ET.parse(picture.save(tmp_path / "waves.svg")).getroot()
    assert root.get("role") == "img"
    named = {element.get("id"): element.text for element in root if element.get("id")}
    words = [named[name] for name in root.get("aria-labelledby").split()]
    assert words == [picture.title(), picture.caption(picture.compute())]
    assert [reading_svg.tag(element) for element in root[:2]] == ["title", "desc"]
    assert len(root.findall(f"{reading_svg.SVG}title")) == 1


def test_what_a_reader_typed_cannot_act(tmp_path, monkeypatch):
    monkeypatch.setattr(Waves.words, "max_length", 300)
    picture = Waves(words=" ".join(HOSTILE))
    data = picture.save(tmp_path / "waves.svg").read_bytes()
    assert reading_svg.faults(data) == []
    assert picture.words in reading_svg.texts(ET.fromstring(data))


def test_svg_checker_sees_what_could_act(tmp_path):
    data = Waves().save(tmp_path / "waves.svg").read_bytes()
    assert reading_svg.faults(data) == []
    for good, bad in (
        (b"<defs>", b"<script>a()</script><defs>"),
        (b'<g id="figure_1"', b'<g onload="a()" id="figure_1"'),
        (b'xlink:href="#', b'xlink:href="//a.example/#'),
        (b"text{white", b"@import 'a'; text{white"),
    ):
        assert good in data
        assert reading_svg.faults(data.replace(good, bad, 1)) != []
