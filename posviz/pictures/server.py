"""What posviz asks of a server: small messages that leave at once, and pictures in saved notebooks.

jupyter_server leaves Nagle's algorithm on for them, so a frame may wait for the acknowledgement of
the one before: 21 frames a second instead of 47. Installing posviz switches it off by a server
extension in JupyterLab and Notebook. Voila loads no extensions, so docs/install.md has its option.

A notebook is saved without the views of its explorers, which end with the kernel (stored.py). The
server remembers them for a page that is loaded again while the kernel still runs.
"""

from inspect import iscoroutinefunction
from typing import Any

from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection
from tornado.web import HTTPError

from posviz.pictures.stored import with_views, without_views


def without_delay(base: type) -> type:
    """A websocket connection like the base, with TCP_NODELAY set."""

    class NoDelay(base):  # type: ignore[misc, valid-type]
        """The server's own connection, with TCP_NODELAY set."""

        async def connect(self):
            self.websocket_handler.set_nodelay(True)
            return await super().connect()

    return NoDelay


VoilaConnection = without_delay(ZMQChannelsWebsocketConnection)


def keep_pictures(contents: Any, sessions: Any, kernels: Any) -> None:
    """Save explorers as pictures; hand them out alive while their kernel runs."""
    kept: dict[str, dict] = {}  # the views of each notebook, by its path
    get = contents.get

    def save(model, path, **_):
        if model.get("type") == "notebook" and model.get("content"):
            kept[path.strip("/")] = without_views(model["content"])

    async def get_alive(path, *args, **kwargs):
        model = await get(path, *args, **kwargs)
        views = kept.get(path.strip("/"))
        if views and model["type"] == "notebook" and model["content"]:
            with_views(model["content"], views, await process_of(path.strip("/")))
        return model

    async def process_of(path):
        try:
            session = await sessions.get_session(path=path)
        except HTTPError:  # no kernel runs for it
            return None
        return getattr(kernels.get_kernel(session["kernel"]["id"]).provisioner, "pid", None)

    contents.register_pre_save_hook(save)
    if iscoroutinefunction(get):  # of every server, unless it is set to use an older one
        contents.get = get_alive


def _jupyter_server_extension_points():
    return [{"module": __name__}]


def _load_jupyter_server_extension(app):
    """Wrap whichever websocket class the server uses, and what saves notebooks."""
    settings = app.web_app.settings
    name = "kernel_websocket_connection_class"
    settings[name] = without_delay(settings.get(name) or getattr(app, name))
    keep_pictures(app.contents_manager, app.session_manager, app.kernel_manager)
    app.log.info("posviz: TCP_NODELAY is on for kernel websockets")
