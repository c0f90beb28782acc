"""Where figures go, which names a file may have, and that a file is whole or not there."""

from pathlib import Path

import pytest

from posviz.files import SETTING, inside, placed, replacing


@pytest.mark.parametrize("path", ["figures", "./figures/a.png"])
def test_the_setting_puts_figures_elsewhere(monkeypatch, tmp_path, path):
    monkeypatch.delenv(SETTING, raising=False)
    assert placed(path) == Path(path)
    monkeypatch.setenv(SETTING, str(tmp_path))
    assert placed(path) == tmp_path.joinpath(*Path(path).parts[1:])
    assert placed(placed(path)) == placed(path)


def test_only_the_folder_called_figures_is_put_elsewhere(monkeypatch, tmp_path):
    monkeypatch.setenv(SETTING, str(tmp_path))
    for path in ("talk/figures/a.png", "/figures/a.png", "../figures/a.png"):
        assert placed(path) == Path(path)


def test_a_tilde_is_the_home_folder_and_in_a_name_a_letter(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert placed("~/talk") == tmp_path / "talk"
    assert placed("~x.png") == Path("~x.png")


@pytest.mark.parametrize("name", ["waves.png", "  my waves ", "πόσο", "a.b"])
def test_a_plain_name_is_a_file_in_the_folder(name):
    path = inside(Path("figures"), name, "png")
    assert path == Path("figures") / (name.strip().removesuffix(".png") + ".png")


@pytest.mark.parametrize("name", ["", "../up", "/etc/passwd", "a\\b", "C:x", ".hid", "\0"])
def test_a_name_that_leads_elsewhere_is_refused(name):
    with pytest.raises(ValueError, match=r"^file name = ") as refusal:
        inside(Path("figures"), name, "png")
    assert repr(name) in str(refusal.value)


def test_a_file_that_is_not_finished_leaves_the_old_one(tmp_path):
    path = tmp_path / "new" / "a.png"
    for content in (b"first", b"second"):
        with replacing(path) as file:
            file.write(content)
    with pytest.raises(TypeError), replacing(path) as file:
        file.writelines([b"half", None])
    assert path.read_bytes() == b"second"
    assert [*path.parent.iterdir()] == [path]
