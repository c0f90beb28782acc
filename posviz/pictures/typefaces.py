"""Fonts for letters of any script: an installed one, or what a reader is to install."""

import functools
import unicodedata

from matplotlib import font_manager
from matplotlib.font_manager import fontManager, get_font

# Behind DejaVu Sans, for words that readers type; those that are installed are used.
_OTHER_SCRIPTS = [
    "Noto Sans CJK SC",
    "Source Han Sans SC",
    "PingFang SC",
    "Hiragino Sans GB",
    "Microsoft YaHei",
    "WenQuanYi Micro Hei",
]
_EAST_ASIA = ("CJK", "HIRAGANA", "KATAKANA", "HANGUL")
MOST_TOLD = 5  # letters

_families: dict[str, list[str]] = {}  # lists that texts keep: what is found later is appended


def families(font: str = "") -> list[str]:
    """The fonts of every text, the chosen one first, then those that have what it lacks."""
    if font not in _families:
        installed = {known.name for known in fontManager.ttflist}
        others = (name for name in _OTHER_SCRIPTS if name in installed)
        _families[font] = [*filter(None, [font]), "DejaVu Sans", *others]
    return _families[font]


def check_letters(text: str, font: str = "") -> None:
    """See that fonts have the letters of a text; ValueError that tells what to install.

    A font of the system that has them is used from then on.
    """
    letters = {c for c in text if unicodedata.category(c)[0] in "LNPS" and not c.isascii()}
    paths = [fontManager.findfont(name) for name in families(font)] if letters else []
    missing = sorted(c for c in letters if not any(ord(c) in _letters_of(p) for p in paths))
    if not missing:
        return
    found = [path for path in font_manager.findSystemFonts() if _has(path, missing)]
    if not found:
        east = any(unicodedata.name(c, "").startswith(_EAST_ASIA) for c in missing)
        package = "fonts-noto-cjk" if east else "fonts-noto"
        told = " ".join([*missing[:MOST_TOLD], *(["…"] if len(missing) > MOST_TOLD else [])])
        advice = f"install one, such as Noto Sans (Debian, Ubuntu: `apt install {package}`)."
        raise ValueError(f"no installed font has {told}: {advice}")
    best = min(found, key=lambda path: (get_font(path).style_name != "Regular", path))
    name = get_font(best).family_name
    if name not in {known.name for known in fontManager.ttflist}:
        fontManager.addfont(best)  # installed since matplotlib looked for fonts
    _OTHER_SCRIPTS.append(name)
    for own in _families.values():
        own.append(name)


@functools.cache
def _letters_of(path: str) -> frozenset[int]:
    return frozenset(get_font(path).get_charmap())


def _has(path, letters) -> bool:
    """Whether a font has all letters; one that has boxes for all, LastResort, has none."""
    try:
        return "LastResort" not in path and {*map(ord, letters)} <= _letters_of(path)
    except (OSError, RuntimeError):  # FreeType's errors: a broken file, or bitmaps alone
        return False
