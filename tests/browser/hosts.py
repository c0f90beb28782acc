"""Notebook 7 and Voila, as a reader starts them on one notebook."""

import contextlib
import socket
import sys
import time
from types import SimpleNamespace

from tests.browser.server import free_port, serving

START = 60  # seconds; a cold disk is slow


@contextlib.contextmanager
def notebook7(path, home):
    """`jupyter notebook`, with nothing of the user's configuration."""
    port = free_port()
    command = [
        *("notebook", "--no-browser", "--ServerApp.ip=127.0.0.1", f"--ServerApp.port={port}"),
        f"--ServerApp.root_dir={path.parent}",
        "--IdentityProvider.token=",
        "--JupyterNotebookApp.expose_app_in_browser=True",
        "--allow-root",
    ]
    with answering(command, port, home) as base:
        yield SimpleNamespace(base=base, url=f"{base}/notebooks/{path.name}")


@contextlib.contextmanager
def voila(path, home):
    """`voila NOTEBOOK`, with nothing of the user's configuration."""
    port = free_port()
    command = ["voila", "--no-browser", "--Voila.ip=127.0.0.1", f"--port={port}", str(path)]
    with answering(command, port, home) as base:
        yield SimpleNamespace(base=base, url=base)


@contextlib.contextmanager
def answering(command, port, home):
    """Run a module of this Python as a server; yields its address once the port is open."""
    with serving([sys.executable, "-m", *command], home) as (process, log):
        end = time.monotonic() + START
        while not is_open(port):
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < end, f"{command[0]} did not answer in {START} seconds"
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"


def is_open(port):
    """Return whether a server listens there; asking Voila for a page would start a kernel."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
