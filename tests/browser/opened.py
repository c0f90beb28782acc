"""A page as a reader opens it: from disk, with the network cut off."""


class Opened:
    """A page from disk that no request can leave, and what went wrong on it."""

    def __init__(self, context, file):
        context.set_offline(True)
        self.page, self.wrong = context.new_page(), []
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("console", self._note)
        self.page.route("**/*", self._only_files)
        self.page.goto(file.as_uri())

    def _note(self, said):
        if not said.text.startswith("Canvas2D: Multiple readback"):  # that is these tests
            self.wrong.append(said.text)

    def _only_files(self, route):
        if route.request.url.startswith("file://"):
            return route.continue_()
        self.wrong.append(route.request.url)
        route.abort()
