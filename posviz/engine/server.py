"""Kernel websockets on which small messages leave at once.

jupyter_server leaves Nagle's algorithm on for them, so a frame may wait for the acknowledgement of
the one before: 21 frames a second instead of 47. Installing posviz switches it off: as a server
extension in JupyterLab and Notebook, by configuration in Voila, which loads no extensions. Beside
them lab_page_config.json switches off the busy icon of the browser's tab: JupyterLab swaps it twice
for every message of a slider, and the browser fetches it each time.
"""

from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection


def without_delay(base: type) -> type:
    """A websocket connection like the base, with TCP_NODELAY set."""

    class NoDelay(base):  # type: ignore[misc, valid-type]
        """The server's own connection, with TCP_NODELAY set."""

        async def connect(self):
            self.websocket_handler.set_nodelay(True)
            return await super().connect()

    return NoDelay


VoilaConnection = without_delay(ZMQChannelsWebsocketConnection)


def _jupyter_server_extension_points():
    return [{"module": __name__}]


def _load_jupyter_server_extension(app):
    """Wrap whichever websocket class the server uses."""
    settings = app.web_app.settings
    name = "kernel_websocket_connection_class"
    settings[name] = without_delay(settings.get(name) or getattr(app, name))
    app.log.info("posviz: TCP_NODELAY is on for kernel websockets")
