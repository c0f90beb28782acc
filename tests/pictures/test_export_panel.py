"""The Export control: a file in the folder `figures`, and a link to it."""

import base64
import os

import pytest

from posviz.pictures.export_panel import ExportPanel
from tests.pictures.sample import Failing

pytestmark = pytest.mark.slow("figures")

MIME = {
    "png": "image/png",
    "svg": "image/svg+xml",
    "pdf": "application/pdf",
    "gif": "image/gif",
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder in which the notebook runs."""
    (tmp_path / "notebooks").mkdir()
    monkeypatch.chdir(tmp_path / "notebooks")
    return tmp_path / "notebooks"


class Panel:
    """The panel of one view: what it has chosen, and what it was told last."""

    def __init__(self, picture):
        self.panel = ExportPanel(picture, lambda message: setattr(self, "told", message))
        shown = self.panel.shown
        self.chosen = {"view": "a", "format": shown["formats"][0], "filmed": "position"}
        self.chosen |= {"style": "slide", "dark": False, "name": shown["name"]}

    def choose(self, **chosen):
        self.chosen |= chosen
        self.panel.receive(self.chosen)
        return self.told["line"]

    def save(self, **chosen):
        self.chosen |= chosen
        self.panel.receive(self.chosen | {"save": True})
        return self.told


@pytest.fixture
def panel(folder):
    return Panel(Failing(position=20))


def files(folder) -> list[str]:
    """Every file in the notebook's folder and beside it."""
    everything = folder.parent.rglob("*")
    return [os.path.relpath(path, folder) for path in everything if path.is_file()]


@pytest.mark.parametrize("kind", ["png", "svg"])
def test_save_writes_a_file_and_the_link_holds_a_copy(panel, folder, kind):
    told = panel.save(format=kind)
    assert files(folder) == [f"figures/Failing.{kind}"]
    saved = (folder / "figures" / f"Failing.{kind}").read_bytes()
    link = f"data:{MIME[kind]};base64,{base64.b64encode(saved).decode()}"
    assert told == {
        "view": "a",
        "saved": f"Saved figures/Failing.{kind}.",
        "file": f"Failing.{kind}",
        "link": link,
    }


@pytest.mark.parametrize("name", ["../up", "", "a/x"])
def test_a_bad_name_is_told_and_nothing_is_written(panel, folder, name):
    assert panel.save(name=name)["refused"].startswith("Not saved: file name = ")
    assert files(folder) == []


def test_an_error_of_the_picture_is_told_and_the_next_save_works(panel, folder):
    panel.panel.picture.fail = "compute"
    assert panel.save()["refused"] == "Not saved: too <wide> & too long"
    assert files(folder) == []
    panel.panel.picture.fail = "nowhere"
    assert panel.save()["saved"] == "Saved figures/Failing.png."
    assert panel.save()["saved"] == "Replaced figures/Failing.png."


# ---------------------------------------------------------------- the line of Python


@pytest.mark.slow("a film")
def test_an_animation_asks_what_moves_and_is_copied_as_one(folder):
    panel = Panel(Failing(position=20))
    movable = ["position", "width", "base", "phase", "lines", "shape", "marked", "fail"]
    assert list(panel.panel.shown["movable"]) == movable
    told = panel.save(format="gif", filmed="lines", style="paper")
    saved = folder / "figures" / "Failing.gif"
    assert told["link"] == f"data:image/gif;base64,{base64.b64encode(saved.read_bytes()).decode()}"
    call = panel.choose().partition("Failing(")[2]
    assert call.endswith(").animate('lines', 'figures/Failing.gif', style='paper')")
    assert panel.panel.picture.values() == Failing(position=20).values()


def test_the_line_tells_the_knobs_as_they_stand(panel):
    panel.panel.picture.position = 9
    assert "position=9," in panel.choose()
