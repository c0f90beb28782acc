"""Python in a page: what a reader's browser fetches so that pictures move, and how a page asks.

Beside a page lie the files of `build.write_python`; its script imports live.js, and its policy has
`assets.LIVE_POLICY`. A policy does not bind workers, so a page itself may compile no WebAssembly.
"""

import json
import sys
from collections.abc import Iterable

if sys.platform == "wasi":  # a page's Python starts without 3D axes, which only cells may draw
    sys.modules["mpl_toolkits"] = None  # type: ignore[assignment]


def tell(id: str, message: dict, buffers: Iterable[bytes] = ()) -> None:
    """Send the page, from its worker, a line of JSON, and then the buffers."""
    import _host  # worker.js, as the runtime shows it

    head = json.dumps([id, message, [len(buffer) for buffer in buffers]])
    _host.call(b"".join([head.encode(), b"\n", *buffers]))
