"""What an SVG file says, which fonts it brings, and whatever in it could act."""

import base64
import io
import re
import xml.etree.ElementTree as ET

from fontTools.ttLib import TTFont

SVG = "{http://www.w3.org/2000/svg}"
# All that a drawing needs. Not among them: script, a, foreignObject, use of other files, animate.
DRAWING = {"svg", "g", "defs", "style", "clipPath", "pattern"}
DRAWING |= {"path", "use", "image", "text", "tspan", "rect"}
DESCRIBING = {"title", "desc", "metadata"}
_FACE = re.compile(r"@font-face\{(.*?)\}", re.S)


def tag(element) -> str:
    """An element's name without its namespace."""
    return element.tag.rpartition("}")[2]


def texts(root) -> list[str]:
    """What is written in the picture, in the order of the file."""
    return ["".join(element.itertext()) for element in root.iter(f"{SVG}text")]


def declarations(css) -> dict[str, str]:
    """The properties of a style attribute or of one rule."""
    return {
        name.strip(): value.strip()
        for name, value in (part.split(":", 1) for part in css.split(";") if ":" in part)
    }


def fonts(root) -> dict[tuple[str, str, str], TTFont]:
    """The fonts in the file, by family, style and weight."""
    found = {}
    for rule in _FACE.findall("".join(sheet.text for sheet in root.iter(f"{SVG}style"))):
        source = re.search(r"src:url\(data:font/woff;base64,([\w+/=]+)\) format\('woff'\)", rule)
        told = declarations(rule.replace(source[0], ""))
        face = told["font-family"].strip("'"), told["font-style"], told["font-weight"]
        assert face not in found
        found[face] = TTFont(io.BytesIO(base64.b64decode(source[1])))
    return found


def missing_glyphs(root) -> list[tuple]:
    """Each character that is written in no font of the file, as a browser looks for it."""
    cmaps = {face: font.getBestCmap() for face, font in fonts(root).items()}
    missing = []
    for element in (*root.iter(f"{SVG}text"), *root.iter(f"{SVG}tspan")):
        style = declarations(element.get("style", ""))
        look = style.get("font-style", "normal"), style.get("font-weight", "400")
        own = re.findall(r"'(posviz [^']+)'", style.get("font-family", ""))
        for character in (element.text or "").strip() if own or tag(element) == "text" else "":
            if not any(ord(character) in cmaps.get((family, *look), ()) for family in own):
                missing.append((character, own, look))
    return missing


def faults(data: bytes) -> list[str]:
    """Whatever could act or ask another place for something; nothing, in a good file."""
    root = ET.fromstring(data)
    found = [] if b"<!" not in data else ["a declaration or comment"]
    metadata = set(root.find(f"{SVG}metadata").iter())
    for element in root.iter():
        if element not in metadata and tag(element) not in DRAWING | DESCRIBING:
            found.append(f"<{tag(element)}>")
        for name, value in element.items():
            found += _attribute_faults(element, name.rpartition("}")[2], value)
        if tag(element) == "style":
            found += _css_faults(_FACE.sub("", element.text))
        if re.search(
            "[\0-\x08\x0e-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]", _words(element)
        ):
            found.append(f"control character in <{tag(element)}>")
    return found


def _words(element) -> str:
    return "".join([element.text or "", element.tail or "", *element.attrib.values()])


def _attribute_faults(element, name, value) -> list[str]:
    if name.startswith("on"):
        return [f"event handler {name}"]
    if name == "href":
        image = tag(element) == "image" and value.startswith("data:image/png;base64,")
        return [] if image or value.startswith("#") else [f"href {value[:60]}"]
    return [] if name in ("resource", "style") and "(" not in value else _css_faults(value)


def _css_faults(css) -> list[str]:
    """Addresses other than those within the file, and rules that fetch."""
    outside = re.findall(r"url\((?!['\"]?#)[^)]*", css) + re.findall(r"@\w+|expression\(", css)
    return [*outside, *re.findall(r"javascript:", css)]
