"""The server extension: installed means enabled, and small messages leave at once."""

import asyncio
import os
import subprocess
import sys

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
from traitlets import import_item
from voila.app import Voila

from posviz.pictures import server
from tests.pictures.test_stored import explorer

PICTURE = [["image/png", "text/plain"], ["text/html", "text/plain"]]


@pytest.mark.parametrize("kind", [AsyncLargeFileManager, LargeFileManager])
def test_a_saved_file_has_the_pictures_of_explorers_and_no_views(tmp_path, kind):
    notary = NotebookNotary(data_dir=str(tmp_path))
    contents = kind(root_dir=str(tmp_path), notary=notary)
    contents.register_pre_save_hook(server.save_pictures)
    cell = new_code_cell(outputs=[explorer("one", **{"image/png": "AA"})])
    model = {"type": "notebook", "format": "json", "content": new_notebook(cells=[cell])}
    asyncio.run(ensure_async(contents.save(model, "lesson.ipynb")))
    stored = nbformat.read(tmp_path / "lesson.ipynb", as_version=4)
    assert [sorted(output.data) for output in stored.cells[0].outputs] == PICTURE


def test_installing_posviz_has_enabled_the_extension():
    found = ExtensionConfigManager(read_config_path=jupyter_config_path())
    assert found.get_jpserver_extensions()["posviz.pictures.server"] is True


def test_installing_posviz_has_told_voila_which_connection_to_use():
    voila = Voila()
    voila.load_config_file("voila", path=jupyter_config_path())
    chosen = voila.config.Voila.kernel_websocket_connection_class
    assert import_item(chosen) is server.VoilaConnection
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
