"""The Export control: a file in the folder `figures`, and a link to it."""

import base64
import os
import re

import numpy as np
import pytest

import posviz
from posviz.pictures.export_panel import ExportPanel
from tests.pictures.sample import Failing

pytestmark = pytest.mark.slow("figures")

MIME = {
    "png": "image/png",
    "svg": "image/svg+xml",
    "pdf": "application/pdf",
    "gif": "image/gif",
    "mp4": "video/mp4",
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder in which the notebook runs."""
    (tmp_path / "notebooks").mkdir()
    monkeypatch.chdir(tmp_path / "notebooks")
    return tmp_path / "notebooks"


@pytest.fixture
def panel(folder):
    return ExportPanel(Failing(position=20))


def files(folder) -> list[str]:
    """Every file in the notebook's folder and beside it."""
    everything = folder.parent.rglob("*")
    return [os.path.relpath(path, folder) for path in everything if path.is_file()]


@pytest.mark.parametrize("kind", ["png", "svg"])
def test_save_writes_a_file_and_the_link_holds_a_copy(panel, folder, kind):
    panel.kind.value = kind
    panel.save_button.click()
    assert files(folder) == [f"figures/Failing.{kind}"]
    link = re.search(r"download='(.*?)' href='data:(.*?);base64,(.*?)'", panel.result.value)
    assert link.group(1, 2) == (f"Failing.{kind}", MIME[kind])
    saved = (folder / "figures" / f"Failing.{kind}").read_bytes()
    assert base64.b64decode(link.group(3)) == saved
    assert f"<code>figures/Failing.{kind}</code>" in panel.result.value


@pytest.mark.parametrize("name", ["../up", "", "<b>/x"])
def test_a_bad_name_is_shown_and_nothing_is_written(panel, folder, name):
    panel.name.value = name
    panel.save()
    assert panel.result.value.startswith("<div role='alert'>Not saved: file name = ")
    assert "<b>" not in panel.result.value
    assert files(folder) == []


def test_an_error_of_the_picture_is_shown_and_the_next_save_clears_it(panel, folder):
    panel.picture.fail = "compute"
    panel.save()
    assert "Not saved: too &lt;wide&gt; &amp; too long" in panel.result.value
    assert files(folder) == []
    panel.picture.fail = "nowhere"
    panel.save()
    assert "Not saved" not in panel.result.value
    assert files(folder) == ["figures/Failing.png"]


# ---------------------------------------------------------------- the line of Python


@pytest.mark.slow("a film")
def test_an_animation_asks_what_moves_and_is_copied_as_one(folder):
    kind = "gif"
    panel = ExportPanel(Failing(position=20))
    assert panel.filmed.layout.display == "none"
    movable = [name for _, name in panel.filmed.options]
    assert movable == ["lines", "position", "width", "base", "phase", "shape", "marked", "fail"]
    panel.kind.value, panel.filmed.value, panel.style.value = kind, "lines", "paper"
    assert panel.filmed.layout.display == "flex"
    panel.save()
    saved = folder / "figures" / f"Failing.{kind}"
    assert f"data:{MIME[kind]};base64,{base64.b64encode(saved.read_bytes()).decode()}'" in (
        panel.result.value
    )
    call = panel.copy_button.text.partition("Failing(")[2]
    assert call.endswith(f").animate('lines', 'figures/Failing.{kind}', style='paper')")
    assert panel.picture.values() == Failing(position=20).values()


def test_the_line_follows_the_knobs_only_while_the_panel_is_open(panel):
    panel.button.value = True
    panel.picture.position = 9
    assert "position=9," in panel.copy_button.text
    panel.button.value = False
    panel.picture.position = 10
    assert "position=9," in panel.copy_button.text
    panel.button.value = True
    assert "position=10," in panel.copy_button.text


def test_a_file_that_was_there_is_replaced_and_that_is_told(panel):
    told = []
    for _ in range(2):
        panel.save()
        told.append(panel.result.value.split()[0])
    assert told == ["Saved", "Replaced"]


def test_data_are_named_in_the_line_and_not_forgotten():
    table = np.ones((4, 6))
    assert repr(posviz.LearnedTable({0: table})).startswith("LearnedTable(snapshots=..., progress=")
    beside = posviz.SinusoidalBesideLearned(table)
    assert repr(beside).startswith("SinusoidalBesideLearned(table=..., base=")
    assert repr(posviz.LearnedTable()).startswith("LearnedTable(progress=")
