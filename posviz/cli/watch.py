"""A proof in the browser that follows its picture's file."""

import io
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from posviz.cli.proof import sheet, views

LOOK_EVERY, SHOW_EVERY = 0.05, 1.0  # seconds
PAGE = b"""<!doctype html>
<meta charset="utf-8"><title>proof</title>
<body style="margin: 0; background: #ddd"><img id="sheet" style="max-width: 100%">
<script>
let shown = "";
setInterval(async () => {
  const number = await (await fetch("number")).text();
  if (number !== shown) document.getElementById("sheet").src = `sheet.png?${shown = number}`;
}, 200);
</script>
"""


class Watch:
    """The newest sheet of a picture's file, at an address of this machine."""

    def __init__(self, file: Path, tell: Callable[[str], None]):
        self.file, self.tell = file, tell
        self.number, self.png = 0, b""  # of the sheet: how many there were before, and its bytes
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _answering(self))
        self.address = f"http://127.0.0.1:{self._server.server_port}/"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def run(self):
        """Draw a sheet whenever the file has changed, until interrupted."""
        drawn = None
        while True:
            if (now := self._stamp()) not in (drawn, None):
                drawn = now
                self.draw()
            time.sleep(LOOK_EVERY)

    def draw(self):
        """Show the default view at once, then what is added to it; begin anew on a change."""
        begun, shown, seen, stamp = time.perf_counter(), 0.0, [], self._stamp()
        for view in views(self.file):
            seen.append(view)
            for fault in view.faults:
                self.tell(f"{view.label}: {fault}")
            if self._stamp() != stamp:
                return
            if time.perf_counter() - shown > SHOW_EVERY:
                self._show(seen)
                shown = time.perf_counter()
                if len(seen) == 1:
                    self.tell(f"{self.file.name}: first view after {shown - begun:.1f} s")
        self._show(seen)
        self.tell(f"{self.file.name}: {len(seen)} views after {time.perf_counter() - begun:.1f} s")

    def _show(self, seen):
        data = io.BytesIO()
        sheet(self.file.name, seen).save(data, "PNG", compress_level=1)
        self.png = data.getvalue()
        self.number += 1

    def _stamp(self):
        """When the file was written; None while an editor replaces it."""
        try:
            return self.file.stat().st_mtime_ns
        except FileNotFoundError:
            return None

    def close(self):
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()


def _answering(watch) -> type[BaseHTTPRequestHandler]:
    class Answer(BaseHTTPRequestHandler):
        def do_GET(self):
            kind, body = {
                "/": ("text/html", PAGE),
                "/number": ("text/plain", str(watch.number).encode()),
                "/sheet.png": ("image/png", watch.png),
            }.get(self.path.partition("?")[0], ("", b""))
            self.send_response(200 if kind else 404)
            self.send_header("Content-Type", kind or "text/plain")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    return Answer
