"""What posviz asks of a server: small messages that leave at once, and pictures in saved notebooks.

jupyter_server leaves Nagle's algorithm on for them, so a frame may wait for the acknowledgement of
the one before: 21 frames a second instead of 47. Installing posviz switches it off: as a server
extension in JupyterLab and Notebook, by configuration in Voila, which loads no extensions. Beside
them lab_page_config.json switches off the busy icon of the browser's tab: JupyterLab swaps it twice
for every message of a slider, and the browser fetches it each time.

A notebook is saved without the views of its explorers, which end with the kernel (stored.py).
"""

from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection

from posviz.pictures.stored import without_views


def without_delay(base: type) -> type:
    """A websocket connection like the base, with TCP_NODELAY set."""

    class NoDelay(base):  # type: ignore[misc, valid-type]
        async def connect(self):
            self.websocket_handler.set_nodelay(True)
            return await super().connect()

    return NoDelay


VoilaConnection = without_delay(ZMQChannelsWebsocketConnection)


def save_pictures(model, **_):
    """Leave the pictures of explorers in what is saved, and no views."""
    if model.get("type") == "notebook" and model.get("content"):
        without_views(model["content"])


def _jupyter_server_extension_points():
    return [{"module": __name__}]


def _load_jupyter_server_extension(app):
    """Wrap whichever websocket class the server uses, and what saves notebooks."""
    settings = app.web_app.settings
    name = "kernel_websocket_connection_class"
    settings[name] = without_delay(settings.get(name) or getattr(app, name))
    app.contents_manager.register_pre_save_hook(save_pictures)
    app.log.info("posviz: TCP_NODELAY is on for kernel websockets")
