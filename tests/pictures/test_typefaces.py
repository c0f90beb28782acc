"""Words in a script that the usual fonts lack: drawn in an installed font, or refused."""

import warnings

import matplotlib
import pytest
from matplotlib import font_manager
from matplotlib.font_manager import fontManager
from traitlets import TraitError

from posviz.pictures import typefaces
from posviz.pictures.style import parameters
from tests.pictures.sample import Waves

FONTS = f"{matplotlib.get_data_path()}/fonts/ttf"
LAST_RESORT, STIX = f"{FONTS}/LastResortHE-Regular.ttf", f"{FONTS}/STIXGeneral.ttf"
LETTER = "ᶁ"  # which DejaVu Sans lacks and STIX has


@pytest.fixture(autouse=True)
def installed(monkeypatch):
    """The fonts that a system has: none."""
    fonts: list[str] = []
    monkeypatch.setattr(font_manager, "findSystemFonts", lambda: fonts)
    monkeypatch.setattr(fontManager, "ttflist", list(fontManager.ttflist))
    monkeypatch.setattr(typefaces, "_OTHER_SCRIPTS", [])
    monkeypatch.setattr(typefaces, "_families", {})
    parameters.cache_clear()
    yield fonts
    parameters.cache_clear()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("旋转", "no installed font has 旋 转: install one, such as Noto Sans .*fonts-noto-cjk`"),
        ("नमस्ते", "has त न म स: install .* `apt install fonts-noto`"),
        ("一二三四五六", r"has 一 三 二 五 六 …: "),
    ],
)
def test_words_without_a_font_are_refused_with_what_to_install(words, told, tmp_path):
    with pytest.raises(ValueError, match=told):
        Waves().save(tmp_path / "waves.png", title=words)
    with pytest.raises(ValueError, match=told):
        Waves().save(tmp_path / "waves.png", labels={"cat": words})
    with pytest.raises(TraitError, match=told):
        Waves(words=words)
    assert not any(tmp_path.iterdir())


def test_words_are_drawn_in_an_installed_font_that_has_their_letters(installed, tmp_path):
    picture = Waves()
    shown = picture.figure()
    broken = tmp_path / "broken.ttf"
    broken.write_bytes(b"no font")
    installed += [str(broken), LAST_RESORT, STIX]
    picture.words = LETTER
    with warnings.catch_warnings(action="error"):
        picture.save(tmp_path / "waves.png", title=LETTER)
        shown.axes[0].xaxis.label.set_text(LETTER)  # in a figure that was there before
        shown.draw_without_rendering()
    assert typefaces.families()[-1] == "STIXGeneral"


@pytest.mark.parametrize("words", ["naïve café", "θᵢ − 10⁻⁴ ≤ √d", "привет", "a\u200db\ufe0f"])
def test_words_that_the_usual_fonts_have_need_no_other(words):
    typefaces.check_letters(words)
    assert typefaces.families() == ["DejaVu Sans"]
