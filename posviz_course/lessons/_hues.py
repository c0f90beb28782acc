"""One colour for each encoding, wherever lessons 08 to 13 compare encodings."""

from collections.abc import Callable, Iterable

from matplotlib import rcParams

from posviz.pictures.drawing import Arrays

INK = "ink"  # of texts: black, or white in a dark figure
HUES = {
    "RoPE": "C1",
    "nothing changed": "C1",  # of RoPE
    "ALiBi": "C0",
    "xPos": "C2",
    "T5": "C3",
    "FIRE": INK,
    # No picture compares these with those above that have their colour, unless a reader asks.
    "Kerple": "C2",
    "FoX": "C3",
    "PI": "C3",
    "NTK": "C2",
    "YaRN": "C0",
    "stretched": "C0",
    "sinusoidal": "C4",
    "learned": "C5",
    **dict.fromkeys(("none", "no position", "NoPE"), "C6"),
}


def hue(name: str) -> str:
    """The colour of an encoding, also of a variant such as "RoPE, window"; else that of ink."""
    found = next((color for known, color in HUES.items() if name.startswith(known)), INK)
    return rcParams["text.color"] if found == INK else found


def hues(first: str, second: str) -> list[str]:
    """The colours of two that are compared: of two variants the second has that of ink."""
    own, other = hue(first), hue(second)
    return [own, other if other != own else rcParams["text.color"]]


class Coloured:
    """Artists that share a colour, which `show` returns."""

    def __init__(self, artists: Iterable, show: Callable):
        self.artists, self.show = list(artists), show

    def move(self, arrays: Arrays) -> None:
        for artist in self.artists:
            artist.set_color(self.show(arrays))
