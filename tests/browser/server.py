"""JupyterLab as `python run.py lab` starts it, and a Chromium to look at it with."""

import contextlib
import functools
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace

from playwright.sync_api import sync_playwright

import run
from posviz_tools.cli import start

CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PRINTED_ADDRESS = re.compile(r"((http://127\.0\.0\.1:\d+)/\S+\?token=(\w+))")


@contextlib.contextmanager
def jupyterlab(folder, home, *options):
    """Serve `folder`, with nothing of the user's configuration; what Jupyter keeps is in `home`.

    Yields .url (of the first screen, as the server prints it, with the token), .base, .token and
    .folder, where the notebooks are.
    """
    with serving([*lab_command(folder, home), *options], home) as running:
        yield first_answer(*running, folder)


@contextlib.contextmanager
def serving(command, home):
    """Run a server with nothing of the user's configuration; yields its process and its log."""
    log = home / "server.log"
    with log.open("w") as out:
        process = subprocess.Popen(command, env=clean_environment(home), stderr=out, stdout=out)
        try:
            yield process, log
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(60)  # kernels end first
            except subprocess.TimeoutExpired:  # Jupyter waits for ever for one that has just begun
                process.kill()


@contextlib.contextmanager
def chromium():
    """Chromium, without a window."""
    path = run.find_chromium()
    with sync_playwright() as playwright:
        assert path or Path(playwright.chromium.executable_path).exists(), (
            "The browser tests need Chromium: `python run.py test` installs it."
        )
        browser = playwright.chromium.launch(executable_path=path, args=CHROMIUM_FLAGS)
        yield browser
        browser.close()


@contextlib.contextmanager
def served(folder):
    """The address of a folder on a web server."""

    class QuietHandler(SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    handler = functools.partial(QuietHandler, directory=folder)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def lab_command(folder, home):
    """What `python run.py lab` runs, without the reader's own browser and on a free port."""
    options = [
        "--no-browser",
        f"--ServerApp.port={free_port()}",
        "--LabApp.expose_app_in_browser=True",
    ]
    return start.lab_command(sys.executable, folder, home / "workspaces", options)


def free_port():
    """Return a port that nobody uses."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def clean_environment(home):
    """Return this process's environment, with Jupyter's folders in `home`."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("JUPYTER")}
    return kept | {
        "JUPYTER_CONFIG_DIR": str(home / "config"),
        "JUPYTER_DATA_DIR": str(home / "data"),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
        "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"),
        "XDG_DATA_HOME": str(home / "share"),  # where answers are noted
    }


def first_answer(process, log, folder):
    """Wait until the server answers, and return where it is."""
    for _ in range(600):
        time.sleep(0.1)
        assert process.poll() is None, log.read_text()
        printed = PRINTED_ADDRESS.search(log.read_text())
        if printed and answers(printed[1]):
            url, base, token = printed.groups()
            return SimpleNamespace(url=url, base=base, token=token, folder=folder)
    raise AssertionError(f"JupyterLab did not answer within a minute:\n{log.read_text()}")


def answers(url):
    """Return whether the server that printed this address is up."""
    try:
        return urllib.request.urlopen(url).status == 200
    except urllib.error.URLError:
        return False
