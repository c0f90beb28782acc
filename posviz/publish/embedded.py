"""One picture as a page that lives, to stand in a frame of somebody else's page."""

import base64
from html import escape
from pathlib import Path

from posviz.pictures.export import notebook_png
from posviz.pictures.picture import Picture
from posviz.pictures.scripts import as_script
from posviz.publish.assets import LIVE_POLICY, policy, styles, write_file
from posviz.publish.live.build import write_python
from posviz.publish.place import made_alive

HERE = Path(__file__).parent
SCRIPT = as_script(HERE / "embedded.js")
PAGE = """<!doctype html>
<html lang="en" data-serve="run python -m http.server in this folder">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<link rel="stylesheet" href="assets/page.css">
<style>
.outputs img, .posviz-screen canvas {{ max-width: 100%; }}
.outputs .posviz-explorer:not(:fullscreen) {{ margin-inline: 0; }}
</style>
</head>
<body>
<main class="outputs">
{heading}{place}
</main>
<script>{script}</script>
</body>
</html>
"""


def write_picture(picture: Picture, path: Path, title: str = "") -> Path:
    """Write a picture of the course as a page, and beside it what all such pages load, 33 MB.

    title: a heading over the picture. Raises OSError that names the file which cannot be written,
    RuntimeError where what the extra `live` brings is missing.
    """
    png, about = notebook_png(picture.figure())
    page = PAGE.format(
        policy=escape(policy([SCRIPT], "img-src data:", *LIVE_POLICY)),
        title=escape(title or picture.title()),
        heading=f"<h1>{escape(title)}</h1>\n" if title else "",
        place=made_alive(repr(picture), base64.b64encode(png).decode(), about),
        script=SCRIPT,
    )
    write_file(path.parent / "assets" / "page.css", styles(HERE / "page.css"))
    write_python(path.parent)
    return write_file(path, page.encode())
