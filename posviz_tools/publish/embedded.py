"""One picture as a live page, for a frame in somebody else's page."""

from pathlib import Path

from posviz.pictures.picture import Picture
from posviz.pictures.scripts import as_script
from posviz_tools.publish.assets import (
    LIVE_POLICY,
    TEMPLATES,
    policy,
    styles,
    write_file,
    write_own,
)
from posviz_tools.publish.live.build import write_python
from posviz_tools.publish.place import drawn_place

HERE = Path(__file__).parent
SCRIPT = as_script(HERE / "embedded.js")


def write_picture(picture: Picture, path: Path, title: str = "") -> Path:
    """Write a picture of the course as a page, and beside it what all such pages load, 17 MB.

    title: a heading over the picture.
    """
    page = TEMPLATES.get_template("embedded.html.j2").render(
        picture=picture,
        title=title,
        place=drawn_place(picture),
        policy=policy([SCRIPT], "img-src data:", *LIVE_POLICY),
        script=SCRIPT,
    )
    write_own(path.parent / "assets" / "page.css", styles(HERE / "page.css"))
    write_python(path.parent)
    return write_file(path, page.encode())
