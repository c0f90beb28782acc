"""Python in a page: what a reader's browser fetches so that pictures move, and how a page asks.

A page with living pictures, `<div class="posviz-explorer posviz-live" data-picture="RotaryScores"
data-values='{"seq_len": 32}'>` around a stored `<figure class="posviz-still">`, needs four things:

1. the files, `to`/sw.js and `to`/assets/live: `live.write(to)`, once for all pages in `to`;
2. the script: `import "./live/live.js";` in the module that `as_script` makes the page's script of;
3. the styles: `live.style()`;
4. the leave: `policy(scripts, ..., *live.POLICY)`. A page's policy does not bind its worker, so a
   page itself may compile no WebAssembly.

Python starts when the first picture comes near. Until then, without scripts, and on paper the
stored picture is there.
"""

from pathlib import Path

POLICY = ("worker-src 'self'", "connect-src 'self'")


def write(to: Path) -> int:
    """Write Python and its scripts for the pages in `to`; return how many MB a page loads, once.

    Raises RuntimeError where what the extra `live` brings is missing, OSError that names the file
    which cannot be written.
    """
    from posviz.publish.live import build  # a page's own Python, which imports session.py, lacks it

    return build.write_files(to)


def style() -> str:
    """The styles of what is said while Python loads."""
    return (Path(__file__).parent / "live.css").read_text("utf-8")
