"""SVG that looks and reads the same everywhere: text stays text and brings the glyphs it uses."""

import base64
import functools
import io
import re
import xml.etree.ElementTree as ET

from fontTools import subset
from fontTools.ttLib import TTFont
from matplotlib.font_manager import FontProperties, fontManager

_SVG = "http://www.w3.org/2000/svg"
_XML_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
_PREFIXES = {
    "": _SVG,
    "xlink": "http://www.w3.org/1999/xlink",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "dc": "http://purl.org/dc/elements/1.1/",
    "cc": "http://creativecommons.org/ns#",
}
# The font's real name follows our own, for programs that do not know @font-face.
_OWN = "posviz "
_KEEP_SPACES = "text{white-space:pre}"


def self_contained(svg: bytes, title: str, description: str) -> bytes:
    """matplotlib's SVG with its fonts' used glyphs inside, and a name and text for screen readers.

    The texts must be text and not outlines (svg.fonttype none).
    """
    root = ET.fromstring(svg)
    for element in root.iter(f"{{{_SVG}}}text"):
        _in_reading_order(element)
    root.set(_XML_SPACE, "preserve")  # for programs that do not know _KEEP_SPACES
    _embed_fonts(root)
    _describe(root, title, description)
    for prefix, uri in _PREFIXES.items():
        ET.register_namespace(prefix, uri)
    return ET.tostring(root, encoding="utf-8", xml_declaration=True)


def _in_reading_order(text):
    """Formulas come one tspan per glyph, sorted by font: sort them from left to right."""
    if len(text):
        text.text = None  # indentation, which a search would find between the letters
        for glyph in text:
            glyph.tail = None
        text[:] = sorted(text, key=lambda glyph: float(glyph.get("x")))


def _describe(root, title, description):
    """Give the image its alternative text, first in the file as SVG 1.1 asks."""
    for old in root.findall(f"{{{_SVG}}}title"):
        root.remove(old)
    for i, (tag, words) in enumerate((("title", title), ("desc", description))):
        element = ET.Element(f"{{{_SVG}}}{tag}", id=f"posviz-{tag}")
        element.text, element.tail = words, "\n"
        root.insert(i, element)
    root.set("role", "img")
    root.set("aria-labelledby", "posviz-title posviz-desc")


def _embed_fonts(root):
    """Put a subset of every font that a character needs into the file's style sheet.

    The fonts get names of their own, lest a local font of another version be taken for them.
    """
    faces: dict[tuple[str, str, str], set[str]] = {}
    for element in root.iter():
        style = dict(re.findall(r"([\w-]+): ([^;]+)", element.get("style", "")))
        if element.text and "font-family" in style:
            families = re.findall(r"'([^']+)'", style["font-family"])
            look = style.get("font-style", "normal"), style.get("font-weight", "400")
            for character in element.text:
                for family in families:  # as matplotlib does, and a browser
                    if ord(character) in _characters(_file(family, *look)):
                        faces.setdefault((family, *look), set()).add(character)
                        break
            own = [f"'{_OWN}{family}'" for family in families]
            style["font-family"] = ", ".join([*own, *map(repr, families), "sans-serif"])
            element.set("style", "; ".join(f"{name}: {value}" for name, value in style.items()))
    sheet = root.find(f"{{{_SVG}}}defs/{{{_SVG}}}style")
    rules = [_font_face(*face, "".join(sorted(used))) for face, used in sorted(faces.items())]
    sheet.text = "\n".join([sheet.text, _KEEP_SPACES, *rules])


def _font_face(family, style, weight, characters) -> str:
    """The CSS rule that brings the characters of a font."""
    woff = base64.b64encode(_subset(_file(family, style, weight), characters)).decode()
    return (
        f"@font-face{{font-family:'{_OWN}{family}';font-style:{style};font-weight:{weight};"
        f"src:url(data:font/woff;base64,{woff}) format('woff')}}"
    )


@functools.cache
def _file(family, style, weight):
    """The font file that matplotlib takes."""
    return fontManager.findfont(FontProperties(family=[family], style=style, weight=int(weight)))


def _open(file) -> TTFont:
    # A collection holds several fonts; no time stamp, for the same bytes every time.
    return TTFont(file, fontNumber=getattr(file, "face_index", 0), recalcTimestamp=False)


@functools.cache
def _characters(file) -> frozenset[int]:
    """The code points that a font file has."""
    return frozenset(_open(file).getBestCmap())


@functools.lru_cache(maxsize=64)  # pictures of a lesson share many
def _subset(file, characters) -> bytes:
    """A WOFF of a font's glyphs for these characters, with its kerning and ligatures."""
    options = subset.Options(hinting=False, flavor="woff", drop_tables=["MATH", "FFTM", "DSIG"])
    font = _open(file)
    subsetter = subset.Subsetter(options)
    subsetter.populate(text=characters)
    subsetter.subset(font)
    font.flavor = "woff"
    data = io.BytesIO()
    font.save(data)
    return data.getvalue()
