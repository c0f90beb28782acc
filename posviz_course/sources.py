"""The bibliography, `sources.bib`: the keys that notebooks, claims and pictures cite by.

A key that it lacks is a ValueError.
"""

import re
from collections.abc import Iterable
from functools import cache
from html import escape
from pathlib import Path
from urllib.parse import urlsplit

from posviz.wording import quoted

ARXIV = "https://arxiv.org/abs/"
# Of BibTeX our file has this alone: @misc, and fields in braces, a title in two pairs of them.
_FIELD = re.compile(r"(\w+) = \{{1,2}([^{}]*)\}")


@cache
def bibliography() -> dict[str, dict[str, str]]:
    """Return the fields of each entry of the bibliography, by key."""
    text = Path(__file__).with_name("sources.bib").read_text("utf-8").replace(r"\_", "_")
    entries = (" ".join(entry.split()).partition(",") for entry in text.split("\n@misc{")[1:])
    return {key: dict(_FIELD.findall(fields)) for key, _, fields in entries}


def url(key: str) -> str:
    """Return the address of a source."""
    fields = _fields(key)
    return fields["url"] if "url" in fields else ARXIV + fields["eprint"]


def name(key: str) -> str:
    """Return how a source is called in a text: "Su et al., 2021", or the title where none signs."""
    fields = _fields(key)
    names = [last for last, _ in _authors(fields)]
    if not names:
        return fields["title"]
    who = " and ".join(names) if len(names) < 3 else f"{names[0]} et al."
    return f"{who}, {fields['year']}"


def link(key: str) -> str:
    """Return a link to a source, as HTML; its title is the key."""
    return f'<a href="{escape(url(key))}" title="{escape(key)}">{escape(name(key))}</a>'


def listed(keys: Iterable[str]) -> dict[str, str]:
    """Return the entries of some sources as HTML, by key, in the order of their names."""
    ordered = sorted(set(keys), key=lambda key: (name(key).casefold(), key))
    return {key: _entry(key) for key in ordered}


def _entry(key):
    """Authors, title, place and year, and a link, as HTML."""
    fields = _fields(key)
    who = [f"{first} {last}".strip() for last, first in _authors(fields)]
    signed = " and ".join(who) if len(who) < 3 else f"{', '.join(who[:-1])}, and {who[-1]}"
    placed = ", ".join(fields[part] for part in ("howpublished", "year") if part in fields)
    parts = [part for part in (signed, fields["title"], placed) if part]
    text = "\n".join(part if part.endswith("?") else f"{part}." for part in parts)
    label = f"arXiv:{fields['eprint']}" if "eprint" in fields else urlsplit(fields["url"]).netloc
    return f'{escape(text)}\n<a href="{escape(url(key))}">{escape(label)}</a>.'


def _fields(key):
    if key not in bibliography():
        raise ValueError(f"key must be one of those in sources.bib, got {quoted(key)}")
    return bibliography()[key]


def _authors(fields):
    """Last and first name of each; "others" has no first."""
    return [who.partition(", ")[::2] for who in fields.get("author", "").split(" and ") if who]
