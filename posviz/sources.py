"""The bibliography, `sources.bib`: the keys that notebooks, claims and pictures cite by."""

from collections.abc import Iterable
from functools import cache
from html import escape
from pathlib import Path
from urllib.parse import urlsplit

from posviz.wording import quoted

ARXIV = "https://arxiv.org/abs/"


@cache
def bibliography() -> dict:
    """Return the entries of the bibliography, as pybtex reads them, by key."""
    from pybtex.database import parse_file  # only a kernel that shows a source waits for it

    return dict(parse_file(Path(__file__).with_name("sources.bib"), "bibtex").entries.items())


def url(key: str) -> str:
    """Return the address of a source.

    Raises:
        ValueError: for a key that is not in the bibliography.
    """
    fields = _entry(key).fields
    return fields["url"] if "url" in fields else ARXIV + fields["eprint"]


def name(key: str) -> str:
    """Return how a source is called in a text: "Su et al., 2021", or the title where none signs.

    Raises:
        ValueError: for a key that is not in the bibliography.
    """
    entry = _entry(key)
    names = [" ".join(person.prelast_names + person.last_names) for person in _authors(entry)]
    if not names:
        return entry.fields["title"].strip("{}")
    who = " and ".join(names) if len(names) < 3 else f"{names[0]} et al."
    return f"{who}, {entry.fields['year']}"


def link(key: str) -> str:
    """Return a link to a source, as HTML; its title is the key.

    Raises:
        ValueError: for a key that is not in the bibliography.
    """
    return f'<a href="{escape(url(key))}" title="{escape(key)}">{escape(name(key))}</a>'


def listed(keys: Iterable[str]) -> dict[str, str]:
    """Return the entries of some sources as HTML, by key, in the order of their names.

    Raises:
        ValueError: for a key that is not in the bibliography.
    """
    from pybtex.backends.html import Backend
    from pybtex.style.formatting.unsrt import Style
    from pybtex.style.template import field, href

    class Short(Style):
        """Shows an address by its host."""

        def format_url(self, entry):
            return href(field("url", raw=True))[urlsplit(entry.fields.get("url", "")).netloc]

    ordered = sorted(set(keys), key=lambda key: (name(key).casefold(), key))
    formatted = Short().format_entries([_entry(key) for key in ordered])
    return {entry.key: entry.text.render(Backend("utf8")) for entry in formatted}


def _entry(key):
    if key not in bibliography():
        raise ValueError(f"key must be one of those in sources.bib, got {quoted(key)}")
    return bibliography()[key]


def _authors(entry):
    return entry.persons.get("author", [])
