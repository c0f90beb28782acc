"""The installed Firefox, by its protocol Marionette: Playwright drives a Firefox of its own."""

import contextlib
import json
import shutil
import socket
import subprocess
import time

from tests.browser.server import free_port

PATH = shutil.which("firefox") or shutil.which("firefox-esr")


class Firefox:
    """A tab."""

    def __init__(self, port):
        for _ in range(600):
            with contextlib.suppress(ConnectionRefusedError):
                self._socket = socket.create_connection(("127.0.0.1", port))
                break
            time.sleep(0.1)
        self._file = self._socket.makefile("rb")
        self._read()
        self.ask("WebDriver:NewSession")

    def _read(self):
        size = b"".join(iter(lambda: self._file.read(1), b":"))
        return json.loads(self._file.read(int(size)))

    def ask(self, command, **values):
        """Send a command; return what Firefox answers."""
        message = json.dumps([0, 1, command, values]).encode()
        self._socket.sendall(b"%d:%b" % (len(message), message))
        _, _, error, result = self._read()
        assert error is None, error["message"]
        return result

    def open(self, address):
        """Go to an address, until its page is loaded."""
        self.ask("WebDriver:Navigate", url=address)

    def evaluate(self, script, *values):
        """Return what the body of a function of the page returns."""
        return self.ask("WebDriver:ExecuteScript", script=script, args=values)["value"]

    def wait(self, script, *values, seconds=90):
        """Wait until the body of a function of the page returns something true."""
        end = time.monotonic() + seconds
        while not self.evaluate(script, *values):
            assert time.monotonic() < end, f"{script} {values}"
            time.sleep(0.1)


@contextlib.contextmanager
def firefox(profile):
    """Firefox, without a window, with an empty profile in this folder."""
    port = free_port()
    (profile / "user.js").write_text(f'user_pref("marionette.port", {port});\n')
    command = [PATH, "--headless", "--marionette", "--no-remote", "--profile", str(profile)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield Firefox(port)
    finally:
        process.terminate()
        process.wait(60)
