"""A cable between browser and server that can be cut."""

import contextlib
import socket
import struct
import threading

AT_ONCE = struct.pack("ii", 1, 0)  # closed without a goodbye


class Cable:
    """Passes on what comes to a port of its own; `cut` ends every connection, and refuses new ones.

    cable = Cable(8888); cable.port; cable.cut(); cable.mend(); cable.cut()
    """

    def __init__(self, server: int) -> None:
        self.server, self.port, self._ends = server, 0, []
        self.mend()

    def mend(self) -> None:
        """Take connections, from now on."""
        self._door = socket.create_server(("127.0.0.1", self.port), backlog=64)
        self.port = self._door.getsockname()[1]
        threading.Thread(target=self._take, args=[self._door], daemon=True).start()

    def cut(self) -> None:
        """End every connection, and take no more."""
        self._door.shutdown(socket.SHUT_RDWR)
        self._door.close()
        ends, self._ends = self._ends, []
        for end in ends:
            with contextlib.suppress(OSError):
                end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, AT_ONCE)
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def _take(self, door):
        with contextlib.suppress(OSError):  # the door was shut
            while True:
                near = door.accept()[0]
                far = socket.create_connection(("127.0.0.1", self.server))
                self._ends += [near, far]
                for pair in ((near, far), (far, near)):
                    threading.Thread(target=_pass_on, args=pair, daemon=True).start()


def _pass_on(one, other):
    with contextlib.suppress(OSError):
        while data := one.recv(65536):
            other.sendall(data)
    with contextlib.suppress(OSError):
        other.shutdown(socket.SHUT_WR)
