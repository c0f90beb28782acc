"""Fixtures for tests in a real browser: JupyterLab as run.py starts it, Chromium, a fresh page."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from types import SimpleNamespace

import pytest
from playwright.sync_api import sync_playwright

import run
from tests.browser.lab import Lab

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


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """JupyterLab on a copy of the notebooks, with nothing of the user's configuration.

    Yields .url (of the first screen, as the server prints it, with the token), .base, .token and
    .folder, where the notebooks are.
    """
    home = tmp_path_factory.mktemp("lab")
    folder = home / "notebooks"
    shutil.copytree(run.NOTEBOOKS, folder, ignore=shutil.ignore_patterns("figures", ".*"))
    with (home / "lab.log").open("w") as log:
        process = subprocess.Popen(
            lab_command(folder, home), env=clean_environment(home), stderr=log, stdout=log
        )
        try:
            yield first_answer(process, home / "lab.log", folder)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(20)


def lab_command(folder, home):
    """What `python run.py lab` runs, without the reader's own browser and on a free port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = [
        "--no-browser",
        f"--ServerApp.port={port}",
        "--LabApp.expose_app_in_browser=True",
    ]
    return [sys.executable, *run.lab_command(folder, home / "workspaces", options)[1:]]


def clean_environment(home):
    """Return this process's environment, with Jupyter's folders in `home`."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("JUPYTER")}
    return kept | {
        "JUPYTER_CONFIG_DIR": str(home / "config"),
        "JUPYTER_DATA_DIR": str(home / "data"),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
        "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"),
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


@pytest.fixture(scope="module")
def browser():
    """Chromium, without a window."""
    path = run.find_chromium()
    with sync_playwright() as playwright:
        assert path or Path(playwright.chromium.executable_path).exists(), (
            "The browser tests need Chromium: `python run.py test` installs it."
        )
        chromium = playwright.chromium.launch(executable_path=path, args=CHROMIUM_FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def density(request):
    """How many pixels of the screen make one pixel of the page."""
    return getattr(request, "param", 1)


@pytest.fixture
def lab(browser, server, density, request):
    """A fresh page with the helpers of `Lab`; afterwards its kernels are shut down.

    A failed test leaves a screenshot, and no test may have asked another machine for anything.
    """
    failed_before = request.session.testsfailed
    context = browser.new_context(
        viewport={"width": 1280, "height": 960},
        device_scale_factor=density,
        accept_downloads=True,
    )
    lab = Lab(context.new_page(), server)
    yield lab
    if request.session.testsfailed > failed_before:
        lab.screenshot(f"failed_{request.node.name}")
    context.close()
    lab.shut_down_kernels()
    assert lab.requests_elsewhere == []
