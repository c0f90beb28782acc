"""Where figures go, and which names a file may have."""

from pathlib import Path

import pytest

from posviz.pictures.places import SETTING, inside, placed


@pytest.mark.parametrize("path", ["figures", "./figures/a.png"])
def test_the_setting_puts_figures_elsewhere(monkeypatch, tmp_path, path):
    monkeypatch.delenv(SETTING, raising=False)
    assert placed(path) == Path(path)
    monkeypatch.setenv(SETTING, str(tmp_path))
    assert placed(path) == tmp_path.joinpath(*Path(path).parts[1:])
    assert placed(placed(path)) == placed(path)


@pytest.mark.parametrize("path", ["talk/figures/a.png", "/figures/a.png", "../figures/a.png"])
def test_only_the_folder_called_figures_is_put_elsewhere(monkeypatch, tmp_path, path):
    monkeypatch.setenv(SETTING, str(tmp_path))
    assert placed(path) == Path(path)


def test_a_tilde_is_the_home_folder_and_in_a_name_a_letter(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert placed("~/talk") == tmp_path / "talk"
    assert placed("~x.png") == Path("~x.png")


@pytest.mark.parametrize(
    "name",
    ["waves.png", "  my waves ", "πόσο", "a.b", "console"],
)
def test_a_plain_name_is_a_file_in_the_folder(name):
    path = inside(Path("figures"), name, "png")
    assert path == Path("figures") / (name.strip().removesuffix(".png") + ".png")


OUTSIDE = ["", "../up", "/etc/passwd", "a\\b", "C:x", ".hid", "\0"]
DEVICES = ["CON", "nul.png", "com²"]


@pytest.mark.parametrize("name", [*OUTSIDE, *DEVICES, "x" * 101])
def test_a_name_that_leads_elsewhere_is_refused(name):
    with pytest.raises(ValueError, match=r"^file name = ") as refusal:
        inside(Path("figures"), name, "png")
    assert repr(name) in str(refusal.value)
