"""One picture as a page: what it holds, what lies beside it, and what is refused."""

import json

import pytest
from bs4 import BeautifulSoup

from posviz import RotatingVectors
from posviz_tools.publish import embedded
from posviz_tools.publish.live import build


def test_a_page_holds_one_living_picture_as_it_stands(tmp_path, monkeypatch):
    written = []
    monkeypatch.setattr(embedded, "write_python", written.append)
    path = embedded.write_picture(
        RotatingVectors(query=9), tmp_path / "live" / "rope.html", "A <title>"
    )
    assert written == [tmp_path / "live"]
    page = BeautifulSoup(path.read_text(), "html.parser")
    (place,) = page.select(".posviz-live")
    assert place["data-picture"] == "RotatingVectors"
    assert json.loads(place["data-values"])["query"] == 9
    assert place.img["alt"].startswith("The score is ")
    assert page.h1.text == page.title.text == "A <title>"
    assert "worker-src 'self'" in page.find("meta", {"http-equiv": True})["content"]
    assert [each["href"] for each in page.select("link")] == ["assets/page.css"]
    assert (tmp_path / "live" / "assets" / "page.css").exists()


@pytest.mark.parametrize("name", ["assets/page.css", "sw.js"])
def test_files_of_another_site_stay_as_they_are(tmp_path, monkeypatch, name):
    monkeypatch.setattr(build, "_packed", lambda: ({"size": 0}, {}))
    (tmp_path / "assets").mkdir()
    (tmp_path / name).write_text("a site's own")
    with pytest.raises(FileExistsError, match="not posviz's: choose another folder"):
        embedded.write_picture(RotatingVectors(), tmp_path / "rope.html")
    assert (tmp_path / name).read_text() == "a site's own"
    (tmp_path / name).unlink()
    for _ in range(2):  # its own are written again
        embedded.write_picture(RotatingVectors(), tmp_path / "rope.html")
