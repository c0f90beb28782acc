"""Python in a page: what a reader's browser fetches so that pictures move, and how a page asks.

A page with living pictures, `<div class="posviz-explorer posviz-live" data-picture="RotaryScores"
data-values='{"seq_len": 32}'>` around a stored `<figure class="posviz-still">`, needs four things:

1. the files, `to`/sw.js and `to`/assets/live: `build.write_python(to)`, once for all pages in `to`;
2. the script: `import "./live/live.js";` in the module that `as_script` makes the page's script of;
3. the styles: `assets.styles`;
4. the permission: `policy(scripts, ..., *LIVE_POLICY)`. A page's policy does not bind its worker,
   so a page itself may compile no WebAssembly.

Python starts when the first picture comes near. Until then, without scripts, and on paper the
stored picture is there.
"""

import json
from collections.abc import Iterable


def tell(id: str, message: dict, buffers: Iterable[bytes] = ()) -> None:
    """Send the page, from its worker, a line of JSON, and then the buffers."""
    import _host  # worker.js, as the runtime shows it

    head = json.dumps([id, message, [len(buffer) for buffer in buffers]])
    _host.call(b"".join([head.encode(), b"\n", *buffers]))
