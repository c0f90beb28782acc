"""The server extension: installed means enabled, and small messages leave at once."""

import asyncio
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
from jupyter_core.paths import jupyter_config_path
from jupyter_server.extension.config import ExtensionConfigManager
from jupyter_server.services.contents.largefilemanager import (
    AsyncLargeFileManager,
    LargeFileManager,
)
from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection
from jupyter_server.utils import ensure_async
from nbformat.sign import NotebookNotary
from nbformat.v4 import new_code_cell, new_notebook
from tornado.web import HTTPError
from voila.app import Voila

from posviz.pictures import server
from posviz.pictures.stored import WIDGET
from tests.pictures.test_stored import explorer


class Sessions:
    """In the place of jupyter_server's: one notebook has a kernel."""

    async def get_session(self, path):
        if path != "live.ipynb":
            raise HTTPError(404)
        return {"kernel": {"id": "its kernel"}}


def shown(kind, tmp_path, path, pid, **options):
    """What a page is handed of an explorer's cell, and what is in the file, after it was saved."""
    contents = kind(
        root_dir=str(tmp_path), notary=NotebookNotary(data_dir=str(tmp_path)), **options
    )
    kernel = SimpleNamespace(provisioner=SimpleNamespace(pid=pid))
    server.keep_pictures(
        contents, Sessions(), SimpleNamespace(get_kernel={"its kernel": kernel}.get)
    )
    cell = new_code_cell(
        outputs=[explorer("one", **{"image/png": "AA"})], metadata={"trusted": True}
    )
    model = {"type": "notebook", "format": "json", "content": new_notebook(cells=[cell])}

    async def both():
        await ensure_async(contents.save(model, path))
        return await ensure_async(contents.get(path))

    page = asyncio.run(both())["content"]
    stored = nbformat.read(tmp_path / path, as_version=4)
    return [[sorted(o.data) for o in nb.cells[0].outputs] for nb in (page, stored)]


PICTURE = [["image/png", "text/plain"], ["text/html", "text/plain"]]
ALIVE = [[WIDGET, "image/png", "text/plain"]]


@pytest.mark.parametrize(
    ("kind", "path", "pid", "expected"),
    [
        (AsyncLargeFileManager, "live.ipynb", os.getpid(), ALIVE),
        (AsyncLargeFileManager, "ended.ipynb", os.getpid(), PICTURE),
        (LargeFileManager, "live.ipynb", os.getpid(), PICTURE),
    ],
    ids=["alive", "ended", "a manager of the old kind"],
)
def test_a_page_gets_what_its_kernel_can_show_and_the_file_has_pictures(
    tmp_path, kind, path, pid, expected
):
    assert shown(kind, tmp_path, path, pid) == [expected, PICTURE]


def test_installing_posviz_has_enabled_the_extension():
    found = ExtensionConfigManager(read_config_path=jupyter_config_path())
    assert found.get_jpserver_extensions()["posviz.pictures.server"] is True


def test_voila_takes_the_connection_that_the_docs_name():
    page = Path(__file__).parents[2] / "docs" / "install.md"
    voila = Voila()
    voila.parse_command_line(re.findall(r"--Voila[\w.=]+", page.read_text("utf-8")))
    assert voila.kernel_websocket_connection_class is server.VoilaConnection
    assert issubclass(server.VoilaConnection, ZMQChannelsWebsocketConnection)


# A server, a kernel and a browser's part in one process; prints what the server's end is set to.
REAL_SERVER = """
import asyncio, socket, sys
from jupyter_server.serverapp import ServerApp
from tornado.iostream import IOStream
from tornado.websocket import websocket_connect

sockets = []
set_nodelay = IOStream.set_nodelay
def spy(stream, value):
    set_nodelay(stream, value)
    sockets.append(stream.socket)
IOStream.set_nodelay = spy

async def main():
    app = ServerApp()
    options = ["--no-browser", "--port=0", "--ip=127.0.0.1", "--allow-root"]
    app.initialize([*options, "--IdentityProvider.token=", f"--ServerApp.root_dir={sys.argv[1]}"])
    kernel = await app.kernel_manager.start_kernel()
    address = f"ws://127.0.0.1:{app.port}/api/kernels/{kernel}/channels"
    connection = await websocket_connect(address)
    await connection.read_message()
    ours = {each for each in sockets if each.getsockname()[1] == app.port}
    print([each.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) != 0 for each in ours])
    connection.close()
    await app.kernel_manager.shutdown_all()

asyncio.run(main())
"""


@pytest.mark.slow("a process")
def test_kernel_websockets_of_a_real_server_have_no_delay(tmp_path):
    folders = {f"JUPYTER_{kind}_DIR": str(tmp_path) for kind in ("CONFIG", "DATA", "RUNTIME")}
    command = [sys.executable, "-c", REAL_SERVER, str(tmp_path)]
    done = subprocess.run(command, env=os.environ | folders, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1:] == ["[True]"], done.stderr
