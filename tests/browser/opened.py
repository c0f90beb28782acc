"""A page as a reader opens it, and what went wrong on it."""

HARMLESS = "Canvas2D: Multiple readback"  # that is these tests


class Opened:
    """A page at an address: its errors, what it complained about, and whom else it asked."""

    def __init__(self, page, address):
        self.page, self.address, self.wrong = page, address, []
        page.on("pageerror", lambda error: self.wrong.append(str(error)))
        page.on("console", self._note)
        page.on("request", self._note_request)
        page.goto(address)

    def _note(self, said):
        if not said.text.startswith(HARMLESS):
            self.wrong.append(said.text)

    def _note_request(self, request):
        here = self.address.rpartition("/")[0]
        if not request.url.startswith((here, "data:", "blob:")):
            self.wrong.append(f"asked for {request.url}")


def from_disk(context, file):
    """A page from disk, with the network cut off."""
    context.set_offline(True)
    return Opened(context.new_page(), file.as_uri())
